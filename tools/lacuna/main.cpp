// The command line program. Results go to standard output, progress and messages to standard error.
// Exit codes: 0 done, 1 the answer is wrong, 2 wrong input or arguments, 3 not supported here, 4 the system or a device refused, 5 our bug.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "command.hpp"

namespace {

int report(int code, std::string_view message) {
  fmt::print(stderr, "lacuna: {}\n", message);
  return code;
}

/// The first word that is neither a flag nor a command.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.starts_with('-')) continue;
    const auto has_that_name = [&](const CLI::App* command) { return command->get_name() == word; };
    return app.get_subcommands(has_that_name).empty() ? word : "";
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app{"Lacuna compiles sparse neural networks around their zeros and runs what is left.", "lacuna"};
  app.set_version_flag("--version", "lacuna " + lacuna::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Exit codes: 0 done, 1 wrong answer, 2 wrong input or arguments, 3 not supported here, 4 system or device refused, 5 internal error.\n"
      "Environment: LACUNA_ISA (sse4, avx2, avx512), LACUNA_THREADS, LACUNA_DEVICE (what --device auto means), LACUNA_GPU_MEMORY (at most so much of a GPU, like 8GiB), LACUNA_DATA (folder of real data), "
      "LACUNA_CACHE (folder of measured plans, or off), NO_COLOR.");
  cli::add_challenge(app);
  cli::add_run(app);
  cli::add_bench(app);
  cli::add_generate(app);
  cli::add_inspect(app);
  cli::add_compile(app);
  cli::add_devices(app);
  cli::add_prune(app);
  cli::add_convert(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    if (const std::string word = unknown_command(app, argc, argv); !word.empty())
      throw lacuna::InputError(fmt::format("no command is called \"{}\"; lacuna --help lists them", word));
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return 2;
  }
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0) throw lacuna::DeviceError("standard output could not be written");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cli::WrongAnswer& wrong) {
    return report(1, "wrong answer: " + wrong.sentence);
  } catch (const lacuna::InputError& error) {
    return report(2, error.what());
  } catch (const lacuna::Unsupported& error) {
    return report(3, error.what());
  } catch (const lacuna::DeviceError& error) {
    return report(4, error.what());
  } catch (const std::system_error& error) {  // fmt's, when standard output cannot be written
    return report(4, error.what());
  } catch (const std::bad_alloc&) {
    return report(4, "out of memory");
  } catch (const std::exception& error) {
    return report(5, error.what());
  }
}
