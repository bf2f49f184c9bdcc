#include <lacuna/error.hpp>

#include <fmt/format.h>

namespace lacuna {

InputError::InputError(std::string_view file, const std::string& sentence) : Error(fmt::format("{}: {}", file, sentence)) {}

InputError::InputError(std::string_view file, std::uint64_t line, std::uint64_t column, const std::string& sentence)
    : Error(fmt::format("{}:{}:{}: {}", file, line, column, sentence)) {}

}  // namespace lacuna
