// The attributes of a Call by name and kind, with their defaults, and the two ways to refuse a Call.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/error.hpp>

#include "operators/operators.hpp"

namespace lacuna::operators {

/// Throws InputError, with the operator's name before the sentence.
template <typename... Arguments>
[[noreturn]] void fail(const Call& call, fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw InputError(call.name + ": " + fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

/// The same for what is valid but not known here.
template <typename... Arguments>
[[noreturn]] void refuse(const Call& call, fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw Unsupported(call.name + ": " + fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

/// Each throws InputError if the attribute is of another kind.
std::int64_t integer_attribute(const Call& call, std::string_view name, std::int64_t otherwise);
float number_attribute(const Call& call, std::string_view name, float otherwise);
std::string_view text_attribute(const Call& call, std::string_view name, std::string_view otherwise);
std::vector<std::int64_t> integers_attribute(const Call& call, std::string_view name);  ///< none: empty
bool flag_attribute(const Call& call, std::string_view name, bool otherwise);

}  // namespace lacuna::operators
