#include "kernel/templates/neuron_graph.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace lacuna::kernel {
namespace {

const char* name_of_update(Update update) { return update == Update::feed_forward ? "feed forward" : update == Update::stepwise ? "stepwise" : "continuous"; }

std::string describe(const GraphShape& shape) {
  return fmt::format("neuron graph, {}: {} inputs a thread, {} warps, {} functions, state of {} planes in {} memory", name_of_update(shape.update), shape.inputs_of_thread,
                     shape.warps, shape.kinds.endings.size(), shape.planes, shape.is_in_shared ? "shared" : "global");
}

constexpr std::uint32_t most_registers = 80;  // as compiled for sm_75 to sm_120: at most 72

class GraphWriter {
 public:
  GraphWriter(const GraphShape& shape, GraphPart part) : shape_(shape), is_whole_(part == GraphPart::whole), b(name_of(shape, part), describe(shape)) {
    for (const char* const name : graph_addresses) {
      const std::string_view word(name);
      const bool is_written = word == "results" || word == "kept" || word == "arena";
      given_.emplace(name, b.address_parameter(name, word != "results", is_written));
    }
    for (const char* const name : graph_words) given_.emplace(name, b.u32_parameter(name));
  }

  ThreadProgram write(GraphPart part) {
    find_place();
    read_member();
    find_state();
    switch (part) {
      case GraphPart::whole: whole(); break;
      case GraphPart::begin_state: begin_state(); break;
      case GraphPart::inputs: load_inputs(given("step")); break;
      case GraphPart::rows: run_rows(given("first"), given("end")); break;
      case GraphPart::outputs: store_outputs(given("step")); break;
      case GraphPart::end_state: end_state(); break;
    }
    return b.finish(32 * shape_.warps, most_registers);
  }

 private:
  Register given(const char* name) const { return given_.at(name); }
  bool has_state() const { return shape_.update != Update::feed_forward; }
  bool is_split() const { return shape_.warps > 1; }
  std::uint32_t plane_bytes() const { return shape_.plane_inputs() * 4; }

  void find_place() {
    const Register thread = b.special(Special::thread);
    lane_ = is_split() ? b.bit_and(thread, 31u) : thread;
    warp_ = is_split() ? b.shift_right(thread, 5u) : b.variable(0u);
    block_ = b.special(Special::block_x);
    block_of_tiles_ = b.special(Special::block_y);
  }

  void read_member() {
    const Register number = is_whole_ ? b.add(given("first_member"), block_) : given("first_member");
    const Register at = b.advance(given("members"), number, sizeof(GraphMember));
    for (std::uint32_t k = 0; k < 3; ++k) {
      std::vector<Register> four;
      for (int word = 0; word < 4; ++word) four.push_back(b.variable(Type::u32));
      b.load(GpuSpace::global, Element::u32, four, at, 16 * k, true);
      member_.insert(member_.end(), four.begin(), four.end());
    }
    nodes_ = b.add(inputs(), rows());
  }
  Register first_row() const { return member_[0]; }
  Register first_level() const { return member_[1]; }
  Register levels() const { return member_[2]; }
  Register inputs() const { return member_[3]; }
  Register rows() const { return member_[4]; }
  Register first_output() const { return member_[5]; }
  Register outputs() const { return member_[6]; }
  Register planes_before() const { return member_[7]; }
  Register updates() const { return member_[8]; }
  Register first_input() const { return member_[9]; }

  void find_state() {
    before_ = after_ = {shape_.is_in_shared ? GpuSpace::shared : GpuSpace::global, plane_bytes(), shape_.inputs_of_thread, {}};
    const std::uint32_t lane_bytes = 4 * shape_.inputs_of_thread, copy_bytes = shape_.planes * plane_bytes();
    if (shape_.is_in_shared) {
      b.shared(copy_bytes * shape_.copies());
      before_.at = after_.at = b.multiply(lane_, lane_bytes);
      if (has_state()) after_.at = b.add(before_.at, copy_bytes);
      return;
    }
    Register slot = block_of_tiles_;
    if (is_whole_) slot = b.multiply_add(block_of_tiles_, b.special(Special::blocks_x), block_);
    const Register first = b.advance(b.advance(given("arena"), b.multiply(slot, shape_.planes * shape_.copies()), plane_bytes()), lane_, lane_bytes);
    before_.at = after_.at = first;
    if (!has_state()) return;
    after_.at = b.advance(first, shape_.planes, plane_bytes());
    if (is_whole_) return;
    before_.at = b.advance(first, b.multiply(given("flip"), shape_.planes), plane_bytes());
    after_.at = b.advance(first, b.multiply(b.subtract(1u, given("flip")), shape_.planes), plane_bytes());
  }

