#include "devices/opencl/programs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <lacuna/error.hpp>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/cache_folder.hpp"
#include "base/hash.hpp"

namespace lacuna::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t hash_digits = 32;
constexpr std::size_t most_log_characters = 4000;

}  // namespace

Programs::Programs(ContextPointer context, Binaries binaries)
    : context_(std::move(context)), options_("-cl-std=CL1.2"), keeps_binaries_(binaries == Binaries::keep || context_->device().platform != "Portable Computing Language") {
  if (context_->device().rounds_division) options_ += " -cl-fp32-correctly-rounded-divide-sqrt";
}

std::shared_ptr<const Program> Programs::get(const std::string& text) {
  std::shared_ptr<const Program>& kept = programs_[base::hash_text(text)];
  if (kept != nullptr) return kept;
  const fs::path file = binary_file(text);
  Program program = recall(file);
  if (!program) {
    program = compile(text);
    ++compiled_;
    remember(file, program);
  }
  kept = std::make_shared<const Program>(std::move(program));
  return kept;
}

Program Programs::compile(const std::string& text) const {
  const Library& cl = context_->cl();
  const char* begin = text.data();
  const std::size_t length = text.size();
  cl_int code = CL_SUCCESS;
  Program program(context_, cl.create_program(context_->handle(), 1, &begin, &length, &code));
  context_->check(code, "clCreateProgramWithSource");
  code = cl.build_program(program.get(), 1, &context_->device().id, options_.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS)
    throw DeviceError(fmt::format("opencl: clBuildProgram on {}: {}; the compiler says:\n{}", context_->limits().name, code_name(code), log_of(program)));
  return program;
}

std::string Programs::log_of(const Program& program) const {
  const Library& cl = context_->cl();
  std::size_t bytes = 0;
  if (cl.get_build_info(program.get(), context_->device().id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS || bytes <= 1) return "(nothing)";
  std::string log(bytes, '\0');
  cl.get_build_info(program.get(), context_->device().id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  if (log.size() > most_log_characters) log = log.substr(0, most_log_characters) + "\n...";
  return log;
}

fs::path Programs::binary_file(const std::string& text) const {
  const fs::path folder = keeps_binaries_ ? base::cache_folder() : fs::path();
  if (folder.empty()) return {};
  base::Hasher hasher;
  const FoundDevice& device = context_->device();
  for (const std::string& part : {std::string(LACUNA_VERSION), options_, device.platform, device.device, device.driver_version, text}) {
    hasher.add(part);
    hasher.add("\0", 1);
  }
  return folder / (hasher.finish() + ".opencl");
}

/// A file is the hash of the binary and the binary: a driver must not be given a damaged one.
Program Programs::recall(const fs::path& file) const {
  std::ifstream stream(file, std::ios::binary);
  if (file.empty() || !stream) return {};
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  if (content.size() <= hash_digits) return {};
  const std::string_view binary = std::string_view(content).substr(hash_digits);
  if (base::hash_text(binary) != content.substr(0, hash_digits)) return {};

  const Library& cl = context_->cl();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int code = CL_SUCCESS;
  Program program(context_, cl.create_program_with_binary(context_->handle(), 1, &context_->device().id, &length, &bytes, nullptr, &code));
  if (code != CL_SUCCESS || cl.build_program(program.get(), 1, &context_->device().id, options_.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

std::vector<unsigned char> Programs::binary_of(const Program& program) const {
  const Library& cl = context_->cl();
  std::size_t bytes = 0;
  if (cl.get_program_info(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return {};
  std::vector<unsigned char> binary(bytes);
  unsigned char* target = binary.data();
  if (bytes > 0 && cl.get_program_info(program.get(), CL_PROGRAM_BINARIES, sizeof target, &target, nullptr) != CL_SUCCESS) return {};
  return binary;
}

/// A cache that cannot be written is no error: the program runs all the same.
void Programs::remember(const fs::path& file, const Program& program) const {
  if (file.empty()) return;
  const std::vector<unsigned char> binary = binary_of(program);
  if (binary.empty()) return;
  try {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    base::AtomicFile target(file);
    const std::string hash = base::hash_text({reinterpret_cast<const char*>(binary.data()), binary.size()});
    target.write(hash.data(), hash.size());
    target.write(binary.data(), binary.size());
    target.commit();
  } catch (const DeviceError&) {
  }
}

}  // namespace lacuna::opencl
