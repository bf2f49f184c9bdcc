#include "engine/gpus/tensor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include <lacuna/error.hpp>

#include "engine/gpus/call_kernels.hpp"
#include "engine/gpus/share_buffers.hpp"
#include "plan/gpus/dense_layer.hpp"
#include "plan/gpus/places.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::engine::gpus {
namespace {

using Argument = TensorPlan::Argument;

/// Where each value stands: on padded planes if a convolution with a window reads or writes it on the GPU.
std::vector<rows::Planes> places_of(const Network& network, const std::vector<std::string>& on_host) {
  struct Want {
    bool is_padded = false;
    rows::Halo halo{};
  };
  std::vector<Want> wants(network.values.size());
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const auto* conv = std::get_if<Conv>(&network.operators[k].operation);
    if (conv == nullptr || conv->kernel.empty() || !on_host[k].empty()) continue;
    Want& input = wants[static_cast<std::size_t>(network.operators[k].inputs[0])];
    const rows::Halo halo = rows::halo_of(*conv);
    input = {true, {std::max(input.halo.y, halo.y), std::max(input.halo.x, halo.x)}};
    wants[static_cast<std::size_t>(network.operators[k].output)].is_padded = true;
  }
  std::vector<rows::Planes> places(network.values.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Shape& shape = network.values[k].shape;
    if (shape.extents.size() > 4) continue;
    places[k] = wants[k].is_padded ? plan::gpus::padded_planes(shape, wants[k].halo.y, wants[k].halo.x) : plan::gpus::plain_planes(shape);
  }
  return places;
}

class Planner {
 public:
  Planner(const Network& network, std::span<const ConvChoice> choices) : network_(network), choices_(choices) {
    for (const Operator& op : network.operators) on_host_.push_back(why_on_host(network, op));
    places_ = places_of(network, on_host_);
    where_.resize(network.values.size());
  }

  TensorPlan plan() && {
    find_readers();
    for (ValueId id : network_.all_inputs()) plan_.inputs.push_back({id, wanted_on_gpu(id) ? arrive(id) : TensorPlan::no_buffer});
    for (op_ = 0; op_ < network_.operators.size(); ++op_) {
      const Operator& op = network_.operators[op_];
      if (!on_host_[op_].empty())
        add_host(op);
      else if (const auto* conv = std::get_if<Conv>(&op.operation))
        add_conv(op, *conv);
      else
        add_call(op);
    }
    op_ = network_.operators.empty() ? 0 : network_.operators.size() - 1;
    for (ValueId id : network_.all_outputs()) {
      const bool is_on_gpu = !network_.value(id).is_constant && at(id).place != SharedBuffers::none;
      plan_.outputs.push_back({id, is_on_gpu ? leave(id) : TensorPlan::no_buffer});
      if (is_on_gpu) buffers_.keep(plan_.outputs.back().buffer);
    }
    share_buffers();
    return std::move(plan_);
  }

 private:
  /// Standings of a value on the GPU: in its place, and side by side where that is another.
  struct Where {
    std::size_t place = SharedBuffers::none, plain = SharedBuffers::none;
    std::size_t table = static_cast<std::size_t>(-1);  ///< a constant
  };
  Where& at(ValueId id) { return where_[static_cast<std::size_t>(id)]; }
  const rows::Planes& place(ValueId id) const { return places_[static_cast<std::size_t>(id)]; }
  std::size_t step() const { return plan_.steps.size(); }

  void find_readers() {
    read_on_gpu_.assign(network_.values.size(), false);
    for (std::size_t k = 0; k < network_.operators.size(); ++k)
      if (on_host_[k].empty())
        for (ValueId id : network_.operators[k].inputs)
          if (id != no_value) read_on_gpu_[static_cast<std::size_t>(id)] = true;
  }
  bool wanted_on_gpu(ValueId id) const { return read_on_gpu_[static_cast<std::size_t>(id)] && network_.value(id).type == ElementType::f32 && network_.value(id).shape.extents.size() <= 4; }

  std::size_t program(kernel::ThreadProgram made) {
    const std::string name = made.name;
    made.name = "kernel";  // alike but for the name
    const auto [found, is_new] = programs_.emplace(kernel::print(made), plan_.programs.size());
    made.name = name;
    if (is_new) plan_.programs.push_back(std::move(made));
    return found->second;
  }
  std::string name() const { return fmt::format("op{}", op_); }

