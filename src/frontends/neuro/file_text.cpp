#include "frontends/neuro/file_text.hpp"

#include "base/byte_source.hpp"

namespace lacuna::frontends {

FileText::FileText(const std::filesystem::path& file) {
  constexpr std::uintmax_t worth_mapping = 1 << 20;
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
  if (!unknown && bytes >= worth_mapping) {
    mapped_ = base::MappedFile::open(file);
    view_ = {reinterpret_cast<const char*>(mapped_->bytes().data()), mapped_->bytes().size()};
    const bool is_packed = view_.starts_with("\x1f\x8b") || view_.starts_with("\x28\xb5\x2f\xfd");
    if (!is_packed) return;
    mapped_.reset();
  }
  read_ = base::read_all(*base::open_source(file));
  view_ = read_;
}

}  // namespace lacuna::frontends
