#include <algorithm>
#include <utility>

#include "engine/tensors/bands.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/strip_chain.hpp"
#include "engine/tensors/tensor_program.hpp"
#include "passes/absorb.hpp"

namespace lacuna::engine::tensors {
namespace {

/// oneDNN does not know slabs.
bool goes_by_plain(const Place& from, const Place& to) {
  return (from.is_in_slabs() && to.kind == Place::Kind::dense) || (from.kind == Place::Kind::dense && to.is_in_slabs());
}

class Builder {
 public:
  Builder(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, cpu::Isa isa, unsigned threads, Arrangement arrangement, const Bands* bands)
      : network_(network), choices_(choices), planes_(planes), isa_(isa), arrangement_(arrangement), bands_(bands), copies_(network.values.size()), reads_(passes::count_reads(network)), last_reader_(network.values.size(), 0) {
    program_.threads = threads;
    for (std::size_t k = 0; k < network.operators.size(); ++k)
      for (ValueId id : network.operators[k].inputs)
        if (id != no_value) last_reader_[static_cast<std::size_t>(id)] = k;
    for (ValueId id : network.all_outputs()) last_reader_[static_cast<std::size_t>(id)] = network.operators.size();
  }

  TensorProgram build() && {
    for (ValueId id : network_.all_inputs()) {
      const std::size_t buffer = define(id, arrangement_.takes_planes ? place_of(id) : Place::plain(network_.value(id)));
      program_.inputs.push_back(port(id, {buffer, nullptr}));
    }
    for (at_ = 0; at_ < network_.operators.size(); ++at_)
      if (!add_bands() && !add_chain()) add(network_.operators[at_], choices_[at_]);
    for (ValueId id : network_.all_outputs()) {
      const Operand memory = arrangement_.gives_planes ? Operand{want(id, place_of(id)), nullptr} : plain_operand(id);
      if (memory.buffer != Operand::no_buffer) buffers_.touch(memory.buffer, Buffers::end_of_time);
      program_.outputs.push_back(port(id, memory));
    }
    return place_buffers();
  }

  /// Of the network of bands_: its input and outputs stand on planes, and rows of other bands are fetched where they are read.
  TensorProgram build_band() && {
    is_band_ = true;
    is_fetched_.assign(network_.values.size(), false);
    program_.inputs.push_back(port(network_.input, {define_in(network_.input, place_of(network_.input), new_buffer(0, 0)), nullptr}));  // it stands in the whole network's memory
    for (at_ = 0; at_ < network_.operators.size(); ++at_) add(network_.operators[at_], choices_[at_]);
    for (ValueId id : network_.all_outputs()) {
      const std::size_t buffer = want(id, place_of(id));
      buffers_.touch(buffer, Buffers::end_of_time);
      program_.outputs.push_back(port(id, {buffer, nullptr}));
    }
    if (fetched_) buffers_.touch(fetched_->buffer, Buffers::end_of_time);
    return place_buffers();
  }

 private:
  TensorProgram place_buffers() {
    const std::size_t of_threads = new_lasting_buffer(program_.thread_pitch * program_.threads * sizeof(float));
    buffers_.place();
    program_.thread_memory = buffers_.offset(of_threads);
    for (std::size_t k = 0; k < buffer_count_; ++k) program_.offsets.push_back(buffers_.offset(k));
    program_.arena_bytes = buffers_.arena_bytes();
    program_.least_bytes = buffers_.least_bytes();
    return std::move(program_);
  }

  struct Standing {
    Place place;
    std::size_t buffer;
  };

  TensorProgram::Port port(ValueId id, Operand memory) const {
    const Value& value = network_.value(id);
    return {value.name, value.type, value.shape, memory, value.is_constant ? value.constant : Array<std::byte>()};
  }

  std::size_t step() const { return program_.steps.size(); }
  std::size_t new_buffer(std::size_t bytes, std::size_t pitch) {
    ++buffer_count_;
    return buffers_.add(bytes, step(), arrangement_.sharing == Sharing::alike ? pitch : 0);
  }
  std::size_t new_scratch(std::size_t bytes) {
    constexpr std::size_t of_its_own = 64;
    return new_buffer(bytes, of_its_own);
  }
  /// Memory that nothing else has at any time: threads that keep to their own part of it never fetch a line from another.
  std::size_t new_lasting_buffer(std::size_t bytes) {
    ++buffer_count_;
    const std::size_t buffer = buffers_.add(bytes, 0);
    buffers_.touch(buffer, Buffers::end_of_time);
    return buffer;
  }
  std::size_t define(ValueId id, const Place& place) {
    const std::size_t buffer = new_buffer(place.bytes, place.kind == Place::Kind::planes ? place.planes.divided() * sizeof(float) : 0);
    return define_in(id, place, buffer);
  }
  std::size_t define_in(ValueId id, const Place& place, std::size_t buffer) {
    copies_[static_cast<std::size_t>(id)].push_back({place, buffer});
    return buffer;
  }
  void push(StepPointer made, bool is_copy = false) { program_.steps.push_back({std::move(made), std::min(at_, network_.operators.size() - 1), is_copy}); }

