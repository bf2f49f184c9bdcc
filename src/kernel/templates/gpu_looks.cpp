#include "kernel/templates/gpu_looks.hpp"

#include <functional>

#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {
namespace {

/// Where the live planes are listed.
struct RangeParameters {
  Register table, at, count;
  explicit RangeParameters(ThreadBuilder& b) : table(b.address_parameter("table", true, false)), at(b.u32_parameter("ranges_at")), count(b.u32_parameter("ranges")) {}
};

/// body(byte offset of a plane) for planes first, first + step, ... of every range. `body` may break out of the range's loop.
void for_each_plane(ThreadBuilder& b, const TileLayout& tiles, const RangeParameters& ranges, Source first, std::uint32_t step, const std::function<void(Register)>& body) {
  const Register entry = b.advance(ranges.table, ranges.at, 16);
  b.count(0u, ranges.count, 1, [&](Register) {
    const Register begin = b.variable(Type::u32), planes = b.variable(Type::u32);
    b.load(GpuSpace::global, Element::u32, {begin, planes}, entry, 0, true);
    const Register offset = b.multiply_add(first, tiles.plane_bytes(), begin);
    const Register end = b.multiply_add(planes, tiles.plane_bytes(), begin);
    b.loop([&] {
      b.break_if(b.compare(Comparison::greater_equal, offset, end));
      body(offset);
      b.compute_into(offset, Arithmetic::add, {offset, step * tiles.plane_bytes()});
    });
    b.advance_into(entry, entry, 1u, 8);
  });
}

/// Blocks whose lanes are not in use leave.
void leave_unused_lanes(ThreadBuilder& b, Register block, Register lanes) { b.return_if(b.compare(Comparison::greater_equal, b.multiply(block, look_lanes), lanes)); }

/// The thread's lane, in the half in use.
struct Lane {
  Register block, lanes, number, address;
  Lane(ThreadBuilder& b, const TileParameters& at, const TileLayout& tiles)
      : block(b.special(Special::block_y)), lanes(control_word(b, at, control_lanes)), number(b.multiply_add(block, look_lanes, b.special(Special::thread))) {
    leave_unused_lanes(b, block, lanes);
    address = input_address(b, at, control_word(b, at, control_half), number, tiles);
  }
};

Register value_at(ThreadBuilder& b, const TileLayout& tiles, Register lane, Register offset) {
  const Register value = b.variable(Type::f32);
  b.load(GpuSpace::global, tiles.value, {value}, b.advance(lane, offset, 1));
  return value;
}
Register bits_at(ThreadBuilder& b, const TileLayout& tiles, Register lane, Register offset) {
  const Register bits = b.variable(Type::u32);
  b.load(GpuSpace::global, tiles.bits(), {bits}, b.advance(lane, offset, 1));
  return bits;
}

/// sum = the sum over this thread and all before it in the block. `sums`: shared memory, a word for each thread.
void add_up(ThreadBuilder& b, Register sum, Register thread, std::uint32_t threads, std::uint32_t sums) {
  const Register place = b.shift_left(thread, 2u);
  for (std::uint32_t step = 1; step < threads; step *= 2) {  // each thread's sum goes on to the thread `step` further
    b.store(GpuSpace::shared, Element::u32, place, sums, {sum});
    b.barrier();
    b.when(b.compare(Comparison::greater_equal, thread, step), [&] {
      const Register before = b.variable(Type::u32);
      b.load(GpuSpace::shared, Element::u32, {before}, b.subtract(place, step * 4), sums);
      b.compute_into(sum, Arithmetic::add, {sum, before});
    });
    b.barrier();
  }
}

}  // namespace

