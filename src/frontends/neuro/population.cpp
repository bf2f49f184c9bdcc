// Populations: a folder or an archive of networks, read and parsed on all cores.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include <lacuna/error.hpp>

#include "base/byte_source.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "frontends/neuro/load_neuro.hpp"

namespace lacuna::frontends {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Runs of digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto run = [](std::string_view text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t start = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(start, at - start);
    };
    const std::string_view x = run(a, i), y = run(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (i == a.size() && j == b.size()) return a < b;  // 07 and 7
  return i == a.size();
}

/// Without the extension of the format and of the packing.
std::string member_name(const std::string& file) {
  fs::path path(file);
  for (const char* packing : {".gz", ".zst"})
    if (path.extension() == packing) path.replace_extension();
  return path.replace_extension().generic_string();
}

constexpr std::size_t beginning_bytes = 4096;

/// Opens a file only if its name says nothing.
bool is_graph_file(const fs::path& file) {
  if (has_graph_extension(file)) return true;
  if (is_archive(file) || file.filename().string().starts_with('.')) return false;
  try {
    const auto source = base::open_source(file);
    std::string beginning(beginning_bytes, '\0');
    beginning.resize(source->read(beginning.data(), beginning.size()));
    return find_graph_reader(file, beginning) != nullptr;
  } catch (const Error&) {
    return false;  // not ours to complain about
  }
}

std::vector<fs::path> graph_files(const fs::path& folder, bool first_only) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file() || !is_graph_file(entry.path())) continue;
    files.push_back(entry.path());
    if (first_only) break;
  }
  return files;
}

struct ArchiveCloser {
  void operator()(archive* it) const { archive_read_free(it); }
};

/// Everything it holds, unpacked in memory, before any of it is parsed.
class ArchiveReader {
 public:
  explicit ArchiveReader(const fs::path& file) : file_(file), archive_(archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    archive_read_support_format_zip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_bzip2(archive_.get());
    check(archive_read_open_filename(archive_.get(), file.c_str(), 1 << 16));
  }

  /// False at the end.
  bool next(std::string& name, std::string& text) {
    archive_entry* entry = nullptr;
    for (;;) {
      const int result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) return false;
      check(result);
      if (archive_entry_filetype(entry) == AE_IFREG) break;
    }
    const char* path = archive_entry_pathname(entry);
    name = path == nullptr ? "" : path;
    text.clear();
    for (;;) {
      constexpr std::size_t step = std::size_t{64} << 10;
      const std::size_t before = text.size();
      text.resize(before + std::max(step, before));
      const la_ssize_t got = archive_read_data(archive_.get(), text.data() + before, text.size() - before);
      if (got < 0) check(static_cast<int>(got));
      text.resize(before + static_cast<std::size_t>(got));
      if (got == 0) return true;
      unpacked_ += static_cast<std::uint64_t>(got);
      if (unpacked_ > most_unpacked) throw InputError(file_.string(), fmt::format("unpacks to more than {}; unpack it into a folder", base::human_bytes(most_unpacked)));
    }
  }

 private:
  static constexpr std::uint64_t most_unpacked = std::uint64_t{4} << 30;  // a bound for hostile files

  void check(int result) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    const char* why = archive_error_string(archive_.get());
    throw InputError(file_.string(), fmt::format("cannot be unpacked: {}", why == nullptr ? "it is damaged" : why));
  }

  fs::path file_;
  std::unique_ptr<archive, ArchiveCloser> archive_;
  std::uint64_t unpacked_ = 0;
};

}  // namespace

bool is_archive(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(std::to_array<std::string_view>({".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".tar.bz2"}),
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

bool has_population(const fs::path& folder) { return !graph_files(folder, true).empty(); }

Network load_population(const fs::path& folder, const LoadOptions& options, LoadReport& report) {
  std::vector<fs::path> files = graph_files(folder, false);
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) { return natural_less(a.filename().string(), b.filename().string()); });
  std::vector<Member> members(files.size());
  std::vector<std::uint64_t> bytes(files.size());
  base::parallel_for(base::thread_count(options.threads), files.size(), [&](std::size_t k, unsigned) {
    const std::string text = base::read_all(*base::open_source(files[k]));
    bytes[k] = text.size();
    const GraphReader reader = find_graph_reader(files[k], text);
    if (reader == nullptr) throw InputError(files[k].string(), "has changed while the folder was read");
    members[k] = {member_name(files[k].filename().string()), files[k].string(), reader(text, files[k].string())};
  });
  for (const std::uint64_t count : bytes) report.text_bytes += count;
  return network_of(std::move(members), folder.string(), options);
}

Network load_archive(const fs::path& file, const LoadOptions& options, LoadReport& report) {
  struct Packed {
    std::string name;
    std::string text;
  };
  std::vector<Packed> files;
  ArchiveReader reader(file);
  for (Packed packed; reader.next(packed.name, packed.text);) {
    report.text_bytes += packed.text.size();
    const bool is_hidden = fs::path(packed.name).filename().string().starts_with('.');
    const bool is_graph = !is_hidden && find_graph_reader(packed.name, std::string_view(packed.text).substr(0, beginning_bytes)) != nullptr;
    if (is_graph) files.push_back(packed);  // a copy is as long as it must be; what was read into has room to spare
  }
  if (files.empty()) throw InputError(file.string(), "holds no network; give an archive of .json, .net, .edges, .graphml, .yml or genome files");
  std::sort(files.begin(), files.end(), [](const Packed& a, const Packed& b) { return natural_less(a.name, b.name); });
  std::vector<Member> members(files.size());
  base::parallel_for(base::thread_count(options.threads), files.size(), [&](std::size_t k, unsigned) {
    const std::string where = fmt::format("{}/{}", file.string(), files[k].name);
    members[k] = {member_name(files[k].name), where, find_graph_reader(files[k].name, files[k].text)(files[k].text, where)};
    files[k].text = {};
  });
  return network_of(std::move(members), file.string(), options);
}

}  // namespace lacuna::frontends
