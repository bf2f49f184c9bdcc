// Figures, colours, JSON and the progress bar.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "command.hpp"

namespace cli {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool colours_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(STDOUT_FILENO) != 0;
}

std::string coloured(std::string_view text, int code) {
  return colours_wanted() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

Stopwatch::Stopwatch() : start_ns_(now_ns()) {}
double Stopwatch::seconds() const { return static_cast<double>(now_ns() - start_ns_) * 1e-9; }

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string in_words(double number) {
  if (number >= 1e12) return fmt::format("{:.2f} trillion", number / 1e12);
  if (number >= 1e9) return fmt::format("{:.2f} billion", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.2f} million", number / 1e6);
  return fmt::format("{:.0f}", number);
}

std::string in_seconds(double seconds) { return seconds < 0.0995 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds); }

std::string green(std::string_view text) { return coloured(text, 32); }
std::string red(std::string_view text) { return coloured(text, 31); }

void print_line(std::string_view label, std::string_view text) { fmt::print("{:<12} {}\n", label, text); }
// Names come from files, which need not keep to UTF-8.
void print_json(const Json& json) { fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

std::size_t sample_size(std::uint64_t edges) { return std::clamp<std::size_t>(500'000'000 / std::max<std::uint64_t>(edges, 1), 2, 64); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

lacuna::Progress progress_bar() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [last = std::int64_t{0}](std::string_view what, std::uint64_t done, std::uint64_t total) mutable {
    const bool finished = done >= total;
    if (!finished && now_ns() - last < 50'000'000) return;
    last = now_ns();
    constexpr int width = 30;
    const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    const int filled = static_cast<int>(share * width);
    fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:3.0f}%", what, "", filled, "", width - filled, share * 100);
    if (finished) fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  };
}

}  // namespace cli