ThreadProgram build_mark(const TileLayout& tiles) {
  ThreadBuilder b("mark", "which inputs have a value other than zero");
  const TileParameters at(b);
  const RangeParameters ranges(b);
  const Register flags = b.address_parameter("flags", false, true);
  const Lane lane(b, at, tiles);
  const Register found = b.variable(0u);
  for_each_plane(b, tiles, ranges, 0u, 1, [&](Register offset) {
    const Register any = b.compare(Comparison::not_equal, value_at(b, tiles, lane.address, offset), 0.0f);
    b.set(found, b.select(any, 1u, found));
    b.break_if(any);
  });
  const Register in_use = b.compare(Comparison::less, lane.number, lane.lanes);
  b.store_u32(b.advance(flags, lane.number, 4), 0, b.select(in_use, found, 0u));
  return b.finish(look_lanes, 32);
}

ThreadProgram build_mark_all() {
  ThreadBuilder b("mark_all", "every input stays");
  const TileParameters at(b);
  const Register flags = b.address_parameter("flags", false, true);
  const Register block = b.special(Special::block_y);
  const Register lanes = control_word(b, at, control_lanes);
  leave_unused_lanes(b, block, lanes);
  const Register number = b.multiply_add(block, look_lanes, b.special(Special::thread));
  b.store_u32(b.advance(flags, number, 4), 0, b.select(b.compare(Comparison::less, number, lanes), 1u, 0u));
  return b.finish(look_lanes, 32);
}

ThreadProgram build_hash(const TileLayout& tiles) {
  ThreadBuilder b("hash", "the bits of each input, mixed");
  const TileParameters at(b);
  const RangeParameters ranges(b);
  const Register hashes = b.address_parameter("hashes", false, true);
  const Lane lane(b, at, tiles);
  const Register first = b.variable(0x811c9dc5u), second = b.variable(0x9e3779b9u);
  for_each_plane(b, tiles, ranges, 0u, 1, [&](Register offset) {
    const Register bits = bits_at(b, tiles, lane.address, offset);
    b.compute_into(first, Arithmetic::bit_xor, {first, bits});
    b.compute_into(first, Arithmetic::multiply, {first, 0x01000193u});
    b.compute_into(first, Arithmetic::bit_xor, {first, b.shift_right(first, 15u)});
    b.compute_into(second, Arithmetic::multiply_add, {second, 0x85ebca6bu, bits});
    b.compute_into(second, Arithmetic::bit_xor, {second, b.shift_right(second, 13u)});
  });
  b.store(GpuSpace::global, Element::u32, b.advance(hashes, lane.number, 8), 0, {first, second});
  return b.finish(look_lanes, 32);
}

ThreadProgram build_follow(const TileLayout& tiles) {
  ThreadBuilder b("follow", "of inputs with the same bits one goes on for all");
  const TileParameters at(b);
  const RangeParameters ranges(b);
  const Register flags = b.address_parameter("flags");
  const Register hashes = b.address_parameter("hashes", true, false);
  const Register seats = b.address_parameter("seats");
  const Register seat_mask = b.u32_parameter("seat_mask");
  const Register ids = b.address_parameter("ids", true, false);
  const Register half_lanes = b.u32_parameter("lanes");
  const Register leaders = b.address_parameter("leaders", false, true);
  const Lane lane(b, at, tiles);
  const Register half = control_word(b, at, control_half);
  const Register flag = b.advance(flags, lane.number, 4);
  b.return_if(b.compare(Comparison::equal, b.load_u32(flag), 0u));
  const auto id_of = [&](Register number) { return b.load_u32(b.advance(ids, b.multiply_add(half, half_lanes, number), 4)); };
  const Register mine = b.variable(Type::u32), mine_too = b.variable(Type::u32);
  b.load(GpuSpace::global, Element::u32, {mine, mine_too}, b.advance(hashes, lane.number, 8));
  const Register seat = b.variable(b.bit_and(mine, seat_mask));
  b.loop([&] {
    const Register sitting = b.atomic(Atomic::exchange_if_equal, GpuSpace::global, b.advance(seats, seat, 4), 0, 0u, b.add(lane.number, 1u));
    b.break_if(b.compare(Comparison::equal, sitting, 0u));
    const Register other = b.subtract(sitting, 1u);
    const Register theirs = b.variable(Type::u32), theirs_too = b.variable(Type::u32);
    b.load(GpuSpace::global, Element::u32, {theirs, theirs_too}, b.advance(hashes, other, 8));
    const Register differs = b.variable(b.compute(Arithmetic::bit_or, {b.compute(Arithmetic::bit_xor, {mine, theirs}), b.compute(Arithmetic::bit_xor, {mine_too, theirs_too})}));
    b.when(b.compare(Comparison::equal, differs, 0u), [&] {
      const Register address = input_address(b, at, half, other, tiles);
      for_each_plane(b, tiles, ranges, 0u, 1, [&](Register offset) {
        b.compute_into(differs, Arithmetic::bit_or, {differs, b.compute(Arithmetic::bit_xor, {bits_at(b, tiles, lane.address, offset), bits_at(b, tiles, address, offset)})});
        b.break_if(b.compare(Comparison::not_equal, differs, 0u));
      });
    });
    const Register same = b.compare(Comparison::equal, differs, 0u);
    b.when(same, [&] {
      b.store_u32(b.advance(leaders, id_of(lane.number), 4), 0, id_of(other));
      b.store_u32(flag, 0, 0u);
    });
    b.break_if(same);
    b.set(seat, b.bit_and(b.add(seat, 1u), seat_mask));
  });
  return b.finish(look_lanes, 48);
}