  /// A value that the host writes: the buffer it goes to; a kernel brings it to its place.
  std::size_t arrive(ValueId id) {
    Where& where = at(id);
    const rows::Planes plain = plan::gpus::plain_planes(network_.value(id).shape);
    where.plain = buffers_.add(plain, step());
    if (plan::gpus::is_plain(place(id))) return where.place = where.plain;
    buffers_.use(where.plain, step() + 1);  // the copy comes after what the host does at this step
    arrivals_.push_back(id);
    return where.plain;
  }
  void place_arrivals() {
    for (ValueId id : std::exchange(arrivals_, {})) {
      at(id).place = buffers_.add(place(id), step());
      copy(id, plan::gpus::plain_planes(network_.value(id).shape), at(id).plain, place(id), at(id).place, "place");
    }
  }

  /// A value that the host reads: the buffer where it stands side by side, copied there if it has to be.
  std::size_t leave(ValueId id) {
    Where& where = at(id);
    if (where.plain != SharedBuffers::none) return where.plain;
    if (plan::gpus::is_plain(place(id))) return where.plain = where.place;
    const rows::Planes plain = plan::gpus::plain_planes(network_.value(id).shape);
    where.plain = buffers_.add(plain, step());
    copy(id, place(id), where.place, plain, where.plain, "leave");
    return where.plain;
  }

  void copy(ValueId id, const rows::Planes& from, std::size_t source, const rows::Planes& to, std::size_t target, const char* what) {
    const Shape& shape = network_.value(id).shape;
    const std::size_t made = program(copy_kernel(shape, from, to, fmt::format("{}_{}", what, static_cast<std::size_t>(id))));
    buffers_.use(source, step());
    buffers_.use(target, step());
    push({{made, copy_blocks(shape), 1, {{Argument::Kind::buffer, source}, {Argument::Kind::buffer, target}}}});
    plan_.steps.back().is_copy = true;
  }

  void push(std::vector<TensorPlan::Launch> launches) { plan_.steps.push_back({op_, std::move(launches)}); }

  /// A value that a kernel of this step reads.
  Argument read(ValueId id) {
    const Value& value = network_.value(id);
    if (value.is_constant) return {Argument::Kind::table, constant(id)};
    buffers_.use(at(id).place, step());
    return {Argument::Kind::buffer, at(id).place};
  }
  std::size_t constant(ValueId id) {
    Where& where = at(id);
    if (where.table != static_cast<std::size_t>(-1)) return where.table;
    std::vector<float> floats(place(id).floats);
    rows::load_planes(reinterpret_cast<const float*>(network_.value(id).constant.data()), place(id), floats.data());
    return where.table = table(std::span<const float>(floats));
  }
  std::size_t table(std::span<const float> values) {
    std::vector<std::uint32_t> words(values.size());
    std::memcpy(words.data(), values.data(), values.size_bytes());
    return table(std::move(words));
  }
  std::size_t table(std::vector<std::uint32_t> words) {
    plan_.tables.push_back(std::move(words));
    return plan_.tables.size() - 1;
  }

  void add_conv(const Operator& op, const Conv& conv) {
    place_arrivals();
    const ConvChoice& choice = choices_[op_];
    const std::string why_not = choice.is_dense ? plan::gpus::why_not_dense(conv, place(op.inputs[0]), place(op.output)) : "";
    if (choice.is_dense && why_not.empty())
      add_dense(op, conv);
    else
      add_own(op, conv, why_not.empty() ? choice.reason : why_not);
  }

  /// By a library of the device, which multiplies; a kernel of ours ends it.
  void add_dense(const Operator& op, const Conv& conv) {
    const rows::Planes* const skip = op.inputs.size() > 1 ? &place(op.inputs[1]) : nullptr;
    const Argument source = read(op.inputs[0]);
    const std::size_t output = at(op.output).place = buffers_.add(place(op.output), step());
    plan_.steps.push_back({op_, TensorPlan::LibraryStep{plan::gpus::dense_layer(conv, place(op.inputs[0]), place(op.output)), source,
                                                        {Argument::Kind::table, table(std::span<const float>(conv.weights))}, {Argument::Kind::buffer, output}}});
    if (const auto ending = plan::gpus::ending_of(name(), conv, place(op.output), skip)) {
      buffers_.use(output, step());
      std::vector<Argument> arguments{{Argument::Kind::buffer, output}};
      if (ending->bias) arguments.push_back({Argument::Kind::table, table(std::span<const float>(conv.bias))});
      if (ending->skip) arguments.push_back(read(op.inputs[1]));
      push({{program(kernel::build(*ending)), ending->blocks(), 1, std::move(arguments)}});
    }
    plan_.kernels.push_back("dense, " + choices_[op_].library + "; " + choices_[op_].reason);
  }