  /// Each k of [begin, end) for one of the warps: in a loop where a block does it all, else one for each warp of the launch.
  void for_each(Source begin, Source end, const std::function<void(Register)>& body) {
    if (is_whole_) return b.count(is_split() ? Source(b.add(begin, warp_)) : begin, end, shape_.warps, body);
    const Register k = b.add(begin, b.multiply_add(block_, shape_.warps, warp_));
    b.when(b.compare(Comparison::less, k, end), [&] { body(k); });
  }

  void meet() {
    if (is_whole_ && is_split()) b.barrier();
  }

  void whole() {
    if (has_state()) begin_state();
    b.count(0u, given("steps"), 1, [&](Register step) {
      load_inputs(step);
      meet();
      has_state() ? update_rows() : run_levels();
      store_outputs(step);
      meet();
    });
    if (has_state()) end_state();
  }

  /// Where the thread's part of plane `plane` of the kept states is.
  Register kept_plane(Register plane) {
    const Register first = b.multiply_add(planes_before(), given("all_blocks"), b.multiply(b.add(given("first_block"), block_of_tiles_), nodes_));
    return b.advance(b.advance(given("kept"), b.add(first, plane), plane_bytes()), lane_, 4 * shape_.inputs_of_thread);
  }
  std::vector<Register> variables() {
    std::vector<Register> values;
    for (unsigned k = 0; k < shape_.inputs_of_thread; ++k) values.push_back(b.variable(Type::f32));
    return values;
  }
  static std::vector<Source> sources(const std::vector<Register>& values) { return {values.begin(), values.end()}; }

  void begin_state() {
    b.note("state: as it was kept, or zeros");
    const Register keeps = b.compare(Comparison::not_equal, given("keeps"), 0u);
    for_each(0u, nodes_, [&](Register plane) {
      const auto values = variables();
      for (const Register value : values) b.set(value, 0.0f);
      b.when(keeps, [&] { b.load(GpuSpace::global, Element::f32, values, kept_plane(plane)); });
      before_.store(b, plane, sources(values));
    });
    meet();
  }

  void end_state() {
    b.note("state: kept for the next run");
    const Register keeps = b.compare(Comparison::not_equal, given("keeps"), 0u);
    b.when(keeps, [&] {
      for_each(0u, nodes_, [&](Register plane) { b.store(GpuSpace::global, Element::f32, kept_plane(plane), 0, sources(before_.load(b, plane))); });
    });
  }

  void load_inputs(Register step) {
    b.note("inputs");
    constexpr std::uint32_t column_bytes = 32 * 4;
    const Register tile = b.multiply_add(step, given("tiles"), b.multiply(block_of_tiles_, shape_.inputs_of_thread));
    const Register first = b.multiply_add(tile, given("all_columns"), first_input());
    std::vector<Register> at{b.advance(b.advance(given("columns"), first, column_bytes), lane_, 4)};
    while (at.size() < shape_.inputs_of_thread) at.push_back(b.advance(at.back(), given("all_columns"), column_bytes));
    for_each(0u, inputs(), [&](Register plane) {
      std::vector<Register> values;
      for (const Register tile_at : at) values.push_back(b.load_f32(b.advance(tile_at, plane, column_bytes), 0, true));
      before_.store(b, plane, sources(values));
      if (has_state()) after_.store(b, plane, sources(values));
    });
  }

  /// Rows [begin, end) of the member.
  void run_rows(Source begin, Source end) {
    const bool has_decay = shape_.kinds.has_decay;
    const RowTables tables{given("quads"), given("functions")};
    if (!is_whole_) return for_each(begin, end, [&](Register number) { write_row(b, shape_.kinds, tables, place_of(number), before_); });
    const Register first = is_split() ? b.add(begin, warp_) : b.variable(begin);
    const RowPlace place = place_of(first);
    b.count(first, end, shape_.warps, [&](Register) {
      write_row(b, shape_.kinds, tables, place, before_);
      b.advance_into(place.record, place.record, shape_.warps, row_record_bytes);
      if (shape_.kinds.reads_extra()) b.advance_into(place.extra, place.extra, shape_.warps, row_record_bytes);
      after_.move(b, place.target, shape_.warps);
      if (has_decay) before_.move(b, place.old, shape_.warps);
    });
  }

  RowPlace place_of(Register number) {
    const Register record = b.add(first_row(), number), plane = b.add(inputs(), number);
    RowPlace place{b.advance(given("records"), record, row_record_bytes), {}, after_.place(b, plane), {}};
    if (shape_.kinds.reads_extra()) place.extra = b.advance(given("extras"), record, row_record_bytes);
    if (shape_.kinds.has_decay) place.old = before_.place(b, plane);
    return place;
  }

