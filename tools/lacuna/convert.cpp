// `lacuna convert`: ONNX files with their zeros left out, or stored again.
#include <fmt/format.h>

#include <lacuna/onnx.hpp>

#include "command.hpp"

namespace cli {
namespace {

struct ConvertCommand : CommonOptions {
  std::string from;
  std::string to;
  bool sparse = false;
  bool dense = false;
};

void convert(const ConvertCommand& command) {
  if (!command.sparse && !command.dense) throw lacuna::InputError("give --sparse or --dense");
  check_folder_of(command.to);
  const lacuna::ConvertReport report = lacuna::convert_onnx(command.from, command.to, command.sparse ? lacuna::OnnxZeros::left_out : lacuna::OnnxZeros::stored);
  const double share = report.bytes_before == 0 ? 0 : static_cast<double>(report.bytes) / static_cast<double>(report.bytes_before);
  if (command.json)
    return print_json({{"model", command.from}, {"output", command.to}, {"tensors", report.tensors}, {"bytes_before", report.bytes_before}, {"bytes", report.bytes}});
  fmt::print("{} tensors are {} now; written to {}: {} bytes of {} ({:.1f}%)\n", with_commas(report.tensors), command.sparse ? "sparse" : "dense", command.to,
             with_commas(report.bytes), with_commas(report.bytes_before), share * 100);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertCommand>();
  CLI::App& command = *app.add_subcommand("convert", "Write an ONNX model with its zeros left out, or stored");
  command.add_option("model", options->from, "ONNX model")->required();
  command.add_option("output", options->to, "Where the new one goes")->required();
  auto* sparse = command.add_flag("--sparse", options->sparse, "Leave zeros out (sparse_initializer) where that makes the file smaller");
  command.add_flag("--dense", options->dense, "Store every zero")->excludes(sparse);
  add_json_flag(command, *options);
  command.callback([options] { convert(*options); });
}

}  // namespace cli
