// Zeros of a model's constants, left out or stored.
#include <lacuna/onnx.hpp>

#include "frontends/onnx/rewrite.hpp"

namespace lacuna {
namespace {

using namespace frontends::onnx;

Value read_elements_of(const Constant& constant, TensorMemory& memory) {
  return std::visit([&](const auto& tensor) { return read_elements(tensor, memory); }, constant.tensor);
}

bool is_external(const Constant& constant, TensorMemory& memory) {
  const auto* tensor = std::get_if<TensorProto>(&constant.tensor);
  return tensor != nullptr && read_external(*tensor, memory).has_value();
}

}  // namespace

ConvertReport convert_onnx(const std::filesystem::path& from, const std::filesystem::path& to, OnnxZeros zeros) {
  const MappedModel model = map_model(from);
  TensorMemory memory = model.memory();
  ConvertReport report;
  const auto store = [&](const Constant& constant) -> std::optional<NewTensor> {
    if (!constant.is_sparse() && !is_external(constant, memory)) return std::nullopt;
    const Value value = read_elements_of(constant, memory);
    report.tensors += constant.is_sparse();
    if (const auto* tensor = std::get_if<TensorProto>(&constant.tensor)) return make_dense(*tensor, value.constant.span());
    return make_dense(constant.name, value);
  };
  const auto leave_out = [&](const Constant& constant) -> std::optional<NewTensor> {
    const auto* tensor = std::get_if<TensorProto>(&constant.tensor);
    if (tensor == nullptr) return std::nullopt;
    if (constant.may_be_sparse && tensor->data_type == data_type_of(ElementType::f32)) {
      const Value value = read_elements_of(constant, memory);
      // A scalar has no place for an index.
      if (auto sparse = value.shape.extents.empty() ? std::nullopt : make_sparse(constant.name, value, value.constant.size())) {
        ++report.tensors;
        return sparse;
      }
    }
    return store(constant);
  };
  const FileSizes sizes = rewrite_file(model, to, zeros == OnnxZeros::left_out ? Exchange(leave_out) : Exchange(store));
  report.bytes_before = sizes.before;
  report.bytes = sizes.after;
  return report;
}

}  // namespace lacuna
