// Lines of text and the fields in them, for the formats of neuroevolution that are lines of words and numbers. Every message names file,
// line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::frontends {

class Lines {
 public:
  /// `file` stands for the file in messages. A byte order mark is skipped.
  Lines(std::string_view text, std::string_view file);

  /// Goes to the next line; false at the end. A carriage return at its end is not part of it.
  bool next();

  /// The line is split where blanks and tabs are; what stands between double quotes is one field, with \" \\ and \xNN in it.
  void split();
  std::size_t fields() const { return fields_.size(); }
  std::string_view field(std::size_t k) const { return fields_[k].text; }
  bool is_quoted(std::size_t k) const { return fields_[k].is_quoted; }

  /// Throws InputError unless there are so many; `form` says what the line should look like.
  void expect_fields(std::size_t least, std::size_t most, std::string_view form) const;

  /// Throws InputError naming `what` unless the field is a whole number, or a finite number.
  std::int64_t whole(std::size_t k, std::string_view what) const;
  std::int64_t whole(std::size_t k, std::string_view what, std::int64_t least, std::int64_t most) const;
  double number(std::size_t k, std::string_view what) const;

  /// The same for a part of field k that starts `offset` characters after its beginning.
  double number(std::string_view text, std::size_t k, std::size_t offset, std::string_view what) const;

  std::string_view line() const { return line_; }
  std::uint64_t line_number() const { return number_; }

  /// At field k of this line; at its end if there are fewer.
  [[noreturn]] void fail(std::size_t k, const std::string& sentence, std::size_t offset = 0) const;

 private:
  struct Field {
    std::size_t position;
    std::string_view text;
    bool is_quoted;
  };
  std::size_t take_quoted(std::size_t at);

  std::string_view rest_;
  std::string file_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  std::vector<Field> fields_;
  std::vector<std::string> unquoted_;  ///< what fields between quotes stand for
};

}  // namespace lacuna::frontends