ThreadProgram build_rank() {
  ThreadBuilder b("rank", "numbers the inputs of a block that stay");
  const TileParameters at(b);
  const Register flags = b.address_parameter("flags", true, false);
  const Register ranks = b.address_parameter("ranks", false, true);
  const Register counts = b.address_parameter("counts", false, true);
  const std::uint32_t sums = b.shared(look_lanes * 4);
  const Register block = b.special(Special::block_y);
  leave_unused_lanes(b, block, control_word(b, at, control_lanes));
  const Register thread = b.special(Special::thread);
  const Register number = b.multiply_add(block, look_lanes, thread);
  const Register flag = b.load_u32(b.advance(flags, number, 4));
  const Register sum = b.variable(flag);
  add_up(b, sum, thread, look_lanes, sums);
  const Register stays = b.compare(Comparison::not_equal, flag, 0u);
  b.store_u32(b.advance(ranks, number, 4), 0, b.select(stays, b.subtract(sum, 1u), nowhere));
  b.when(b.compare(Comparison::equal, thread, look_lanes - 1), [&] { b.store_u32(b.advance(counts, block, 4), 0, sum); });
  return b.finish(look_lanes, 32);
}

ThreadProgram build_close() {
  ThreadBuilder b("close", "where each block's inputs go, and whether going pays");
  const TileParameters at(b);
  const Register counts = b.address_parameter("counts", true, false);
  const Register bases = b.address_parameter("bases", false, true);
  const Register history = b.address_parameter("history", false, true);
  const Register look = b.u32_parameter("look");
  const std::uint32_t sums = b.shared(close_threads * 4);
  const Register thread = b.special(Special::thread);
  const Register lanes = control_word(b, at, control_lanes);
  const Register used = b.compute(Arithmetic::divide, {b.add(lanes, look_lanes - 1), look_lanes});
  const Register share = b.compute(Arithmetic::divide, {b.add(used, close_threads - 1), close_threads});
  const Register first = b.minimum(b.multiply(thread, share), used);
  const Register end = b.minimum(b.add(first, share), used);
  const Register sum = b.variable(0u);
  b.count(first, end, 1, [&](Register block) { b.compute_into(sum, Arithmetic::add, {sum, b.load_u32(b.advance(counts, block, 4))}); });
  const Register own = b.variable(sum);
  add_up(b, sum, thread, close_threads, sums);
  const Register base = b.variable(b.subtract(sum, own));
  b.count(first, end, 1, [&](Register block) {
    b.store_u32(b.advance(bases, block, 4), 0, base);
    b.compute_into(base, Arithmetic::add, {base, b.load_u32(b.advance(counts, block, 4))});
  });
  b.when(b.compare(Comparison::equal, thread, close_threads - 1), [&] {
    const Register pays = b.compare(Comparison::less_equal, sum, b.subtract(lanes, b.shift_right(b.add(lanes, 7u), 3u)));
    const Register half = control_word(b, at, control_half);
    const auto set_word = [&](Control word, Source value) { b.store_u32(at.control, word * 4, value); };
    set_word(control_moved, b.select(pays, 1u, 0u));
    b.when(pays, [&] {
      set_word(control_old_half, half);
      set_word(control_old_lanes, lanes);
      set_word(control_half, b.subtract(1u, half));
      set_word(control_lanes, sum);
    });
    b.store_u32(b.advance(history, look, 4), 0, b.select(pays, sum, lanes));
  });
  return b.finish(close_threads, 32);
}

