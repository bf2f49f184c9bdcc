#include "support/thread_interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "kernel/thread_statements.hpp"

namespace lacuna::tests {
namespace {

using namespace kernel;

using Mask = std::vector<char>;  ///< of the threads of a block

struct Value {
  bool is_set = false;
  std::uint32_t bits = 0;     ///< address: which argument it began with
  std::uint64_t offset = 0;   ///< address: in bytes
};

class Block {
 public:
  Block(const ThreadProgram& program, std::uint32_t x, std::uint32_t y, std::uint32_t blocks_x, const std::vector<ThreadArgument>& arguments)
      : program_(program), x_(x), y_(y), blocks_x_(blocks_x), arguments_(arguments), shared_(program.shared_bytes), registers_(program.registers * program.block_threads) {
    for (std::uint32_t i = 0; i < program.parameters.size(); ++i)
      for (std::uint32_t thread = 0; thread < program.block_threads; ++thread) set(thread, program.parameters[i].reg, begin_value(i));
  }

  void run() {
    alive_.assign(program_.block_threads, 1);
    run(program_.body, alive_);
  }

 private:
  Value begin_value(std::uint32_t i) const {
    if (const auto* number = std::get_if<std::uint32_t>(&arguments_[i])) return {true, *number};
    if (const auto* number = std::get_if<float>(&arguments_[i])) return {true, std::bit_cast<std::uint32_t>(*number)};
    return {true, i, 0};
  }

  void set(std::uint32_t thread, Register reg, Value value) {
    value.is_set = true;
    registers_[reg.number * program_.block_threads + thread] = value;
  }
  const Value& get(std::uint32_t thread, Register reg) const {
    const Value& value = registers_[reg.number * program_.block_threads + thread];
    if (!value.is_set) throw std::runtime_error(fmt::format("thread {} reads {}, which holds nothing", thread, name_of(reg)));
    return value;
  }
  std::uint32_t bits(std::uint32_t thread, const Source& source) const { return source.is_constant ? source.bits : get(thread, source.reg).bits; }

  template <typename Do>
  void for_threads(const Mask& mask, Do&& act) const {
    for (std::uint32_t thread = 0; thread < mask.size(); ++thread)
      if (mask[thread]) act(thread);
  }

  /// Threads that come out at the end of the body: not those that broke or returned.
  Mask run(const Body& body, Mask mask) {
    for (const Statement& statement : body) {
      if (std::none_of(mask.begin(), mask.end(), [](char is_on) { return is_on; })) break;
      try {
        std::visit([&](const auto& what) { step(what, mask); }, statement.what);
      } catch (const std::runtime_error& error) {
        if (is_told_) throw;
        is_told_ = true;
        throw std::runtime_error(fmt::format("{}: {}: {}", program_.name, describe(statement), error.what()));
      }
    }
    return mask;
  }

  void step(const Compute& s, Mask& mask) {
    const Type type = s.operation == Arithmetic::select ? s.sources[1].type : s.sources[0].type;
    for_threads(mask, [&](std::uint32_t thread) {
      if (type == Type::address) return set(thread, s.target, get(thread, s.sources[0].reg));
      std::vector<std::uint32_t> sources;
      for (const Source& source : s.sources) sources.push_back(bits(thread, source));
      set(thread, s.target, {true, evaluate(s.operation, type, sources)});
    });
  }

  void step(const Compare& s, Mask& mask) {
    const auto compare = [&](auto a, auto b) {
      switch (s.comparison) {
        case Comparison::equal: return a == b;
        case Comparison::not_equal: return a != b;
        case Comparison::less: return a < b;
        case Comparison::less_equal: return a <= b;
        case Comparison::greater: return a > b;
        case Comparison::greater_equal: return a >= b;
      }
      throw std::runtime_error("a comparison of no known kind");
    };
    for_threads(mask, [&](std::uint32_t thread) {
      const std::uint32_t a = bits(thread, s.a), b = bits(thread, s.b);
      const bool flag = s.a.type == Type::f32 ? compare(std::bit_cast<float>(a), std::bit_cast<float>(b)) : compare(a, b);
      set(thread, s.target, {true, flag});
    });
  }

  void step(const ReadSpecial& s, Mask& mask) {
    for_threads(mask, [&](std::uint32_t thread) {
      const std::uint32_t values[] = {thread, x_, y_, blocks_x_, program_.block_threads};
      set(thread, s.target, {true, values[static_cast<std::size_t>(s.special)]});
    });
  }

  void step(const Advance& s, Mask& mask) {
    for_threads(mask, [&](std::uint32_t thread) {
      Value address = get(thread, s.base);
      address.offset += std::uint64_t{bits(thread, s.index)} * s.scale;
      set(thread, s.target, address);
    });
  }