  void add_own(const Operator& op, const Conv& conv, const std::string& reason) {
    const bool has_skip = op.inputs.size() > 1;
    plan::gpus::ConvKernels made = plan::gpus::plan_conv(name(), conv, place(op.inputs[0]), place(op.output), has_skip ? &place(op.inputs[1]) : nullptr, choices_[op_].own);
    std::vector<Argument> arguments{read(op.inputs[0])};
    if (has_skip) arguments.push_back(read(op.inputs[1]));
    at(op.output).place = buffers_.add(place(op.output), step());
    arguments.push_back({Argument::Kind::buffer, at(op.output).place});
    if (!made.rows.empty()) {
      arguments.push_back({Argument::Kind::table, table(std::move(made.rows))});
      arguments.push_back({Argument::Kind::table, table(std::move(made.edges))});
    }
    std::vector<std::size_t> numbers;
    for (kernel::ThreadProgram& one : made.programs) numbers.push_back(program(std::move(one)));
    std::vector<TensorPlan::Launch> launches;
    for (const auto& launch : made.launches) launches.push_back({numbers[launch.program], launch.blocks_x, launch.blocks_y, arguments});
    push(std::move(launches));
    plan_.kernels.push_back(made.description + (reason.empty() ? "" : "; " + reason));
  }

  void add_call(const Operator& op) {
    place_arrivals();
    std::vector<CallKernel> made = call_kernels(network_, op, [&](ValueId id) -> const rows::Planes& { return place(id); }, name());
    at(op.output).place = buffers_.add(place(op.output), step());
    std::vector<TensorPlan::Launch> launches;
    for (CallKernel& one : made) {
      std::vector<Argument> arguments;
      for (std::size_t input : one.inputs) arguments.push_back(read(op.inputs[input]));
      arguments.push_back({Argument::Kind::buffer, at(op.output).place});
      launches.push_back({program(std::move(one.program)), one.blocks, 1, std::move(arguments)});
    }
    push(std::move(launches));
    plan_.kernels.emplace_back("on the GPU");
  }

  void add_host(const Operator& op) {
    place_arrivals();
    TensorPlan::HostStep host;
    std::vector<std::size_t> read;
    for (ValueId id : op.inputs) {
      const bool is_on_gpu = id != no_value && !network_.value(id).is_constant && at(id).place != SharedBuffers::none;
      host.inputs.push_back(is_on_gpu ? leave(id) : TensorPlan::no_buffer);
    }
    for (std::size_t buffer : host.inputs)
      if (buffer != TensorPlan::no_buffer) buffers_.use(buffer, step());
    if (wanted_on_gpu(op.output)) host.output = arrive(op.output);
    plan_.steps.push_back({op_, std::move(host)});
    plan_.kernels.push_back("on the host: " + on_host_[op_]);
  }

  /// From standings to buffers.
  void share_buffers() {
    const std::vector<std::size_t> buffer_of = buffers_.assign(plan_.buffer_bytes);
    const auto rename = [&](std::size_t& index) {
      if (index != TensorPlan::no_buffer) index = buffer_of[index];
    };
    for (TensorPlan::Step& step : plan_.steps)
      if (auto* launches = std::get_if<std::vector<TensorPlan::Launch>>(&step.work)) {
        for (TensorPlan::Launch& launch : *launches)
          for (Argument& argument : launch.arguments)
            if (argument.kind == Argument::Kind::buffer) rename(argument.index);
      } else if (auto* library = std::get_if<TensorPlan::LibraryStep>(&step.work)) {
        for (Argument* argument : {&library->source, &library->output})
          if (argument->kind == Argument::Kind::buffer) rename(argument->index);
      } else {
        auto& host = std::get<TensorPlan::HostStep>(step.work);
        for (std::size_t& input : host.inputs) rename(input);
        rename(host.output);
      }
    for (auto* ports : {&plan_.inputs, &plan_.outputs})
      for (TensorPlan::Port& port : *ports) rename(port.buffer);
  }

  const Network& network_;
  std::span<const ConvChoice> choices_;
  std::vector<std::string> on_host_;  ///< why; of each operator
  std::vector<rows::Planes> places_;
  std::vector<Where> where_;
  std::vector<bool> read_on_gpu_;
  std::vector<ValueId> arrivals_;     ///< written by the host, not yet in their places
  std::map<std::string, std::size_t> programs_;
  SharedBuffers buffers_;
  std::size_t op_ = 0;
  TensorPlan plan_;
};

}  // namespace

TensorPlan plan_tensors(const Network& network, std::span<const ConvChoice> choices) { return Planner(network, choices).plan(); }

}  // namespace lacuna::engine::gpus