  /// The buffer that has the value in that place; copied there if it stands elsewhere so far.
  std::size_t want(ValueId id, const Place& place) {
    auto& standings = copies_[static_cast<std::size_t>(id)];
    const auto found = std::find_if(standings.begin(), standings.end(), [&](const Standing& standing) { return standing.place == place; });
    if (found != standings.end()) {
      buffers_.touch(found->buffer, step());
      return found->buffer;
    }
    if (standings.empty()) return want_constant(id, place);
    Standing from = standings.front();
    if (goes_by_plain(from.place, place)) {
      const Place plain = Place::plain(network_.value(id));
      from = {plain, want(id, plain)};
    }
    buffers_.touch(from.buffer, step());
    const std::size_t target = define(id, place);
    push(copy_step(network_.value(id), from.place, from.buffer, place, target, program_.threads), true);
    buffers_.touch(target, step());
    return target;
  }

  /// A constant that a convolution reads: it is copied into memory of the run first.
  std::size_t want_constant(ValueId id, const Place& place) {
    const std::size_t buffer = define(id, Place::plain(network_.value(id)));
    push(constant_step(network_.value(id), buffer), true);
    return want(id, place);
  }

  Operand plain_operand(ValueId id) {
    if (id == no_value) return {};
    const Value& value = network_.value(id);
    if (value.is_constant) return {Operand::no_buffer, value.constant.data()};
    return {want(id, Place::plain(value)), nullptr};
  }

  void add(const Operator& op, const Choice& choice) {
    if (choice.world == World::planes)
      choice.sparse ? add_sparse(op, choice) : add_on_planes(op);
    else if (choice.world == World::dense || choice.world == World::dense_bf16)
      choice.dense ? add_dense(op, choice) : add_dense_pool(op, choice.world);
    else
      add_plain(op);
  }

  /// Whether operators from here on run band by band; goes on to the last of them.
  bool add_bands() {
    if (bands_ == nullptr || at_ != bands_->first) return false;
    const Network& of_band = bands_->network;
    TensorProgram band = Builder(of_band, bands_->chosen.choices, bands_->chosen.planes, isa_, 1, {}, bands_).build_band();
    const std::size_t input = want(of_band.input, place_of(of_band.input));
    buffers_.touch(input, step());
    const std::size_t arenas = new_lasting_buffer(band.arena_bytes * program_.threads);
    std::vector<LeavingBands> leaving;
    const std::vector<ValueId> outputs = of_band.all_outputs();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto value = static_cast<std::size_t>(outputs[k]);
      leaving.push_back({band.outputs[k].memory.buffer, define(outputs[k], place_of(outputs[k])), bands_->chosen.planes[value], planes_[value]});
    }
    at_ = bands_->end - 1;
    push(bands_step(std::move(band), bands_->first, bands_->chosen.planes[static_cast<std::size_t>(of_band.input)], input, arenas, program_.threads, std::move(leaving)));
    program_.steps.back().tells_time = true;
    return true;
  }

  /// What neighbours have of a value that is read beyond the band. They may fetch from it until the next phase begins.
  void fetch_rows(ValueId id) {
    const auto value = static_cast<std::size_t>(id);
    if (!is_band_ || id == network_.input || is_fetched_[value] || bands_->beyond[value].above + bands_->beyond[value].below == 0) return;
    const std::size_t buffer = want(id, place_of(id));
    buffers_.touch(buffer, step());
    if (fetched_) buffers_.touch(fetched_->buffer, step());
    push(fetch_rows_step(planes_[value], bands_->beyond[value], buffer), true);
    program_.steps.back().begins_phase = true;
    is_fetched_[value] = true;
    fetched_ = Fetched{id, buffer};
  }

  /// Whether operators from here on run strip by strip; goes on to the last of them.
  bool add_chain() {
    const Planned planned{network_, choices_, planes_, reads_, isa_, program_.threads};
    const std::optional<std::size_t> end = program_.chains < arrangement_.chains ? end_of_chain(planned, at_) : std::nullopt;
    std::unique_ptr<const StripChain> chain = end ? make_strip_chain(planned, at_, *end) : nullptr;
    if (!chain) return false;
    const ValueId from = network_.operators[at_].inputs[0], to = network_.operators[*end - 1].output;
    const std::size_t input = want(from, place_of(from));
    buffers_.touch(input, step());
    const std::size_t output = define(to, place_of(to));
    program_.thread_pitch = std::max(program_.thread_pitch, chain->thread_floats());
    ++program_.chains;
    program_.chained += *end - at_;
    program_.after_chains = *end;
    const std::size_t first = std::exchange(at_, *end - 1);
    push(strip_chain_step(std::move(chain), first, input, output));
    program_.steps.back().tells_time = true;
    return true;
  }

