#include "support/random_thread_program.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "kernel/thread_builder.hpp"

namespace lacuna::tests {
namespace {

using namespace kernel;

// A thread's place in memory. In: 4 u32, 4 f32, 8 f16, 8 bf16. Out: 8 f32, 8 u32, then whatever is narrow.
constexpr std::uint32_t in_bytes = 64, out_bytes = 128, slot_bytes = 32, counter_words = 8;

class Generator {
 public:
  Generator(unsigned seed, std::uint32_t shared_bytes) : random_(seed), b_("random_" + std::to_string(seed), "statements by chance"), least_shared_(shared_bytes) {}

  RandomThreadProgram make() {
    RandomThreadProgram made;
    const std::uint32_t threads = std::vector<std::uint32_t>{1, 31, 32, 64, 96}[pick(5)];
    threads_ = threads;
    made.blocks_x = 1 + pick(3);
    made.blocks_y = 1 + pick(2);
    begin();
    for (unsigned part = 0; part < 3; ++part) {
      statements(10 + pick(10), 0);
      exchange();
      if (pick(2) == 0) count_together();
    }
    end();
    made.program = b_.finish(threads);
    const std::uint32_t all = threads * made.blocks_x * made.blocks_y;
    made.in = input(all);
    made.out.resize(all * out_bytes);
    made.counters.resize((counter_words + all) * 4);
    made.number = pick(1000);
    made.factor = 0.37f;
    return made;
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_()) % below; }
  Register integer() { return integers_[pick(static_cast<std::uint32_t>(integers_.size()))]; }
  Register number() { return numbers_[pick(static_cast<std::uint32_t>(numbers_.size()))]; }
  Register flag() { return flags_[pick(static_cast<std::uint32_t>(flags_.size()))]; }
  Source integer_source() { return pick(4) == 0 ? Source(pick(2) == 0 ? pick(100) : static_cast<std::uint32_t>(random_())) : Source(integer()); }
  Source number_source() { return pick(4) == 0 ? Source(static_cast<float>(pick(64)) / 8 - 4) : Source(number()); }

  /// Never a NaN, never a negative zero.
  Register tame(Source value) { return b_.add(b_.minimum(b_.maximum(value, -60000.0f), 60000.0f), 0.0f); }

  std::vector<std::byte> input(std::uint32_t threads) {
    std::vector<std::byte> bytes(threads * in_bytes);
    for (std::uint32_t at = 0; at < bytes.size(); at += 4) {
      std::uint32_t word = static_cast<std::uint32_t>(random_());
      if (at % in_bytes >= 16) word = std::bit_cast<std::uint32_t>(static_cast<float>(word % 4096) / 256 - 8);
      if (at % in_bytes >= 32) word = static_cast<std::uint32_t>(random_()) & 0xBFFFBFFFu;  // halves of both kinds below 2
      std::memcpy(bytes.data() + at, &word, 4);
    }
    return bytes;
  }

  void begin() {
    const Register in = b_.address_parameter("in", true, false), out = b_.address_parameter("out", false, true);
    counters_ = b_.address_parameter("counters");
    integers_.push_back(b_.u32_parameter("number"));
    numbers_.push_back(b_.f32_parameter("factor"));
    exchange_ = b_.shared(threads_ * slot_bytes);
    counted_ = b_.shared(4 * counter_words);
    if (least_shared_ > 0) b_.shared(least_shared_);
    thread_ = b_.special(Special::thread);
    const Register block = b_.multiply_add(b_.special(Special::block_y), b_.special(Special::blocks_x), b_.special(Special::block_x));
    index_ = b_.multiply_add(block, b_.special(Special::block_threads), thread_);
    in_ = b_.advance(in, index_, in_bytes);
    out_ = b_.advance(out, index_, out_bytes);
    load(GpuSpace::global, Element::u32, in_, 0, 4, pick(2) == 0);
    load(GpuSpace::global, Element::f32, in_, 16, 4, pick(2) == 0);
    load(GpuSpace::global, Element::f16, b_.advance(in_, 8u, 4), 0, 1u << pick(3), false);
    load(GpuSpace::global, Element::bf16, b_.advance(b_.advance(in_, 2u, 16), 1u, 16), 0, 1u << pick(3), true);
    load(GpuSpace::global, Element::u8, in_, 4, 1u << pick(3), false);
    load(GpuSpace::global, Element::u16, in_, 8, 1u << pick(3), false);
    flags_.push_back(b_.compare(Comparison::less, thread_, threads_ / 2));
  }

