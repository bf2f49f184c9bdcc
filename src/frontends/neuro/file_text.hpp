// FileText: a whole file as text, unpacked if it is packed. Large plain files are mapped, so that they are not copied.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/mapped_file.hpp"

namespace lacuna::frontends {

class FileText {
 public:
  explicit FileText(const std::filesystem::path& file);
  std::string_view text() const { return view_; }

 private:
  std::shared_ptr<const base::MappedFile> mapped_;
  std::string read_;
  std::string_view view_;
};

}  // namespace lacuna::frontends