  void add_plain(const Operator& op) {
    std::vector<Operand> inputs;
    for (ValueId id : op.inputs) inputs.push_back(plain_operand(id));
    for (const Operand& input : inputs)
      if (input.buffer != Operand::no_buffer) buffers_.touch(input.buffer, step());
    const std::size_t output = define(op.output, Place::plain(network_.value(op.output)));
    push(plain_step(network_, op, std::move(inputs), output));
  }

  void add_dense(const Operator& op, const Choice& choice) {
    const std::size_t input = want(op.inputs[0], Place::in(choice.dense->input()));
    const bool has_skip = op.inputs.size() > 1 && std::holds_alternative<Conv>(op.operation);  // others have parameters there
    const std::size_t skip = has_skip ? want(op.inputs[1], Place::in(choice.dense->output())) : Operand::no_buffer;
    touch(input, skip);
    const std::size_t scratch = new_scratch(choice.dense->scratch_bytes());
    const std::size_t output = define(op.output, Place::in(choice.dense->output()));
    push(dense_conv_step(choice.dense, input, skip, output, scratch));
  }

  void add_sparse(const Operator& op, const Choice& choice) {
    fetch_rows(op.inputs[0]);
    const std::size_t input = want(op.inputs[0], place_of(op.inputs[0]));
    const std::size_t skip = op.inputs.size() > 1 ? want(op.inputs[1], place_of(op.inputs[1])) : Operand::no_buffer;
    touch(input, skip);
    const std::size_t scratch = new_scratch(choice.sparse->common_floats() * sizeof(float));
    program_.thread_pitch = std::max(program_.thread_pitch, choice.sparse->thread_floats());
    const bool is_free = skip != Operand::no_buffer && op.inputs[1] != op.inputs[0] && !(fetched_ && fetched_->value == op.inputs[1]) && last_reader_[static_cast<std::size_t>(op.inputs[1])] == at_;
    const std::size_t output = is_free && choice.sparse->may_write_over_skip() ? define_in(op.output, place_of(op.output), skip) : define(op.output, place_of(op.output));
    push(sparse_conv_step(choice.sparse, input, skip, output, scratch));
  }

  void add_dense_pool(const Operator& op, World world) {
    const Value& input_value = network_.value(op.inputs[0]);
    const dense::Type type = world == World::dense_bf16 ? dense::Type::bf16 : dense::type_of(input_value.type);
    const auto& standings = copies_[static_cast<std::size_t>(op.inputs[0])];
    const auto found = std::find_if(standings.begin(), standings.end(), [&](const Standing& standing) {
      return standing.place.kind == Place::Kind::dense && dense::type_of(standing.place.layout) == type;
    });
    const Place from = found != standings.end() ? found->place : Place::in(dense::row_major(input_value.shape, type));
    auto pool = std::make_shared<const dense::DensePool>(*pool_shape(network_, op), from.layout, network_.value(op.output).shape);
    const std::size_t input = want(op.inputs[0], from);
    buffers_.touch(input, step());
    const std::size_t output = define(op.output, Place::in(pool->output()));
    push(dense_pool_step(std::move(pool), input, output));
  }

  void add_on_planes(const Operator& op) {
    std::vector<std::size_t> inputs;
    std::vector<rows::Planes> places;
    for (ValueId id : op.inputs) {
      inputs.push_back(want(id, place_of(id)));
      places.push_back(planes_[static_cast<std::size_t>(id)]);
    }
    for (std::size_t input : inputs) buffers_.touch(input, step());
    const std::size_t output = define(op.output, place_of(op.output));
    push(planes_step(network_, op, places, inputs, planes_[static_cast<std::size_t>(op.output)], output, isa_, program_.threads));
  }

  void touch(std::size_t input, std::size_t skip) {
    buffers_.touch(input, step());
    if (skip != Operand::no_buffer) buffers_.touch(skip, step());
  }

  Place place_of(ValueId id) const { return Place::on(planes_[static_cast<std::size_t>(id)]); }

  const Network& network_;
  const std::vector<Choice>& choices_;
  const std::vector<rows::Planes>& planes_;
  const cpu::Isa isa_;
  const Arrangement arrangement_;
  const Bands* const bands_;  ///< null: none
  bool is_band_ = false;      ///< the network is theirs
  std::vector<bool> is_fetched_;  ///< of each value: its halo holds rows of other bands
  struct Fetched {
    ValueId value;
    std::size_t buffer;
  };
  std::optional<Fetched> fetched_;  ///< in this phase
  std::vector<std::vector<Standing>> copies_;  ///< of each value
  std::vector<unsigned> reads_;                ///< of each value, by operators and the caller
  std::vector<std::size_t> last_reader_;       ///< of each value: an operator, or their number where the caller reads it
  Buffers buffers_;
  std::size_t buffer_count_ = 0;
  std::size_t at_ = 0;
  TensorProgram program_;
};

}  // namespace

TensorProgram build_program(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, cpu::Isa isa, unsigned threads, Arrangement arrangement,
                            const Bands* bands) {
  dense::use_threads(threads);  // of copies and pools
  return Builder(network, choices, planes, isa, threads, arrangement, bands).build();
}

}  // namespace lacuna::engine::tensors