ThreadProgram build_move(const TileLayout& tiles) {
  ThreadBuilder b("move", "brings the inputs that stay to the front");
  const TileParameters at(b);
  const RangeParameters ranges(b);
  const Register ranks = b.address_parameter("ranks", true, false);
  const Register bases = b.address_parameter("bases", true, false);
  const Register ids = b.address_parameter("ids");
  const Register half_lanes = b.u32_parameter("lanes");
  b.return_if(b.compare(Comparison::equal, control_word(b, at, control_moved), 0u));
  const Register block = b.special(Special::block_y), part = b.special(Special::block_x);
  leave_unused_lanes(b, block, control_word(b, at, control_old_lanes));
  const Register number = b.multiply_add(block, look_lanes, b.special(Special::thread));
  const Register rank = b.load_u32(b.advance(ranks, number, 4));
  b.return_if(b.compare(Comparison::equal, rank, nowhere));
  const Register old_half = control_word(b, at, control_old_half), half = control_word(b, at, control_half);
  const Register target = b.add(b.load_u32(b.advance(bases, block, 4)), rank);
  const Register from = input_address(b, at, old_half, number, tiles);
  const Register to = input_address(b, at, half, target, tiles);
  for_each_plane(b, tiles, ranges, part, move_blocks, [&](Register offset) {
    const Register bits = bits_at(b, tiles, from, offset);
    b.store(GpuSpace::global, tiles.bits(), b.advance(to, offset, 1), 0, {bits});
  });
  b.when(b.compare(Comparison::equal, part, 0u), [&] {
    const Register id = b.load_u32(b.advance(ids, b.multiply_add(old_half, half_lanes, number), 4));
    b.store_u32(b.advance(ids, b.multiply_add(half, half_lanes, target), 4), 0, id);
  });
  return b.finish(look_lanes, 40);
}

ThreadProgram build_expand_bits(const TileLayout& tiles) {
  ThreadBuilder b("expand_bits", "inputs that are on or off, from bits to planes");
  const TileParameters at(b);
  const Register bits = b.address_parameter("bits", true, false);
  const Register words = b.u32_parameter("words");
  const Register columns = b.u32_parameter("columns");
  const Register offset = b.u32_parameter("offset");
  const Register value = b.f32_parameter("value");
  const Lane lane(b, at, tiles);
  const Register word = b.special(Special::block_x);
  const Register mine = b.variable(0u);
  b.when(b.compare(Comparison::less, lane.number, lane.lanes),
         [&] { b.set(mine, b.load_u32(b.advance(b.advance(bits, b.multiply(lane.number, words), 4), word, 4))); });
  const Register column = b.shift_left(word, 5u);
  const Register end = b.minimum(b.add(column, 32u), columns);
  const Register target = b.advance(lane.address, b.multiply_add(column, tiles.plane_bytes(), offset), 1);
  b.count(column, end, 1, [&](Register) {
    const Register is_on = b.compare(Comparison::not_equal, b.bit_and(mine, 1u), 0u);
    b.store(GpuSpace::global, tiles.value, target, 0, {b.select(is_on, value, 0.0f)});
    b.compute_into(mine, Arithmetic::shift_right, {mine, 1u});
    b.advance_into(target, target, 1u, tiles.plane_bytes());
  });
  return b.finish(look_lanes, 32);
}

}  // namespace lacuna::kernel
