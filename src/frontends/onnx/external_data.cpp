// Tensors stored beside the model. A model names files; only those in its own folder are opened.
#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "frontends/onnx/fields.hpp"
#include "frontends/onnx/tensor.hpp"

namespace lacuna::frontends::onnx {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string_view location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

std::uint64_t number(std::string_view text, std::string_view key) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("the {} of its external data is no number: {}", key, base::quote(text)));
  return value;
}

void read_entry(std::string_view message, Place& place) {
  std::string_view key;
  std::string_view value;
  for (Fields fields(message); fields.next();) switch (fields.tag()) {
      case 1: key = fields.bytes(); break;
      case 2: value = fields.bytes(); break;
      default: fields.skip();
    }
  if (key == "location") place.location = value;
  if (key == "offset") place.offset = number(value, key);
  if (key == "length") place.length = number(value, key);
}

std::optional<Place> find_place(const TensorProto& tensor) {
  Place place;
  bool is_external = false;
  for (Fields fields(tensor.message); fields.next();) switch (fields.tag()) {
      case 13: read_entry(fields.bytes(), place); break;
      case 14: is_external = fields.integer() == 1; break;
      default: fields.skip();
    }
  if (!is_external) return std::nullopt;
  return place;
}

/// The file in the model's folder; throws InputError if the name leads anywhere else.
fs::path find_file(std::string_view location, const fs::path& folder) {
  const fs::path relative{location};
  const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (location.empty() || location.find('\0') != std::string_view::npos || relative.is_absolute() || climbs)
    throw InputError(fmt::format("its external data is at {}; only files in the model's own folder are read", base::quote(location)));
  if (folder.empty()) throw InputError(fmt::format("its external data {} is not here: the model does not come from a file", base::quote(location)));
  std::error_code error;
  const fs::path home = fs::canonical(folder, error);
  const fs::path file = fs::canonical(folder / relative, error);
  if (error) throw InputError(fmt::format("its external data {} cannot be found: {}; keep the file beside the model", base::quote(location), error.message()));
  const auto [left, unused] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
  if (left != home.end()) throw InputError(fmt::format("its external data {} is a link out of the model's folder", base::quote(location)));
  return file;
}

}  // namespace

std::optional<ExternalBytes> read_external(const TensorProto& tensor, TensorMemory& memory) {
  const std::optional<Place> place = find_place(tensor);
  if (!place) return std::nullopt;
  auto& mapped = memory.external[std::string(place->location)];
  if (!mapped) mapped = base::MappedFile::open(find_file(place->location, memory.folder));
  const std::span<const std::byte> all = mapped->bytes();
  const std::uint64_t rest = place->offset <= all.size() ? all.size() - place->offset : 0;
  const std::uint64_t length = place->length.value_or(rest);
  if (place->offset > all.size() || length > rest)
    throw InputError(fmt::format("its external data is bytes {} to {} of {}, which has {}", place->offset, place->offset + length, base::quote(place->location), all.size()));
  const auto part = all.subspan(place->offset, length);
  return ExternalBytes{{reinterpret_cast<const char*>(part.data()), part.size()}, mapped};
}

}  // namespace lacuna::frontends::onnx