  void run_levels() {
    b.note("rows");
    if (!is_split()) return run_rows(0u, rows());  // they stand in the order of their levels
    const Register level_at = b.advance(given("levels"), first_level(), 4);
    const Register begin = b.variable(0u);
    b.count(0u, levels(), 1, [&](Register) {
      const Register end = b.load_u32(level_at, 4, true);
      run_rows(begin, end);
      b.barrier();
      b.set(begin, end);
      b.advance_into(level_at, level_at, 1u, 4);
    });
  }

  void update_rows() {
    b.note("rows, all from the values before");
    b.count(0u, updates(), 1, [&](Register) {
      run_rows(0u, rows());
      meet();
      const Register other = b.variable(before_.at);
      b.set(before_.at, after_.at);
      b.set(after_.at, other);
    });
  }

  void store_outputs(Register step) {
    b.note("outputs");
    const Register count = given("inputs");
    const Register first = b.multiply_add(block_of_tiles_, shape_.plane_inputs(), lane_);
    // Of the member's results: [step][input][output]; those before it have as many for each of their outputs.
    const Register before = b.multiply(first_output(), b.multiply(given("steps"), count));
    const Register at = b.multiply_add(b.multiply_add(step, count, first), outputs(), before);
    for_each(0u, outputs(), [&](Register output) {
      const Register plane = b.load_u32(b.advance(given("outputs"), b.add(first_output(), output), 4), 0, true);
      const auto values = before_.load(b, plane);
      const Register to = b.advance(b.advance(given("results"), at, 4), output, 4);
      for (unsigned k = 0; k < values.size(); ++k)
        b.when(b.compare(Comparison::less, b.add(first, 32 * k), count), [&] { b.store_f32(b.advance(to, outputs(), 32 * 4 * k), 0, values[k]); });
    });
  }

  const GraphShape& shape_;
  const bool is_whole_;
  ThreadBuilder b;
  std::map<std::string, Register, std::less<>> given_;
  std::vector<Register> member_;
  Register lane_{}, warp_{}, block_{}, block_of_tiles_{}, nodes_{};
  GraphState before_, after_;
};

}  // namespace

std::string name_of(const GraphShape& shape, GraphPart part) {
  static constexpr const char* parts[] = {"whole", "begin_state", "inputs", "rows", "outputs", "end_state"};
  static constexpr const char* updates[] = {"forward", "stepwise", "continuous"};
  return fmt::format("graph_{}_{}_i{}_w{}_{}{}", parts[static_cast<std::size_t>(part)], updates[static_cast<std::size_t>(shape.update)], shape.inputs_of_thread, shape.warps,
                     shape.is_in_shared ? "shared" : "global", shape.planes);
}

ThreadProgram neuron_graph(const GraphShape& shape, GraphPart part) { return GraphWriter(shape, part).write(part); }

ThreadProgram rows_to_columns() {
  ThreadBuilder b("rows_to_columns", "rows of a batch to columns of tiles");
  const Register rows = b.address_parameter("rows", true, false), columns = b.address_parameter("columns", false, true);
  const Register inputs = b.u32_parameter("inputs"), tiles = b.u32_parameter("tiles"), width = b.u32_parameter("width"), first = b.u32_parameter("first");
  const Register all_columns = b.u32_parameter("all_columns"), first_step = b.u32_parameter("first_step");
  const Register thread = b.special(Special::thread), step = b.add(first_step, b.special(Special::block_y));
  const Register input = b.multiply_add(b.special(Special::block_x), 128u, thread);
  const Register tile = b.shift_right(input, 5u), lane = b.bit_and(thread, 31u);
  const Register is_there = b.compare(Comparison::less, input, inputs);
  const Register from = b.advance(rows, b.multiply(b.multiply_add(step, inputs, input), width), 4);
  const Register to = b.advance(b.advance(columns, b.multiply_add(b.multiply_add(step, tiles, tile), all_columns, first), 32 * 4), lane, 4);
  b.when(b.compare(Comparison::less, tile, tiles), [&] {
    b.count(0u, width, 1, [&](Register column) {
      const Register value = b.variable(0.0f);
      b.when(is_there, [&] { b.load(GpuSpace::global, Element::f32, {value}, b.advance(from, column, 4), 0, true); });
      b.store_f32(b.advance(to, column, 32 * 4), 0, value);
    });
  });
  return b.finish(128);
}

}  // namespace lacuna::kernel
