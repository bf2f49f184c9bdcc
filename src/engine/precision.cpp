#include "engine/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

namespace lacuna::engine {
namespace {

void check_f64(const Network& network, bool is_for_gpus) {
  if (!network.has_neuron_graphs()) throw Unsupported("only neuron graphs are computed in f64");
  if (is_for_gpus) throw Unsupported("GPUs compute neuron graphs in f32; exact answers (f64) come from the cpu: --device cpu");
}

void check_16_bits(Precision precision, const Network& network, bool is_for_gpus, bool cpu_has_bf16) {
  const char* const word = precision == Precision::f16 ? "f16" : "bf16";
  if (network.has_neuron_graphs()) throw Unsupported(fmt::format("neuron graphs are computed in f32 or f64, and not in {}", word));
  if (!network.has_batch_in_shapes) {
    if (!is_for_gpus) throw Unsupported(fmt::format("the cpu keeps the values of layers in f32; {} is for GPUs: --device cuda, opencl or sim:a100", word));
    return;
  }
  if (precision == Precision::f16) throw Unsupported("models are computed in f32 or bf16, and not in f16");
  if (is_for_gpus) throw Unsupported("GPUs compute models in f32; bf16 is for the cpu: --device cpu");
  if (!cpu_has_bf16) throw Unsupported("this CPU has no bf16 instructions (avx512_bf16), and emulated they are slower than f32: leave --precision at f32");
}

}  // namespace

Precision parse_precision(std::string_view word) {
  if (word == "f32") return Precision::f32;
  if (word == "f64") return Precision::f64;
  if (word == "f16") return Precision::f16;
  if (word == "bf16") return Precision::bf16;
  throw InputError(fmt::format("no precision is called \"{}\"; give f32 (fast), f64 (neuron graphs: exact), bf16 (models, layers on GPUs: faster, rounded) or f16 (layers on GPUs)", word));
}

void check_precision(Precision precision, const Network& network, bool is_for_gpus, bool cpu_has_bf16) {
  if (precision == Precision::f64) check_f64(network, is_for_gpus);
  if (precision == Precision::f16 || precision == Precision::bf16) check_16_bits(precision, network, is_for_gpus, cpu_has_bf16);
}

double tolerance_of(Precision precision, const Network& network) {
  const bool is_quantised = std::any_of(network.operators.begin(), network.operators.end(), [](const Operator& op) {
    const auto* call = std::get_if<Call>(&op.operation);
    return call != nullptr && (call->name == "QuantizeLinear" || call->name == "DynamicQuantizeLinear" || call->name.starts_with("QLinear"));
  });
  return precision == Precision::bf16 || is_quantised ? 5e-2 : 1e-4;
}

}  // namespace lacuna::engine