  void load(GpuSpace space, Element element, Source at, std::uint32_t offset, std::uint32_t count, bool is_constant) {
    auto& pool = element >= Element::f16 ? numbers_ : integers_;
    std::vector<Register> targets;
    for (std::uint32_t i = 0; i < count; ++i) targets.push_back(b_.variable(element >= Element::f16 ? Type::f32 : Type::u32));
    b_.load(space, element, targets, at, offset, is_constant);
    pool.insert(pool.end(), targets.begin(), targets.end());
  }

  void statements(std::uint32_t count, unsigned depth) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t kind = pick(20);
      if (kind < 7) compute_integer();
      else if (kind < 13) compute_number();
      else if (kind < 16) compute_flag();
      else if (kind < 18 && depth < 3) branch(depth);
      else if (kind < 19 && depth < 2) loop(depth);
      else b_.note("nothing happens here");
    }
  }

  /// A new register, or one that is there; registers made in a branch are forgotten after it.
  void keep(std::vector<Register>& pool, Arithmetic operation, std::initializer_list<Source> sources) {
    if (pick(2) == 0) return b_.compute_into(pool[pick(static_cast<std::uint32_t>(pool.size()))], operation, sources);
    pool.push_back(b_.compute(operation, sources));
  }

  void compute_integer() {
    const Source a = integer_source(), b = integer_source();
    switch (pick(16)) {
      case 0: return keep(integers_, Arithmetic::add, {a, b});
      case 1: return keep(integers_, Arithmetic::subtract, {a, b});
      case 2: return keep(integers_, Arithmetic::multiply, {a, b});
      case 3: return keep(integers_, Arithmetic::multiply_add, {a, b, integer_source()});
      case 4: return keep(integers_, Arithmetic::divide, {a, b_.compute(Arithmetic::bit_or, {b, 1u})});
      case 5: return keep(integers_, Arithmetic::remainder, {a, b_.compute(Arithmetic::bit_or, {b, 3u})});
      case 6: return keep(integers_, Arithmetic::minimum, {a, b});
      case 7: return keep(integers_, Arithmetic::maximum, {a, b});
      case 8: return keep(integers_, pick(2) == 0 ? Arithmetic::bit_and : Arithmetic::bit_or, {a, b});
      case 9: return keep(integers_, Arithmetic::bit_xor, {a, b});
      case 10: return keep(integers_, Arithmetic::bit_not, {a});
      case 11: return keep(integers_, Arithmetic::shift_left, {a, pick(2) == 0 ? Source(pick(32)) : Source(b_.bit_and(b, 31u))});
      case 12: return keep(integers_, Arithmetic::shift_right, {a, pick(2) == 0 ? Source(pick(32)) : Source(b_.bit_and(b, 31u))});
      case 13: return keep(integers_, pick(2) == 0 ? Arithmetic::population : Arithmetic::copy, {a});
      case 14: return keep(integers_, pick(2) == 0 ? Arithmetic::as_integer : Arithmetic::to_integer, {tame(number_source())});
      default: return keep(integers_, Arithmetic::select, {flag(), a, b});
    }
  }

  void compute_number() {
    const Source a = number_source(), b = number_source();
    switch (pick(14)) {
      case 0: return keep(numbers_, Arithmetic::add, {a, b});
      case 1: return keep(numbers_, Arithmetic::subtract, {a, b});
      case 2: return keep(numbers_, Arithmetic::multiply, {a, b});
      case 3:
      case 4: return keep(numbers_, Arithmetic::multiply_add, {a, b, number_source()});
      case 5: return keep(numbers_, Arithmetic::divide, {a, b});
      case 6: return keep(numbers_, Arithmetic::minimum, {b_.add(a, 0.0f), b_.add(b, 0.0f)});  // which zero is smaller is not said
      case 7: return keep(numbers_, Arithmetic::maximum, {b_.add(a, 0.0f), b_.add(b, 0.0f)});
      case 8: return keep(numbers_, pick(2) == 0 ? Arithmetic::negate : Arithmetic::absolute, {a});
      case 9: return keep(numbers_, pick(2) == 0 ? Arithmetic::floor : Arithmetic::copy, {a});
      case 10: return keep(numbers_, Arithmetic::square_root, {a});
      case 11: return keep(numbers_, Arithmetic::to_float, {integer_source()});
      case 12: return keep(numbers_, Arithmetic::as_float, {b_.bit_and(integer_source(), 0xBFFFFFFFu)});  // below 2, no NaN
      default: return keep(numbers_, Arithmetic::select, {flag(), a, b});
    }
  }

  void compute_flag() {
    const auto comparison = static_cast<Comparison>(pick(6));
    switch (pick(4)) {
      case 0: return flags_.push_back(b_.compare(comparison, integer_source(), integer()));
      case 1: return flags_.push_back(b_.compare(comparison, number_source(), number()));
      case 2: return keep(flags_, static_cast<Arithmetic>(static_cast<unsigned>(Arithmetic::bit_and) + pick(3)), {flag(), flag()});
      default: return keep(flags_, pick(2) == 0 ? Arithmetic::bit_not : Arithmetic::copy, {flag()});
    }
  }

  template <typename Do>
  void scope(Do&& act) {
    const std::size_t integers = integers_.size(), numbers = numbers_.size(), flags = flags_.size();
    act();
    integers_.resize(integers, {}), numbers_.resize(numbers, {}), flags_.resize(flags, {});
  }

  void branch(unsigned depth) {
    const bool has_both = pick(2) == 0;
    if (const Register own = flag(); pick(4) == 0) {
      b_.when(own, [&] {
        b_.compute_into(own, Arithmetic::bit_not, {own});
        b_.compute_into(integer(), Arithmetic::add, {integer_source(), 1u});
      });
    }
    b_.when(flag(), [&] { scope([&] { statements(1 + pick(4), depth + 1); }); },
            has_both ? std::function<void()>([&] { scope([&] { statements(1 + pick(3), depth + 1); }); }) : std::function<void()>());
  }

  /// A few rounds, not as many for every thread; some leave in the middle.
  void loop(unsigned depth) {
    const Register rounds = b_.variable(Source(0u));
    const Register most = b_.add(b_.bit_and(integer_source(), 3u), 1u);
    const Register first = b_.variable(Type::address), last = b_.variable(Type::address);
    b_.loop([&] {
      scope([&] {
        // Addresses a constant apart of one that every round makes anew: of the first round, and of the last.
        const Register base = b_.advance(in_, rounds, 4);
        b_.when(b_.compare(Comparison::equal, rounds, 0u), [&] { b_.advance_into(first, base, 1u, 4); });
        b_.advance_into(last, base, 2u, 4);
        load(GpuSpace::global, Element::u32, first, 0, 1, false);
        statements(1 + pick(4), depth + 1);
        if (pick(2) == 0) b_.break_if(flag(), pick(2) == 0);
        statements(1 + pick(2), depth + 1);
        b_.compute_into(rounds, Arithmetic::add, {rounds, 1u});
        const bool turned = pick(2) == 0;
        b_.break_if(b_.compare(turned ? Comparison::less : Comparison::greater_equal, rounds, most), !turned);
        if (pick(2) == 0) statements(1, depth + 1);
      });
    });
    load(GpuSpace::global, Element::u32, last, 4, 1, false);
  }

  /// A place in shared memory, made in one of the ways that templates have.
  Register place_of(Register slot) {
    switch (pick(8)) {
      case 5: return b_.bit_and(b_.multiply(slot, slot_bytes), 0xFFFFu);
      case 6: return b_.multiply_add(slot, slot_bytes, b_.subtract(slot, slot));
      case 0: return b_.multiply(slot, slot_bytes);
      case 1: return b_.shift_left(slot, 5u);
      case 2: return b_.multiply_add(slot, slot_bytes, 0u);
      case 3: return b_.add(b_.multiply(slot, slot_bytes), 0u);
      case 4: return b_.variable(Source(b_.multiply(slot_bytes, slot)));
      default: {
        const Register place = b_.subtract(b_.add(b_.shift_left(slot, 5u), 64u), 64u);
        if (pick(2) == 0) integers_.push_back(place);  // and a number as others
        return place;
      }
    }
  }

  /// Every thread writes its slot and reads another one's.
  void exchange() {
    b_.barrier();
    const Register mine = place_of(thread_);
    const auto element = static_cast<Element>(pick(6));
    const std::uint32_t count = 1u << pick(3);
    std::vector<Source> values;
    for (std::uint32_t i = 0; i < count; ++i) values.push_back(element >= Element::f16 ? Source(tame(number_source())) : integer_source());
    b_.store(GpuSpace::shared, element, mine, exchange_ + 16, values);
    b_.store(GpuSpace::shared, Element::u32, mine, exchange_, {integer()});
    b_.barrier();
    const Register other = b_.compute(Arithmetic::remainder, {b_.add(thread_, 1 + pick(40)), threads_});
    load(GpuSpace::shared, element, place_of(other), exchange_ + 16, count, false);
    b_.barrier();
    // One's own slot again: only this thread is there.
    integers_.push_back(b_.atomic(Atomic::exchange_if_equal, GpuSpace::shared, mine, exchange_, integer_source(), integer_source()));
    integers_.push_back(b_.atomic(static_cast<Atomic>(pick(3)), GpuSpace::shared, mine, exchange_, integer_source()));
    load(GpuSpace::shared, Element::u32, mine, exchange_, 1, false);
  }

  /// All threads of a block update one word, of shared and of global memory; what stood there in between is nobody's business.
  void count_together() {
    const std::uint32_t word = counted_ + 4 * pick(counter_words);
    const auto operation = static_cast<Atomic>(pick(3));
    b_.barrier();
    b_.when(b_.compare(Comparison::equal, thread_, 0u), [&] { b_.store(GpuSpace::shared, Element::u32, word, 0, {7u}); });
    b_.barrier();
    b_.atomic(operation, GpuSpace::shared, word, 0, integer_source());
    b_.barrier();
    load(GpuSpace::shared, Element::u32, 0u, word, 1, false);
    // A word of global memory sees one kind of update only: those of one kind do not mind their order.
    b_.when(flag(), [&] { b_.atomic(operation, GpuSpace::global, counters_, 4 * static_cast<std::uint32_t>(operation), integer_source()); });
    const Register own = b_.advance(counters_, index_, 4);
    integers_.push_back(b_.atomic(Atomic::exchange_if_equal, GpuSpace::global, own, 4 * counter_words, 0u, integer_source()));
  }

  void end() {
    const auto numbers = [&](std::uint32_t count) {
      std::vector<Source> some;
      for (std::uint32_t i = 0; i < count; ++i) some.push_back(number_source());
      return some;
    };
    const auto integers = [&](std::uint32_t count) {
      std::vector<Source> some;
      for (std::uint32_t i = 0; i < count; ++i) some.push_back(integer_source());
      return some;
    };
    b_.store(GpuSpace::global, Element::f32, out_, 0, numbers(4));
    b_.store(GpuSpace::global, Element::u32, out_, 32, integers(4));
    b_.return_if(flag(), pick(2) == 0);
    b_.store(GpuSpace::global, Element::f32, b_.advance(out_, 4u, 4), 0, numbers(2));
    b_.store(GpuSpace::global, Element::u32, out_, 48, integers(2));
    b_.when(flag(), [&] { b_.store(GpuSpace::global, Element::f32, out_, 24, numbers(1)); });
    b_.store(GpuSpace::global, Element::u8, out_, 64, integers(1u << pick(3)));
    b_.store(GpuSpace::global, Element::u16, out_, 72, integers(1u << pick(3)));
    for (const Element element : {Element::f16, Element::bf16}) {
      std::vector<Source> some;
      for (const Source& value : numbers(1u << pick(3))) some.push_back(tame(value));
      b_.store(GpuSpace::global, element, out_, element == Element::f16 ? 80 : 88, some);
    }
  }

  std::mt19937 random_;
  ThreadBuilder b_;
  const std::uint32_t least_shared_;
  std::uint32_t threads_ = 0, exchange_ = 0, counted_ = 0;
  Register thread_, index_, in_, out_, counters_;
  std::vector<Register> integers_, numbers_, flags_;
};

}  // namespace

RandomThreadProgram random_thread_program(unsigned seed, std::uint32_t shared_bytes) { return Generator(seed, shared_bytes).make(); }

std::size_t different_words(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t at = 0; at + 4 <= a.size() && at + 4 <= b.size(); at += 4) {
    std::uint32_t x = 0, y = 0;
    std::memcpy(&x, a.data() + at, 4);
    std::memcpy(&y, b.data() + at, 4);
    const bool are_nan = at % out_bytes < 32 && std::isnan(std::bit_cast<float>(x)) && std::isnan(std::bit_cast<float>(y));
    if (x != y && !are_nan) ++count;
  }
  return count;
}

}  // namespace lacuna::tests