  std::byte* at(std::uint32_t thread, GpuSpace space, const Source& place, std::uint32_t offset, std::size_t bytes) {
    std::span<std::byte> memory(shared_);
    std::uint64_t from = offset;
    if (space == GpuSpace::global) {
      const Value& address = get(thread, place.reg);
      memory = std::get<std::span<std::byte>>(arguments_[address.bits]);
      from += address.offset;
    } else {
      from += bits(thread, place);
    }
    if (from > memory.size() || memory.size() - from < bytes)
      throw std::runtime_error(fmt::format("thread {} reaches bytes {} to {} of {}", thread, from, from + bytes, memory.size()));
    if (from % bytes != 0) throw std::runtime_error(fmt::format("thread {} reaches byte {}, which is not aligned to {}", thread, from, bytes));
    return memory.data() + from;
  }

  void step(const Load& s, Mask& mask) {
    const std::size_t size = bytes_of(s.element), count = s.targets.size();
    for_threads(mask, [&](std::uint32_t thread) {
      const std::byte* from = at(thread, s.space, s.at, s.offset, size * count);
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t element = 0;
        std::memcpy(&element, from + i * size, size);
        set(thread, s.targets[i], {true, widen(s.element, element)});
      }
    });
  }

  void step(const Store& s, Mask& mask) {
    const std::size_t size = bytes_of(s.element), count = s.sources.size();
    for_threads(mask, [&](std::uint32_t thread) {
      std::byte* to = at(thread, s.space, s.at, s.offset, size * count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t element = narrow(s.element, bits(thread, s.sources[i]));
        std::memcpy(to + i * size, &element, size);
      }
    });
  }

  void step(const AtomicUpdate& s, Mask& mask) {
    for_threads(mask, [&](std::uint32_t thread) {
      std::byte* where = at(thread, s.space, s.at, s.offset, 4);
      std::uint32_t old = 0;
      std::memcpy(&old, where, 4);
      const std::uint32_t a = bits(thread, s.a);
      std::uint32_t value = old;
      switch (s.operation) {
        case Atomic::add: value = old + a; break;
        case Atomic::bit_or: value = old | a; break;
        case Atomic::maximum: value = std::max(old, a); break;
        case Atomic::exchange_if_equal: value = old == a ? bits(thread, s.b) : old; break;
      }
      std::memcpy(where, &value, 4);
      set(thread, s.old, {true, old});
    });
  }

  void step(const Barrier&, Mask& mask) const {
    if (mask != alive_) throw std::runtime_error("some threads of the block do not reach the barrier");
  }
  void step(const Note&, Mask&) const {}

  void step(const BreakIf& s, Mask& mask) {
    for_threads(mask, [&](std::uint32_t thread) {
      if ((get(thread, s.flag).bits != 0) != s.when) return;
      mask[thread] = 0;
      broken_.back()[thread] = 1;
    });
  }
  void step(const ReturnIf& s, Mask& mask) {
    for_threads(mask, [&](std::uint32_t thread) {
      if ((get(thread, s.flag).bits != 0) == s.when) mask[thread] = alive_[thread] = 0;
    });
  }

  void step(const If& s, Mask& mask) {
    Mask then = mask, otherwise = mask;
    for_threads(mask, [&](std::uint32_t thread) { (get(thread, s.flag).bits != 0 ? otherwise : then)[thread] = 0; });
    then = run(s.then, std::move(then));
    otherwise = run(s.otherwise, std::move(otherwise));
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = then[i] | otherwise[i];
  }

  void step(const Loop& s, Mask& mask) {
    broken_.emplace_back(mask.size(), 0);
    while (std::any_of(mask.begin(), mask.end(), [](char is_on) { return is_on; })) mask = run(s.body, std::move(mask));
    mask = std::move(broken_.back());
    broken_.pop_back();
  }

  const ThreadProgram& program_;
  const std::uint32_t x_, y_, blocks_x_;
  const std::vector<ThreadArgument>& arguments_;
  std::vector<std::byte> shared_;
  std::vector<Value> registers_;
  Mask alive_;
  std::vector<Mask> broken_;  ///< of each loop that runs, innermost last
  bool is_told_ = false;
};

}  // namespace

void interpret(const ThreadProgram& program, std::uint32_t blocks_x, std::uint32_t blocks_y, const std::vector<ThreadArgument>& arguments) {
  if (arguments.size() != program.parameters.size())
    throw std::runtime_error(fmt::format("{} arguments for {} parameters of {}", arguments.size(), program.parameters.size(), program.name));
  for (std::uint32_t y = 0; y < blocks_y; ++y)
    for (std::uint32_t x = 0; x < blocks_x; ++x) Block(program, x, y, blocks_x, arguments).run();
}

}  // namespace lacuna::tests
