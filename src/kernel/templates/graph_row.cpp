#include "kernel/templates/graph_row.hpp"

#include <algorithm>
#include <functional>

#include <lacuna/neuron_function.hpp>

namespace lacuna::kernel {

bool RowKinds::reads_extra() const {
  const auto is_scaled = [](std::uint32_t aggregation) { return aggregation != 0 && aggregation != row_is_empty; };
  return has_decay || std::any_of(aggregations.begin(), aggregations.end(), is_scaled) ||
         std::any_of(endings.begin(), endings.end(), [](const Ending& ending) { return ending.reads_record(); });
}

Register GraphState::place(ThreadBuilder& b, Source plane) const {
  return space == GpuSpace::shared ? b.multiply_add(plane, plane_bytes, at) : b.advance(at, plane, plane_bytes);
}
void GraphState::move(ThreadBuilder& b, Register place, std::uint32_t planes) const {
  if (space == GpuSpace::shared)
    b.compute_into(place, Arithmetic::add, {place, planes * plane_bytes});
  else
    b.advance_into(place, place, planes, plane_bytes);
}
std::vector<Register> GraphState::load_at(ThreadBuilder& b, Register place) const {
  std::vector<Register> values;
  for (unsigned k = 0; k < inputs; ++k) values.push_back(b.variable(Type::f32));
  b.load(space, Element::f32, values, place);
  return values;
}

namespace {

constexpr auto number_of(Aggregation aggregation) { return static_cast<std::uint32_t>(aggregation); }

/// Calls write(k) in the branch where `value` >> shift is k, for k in [begin, end): half of them, and half of those, ...
void choose(ThreadBuilder& b, Register value, unsigned shift, std::uint32_t begin, std::uint32_t end, const std::function<void(std::uint32_t)>& write) {
  if (end - begin == 1) return write(begin);
  const std::uint32_t middle = (begin + end) / 2;
  b.when(b.compare(Comparison::less, value, middle << shift), [&] { choose(b, value, shift, begin, middle, write); }, [&] { choose(b, value, shift, middle, end, write); });
}

class RowWriter {
 public:
  RowWriter(ThreadBuilder& builder, const RowKinds& kinds, const RowTables& tables, const RowPlace& row, const GraphState& before)
      : b(builder), kinds_(kinds), tables_(tables), row_(row), before_(before) {}

  void write() {
    read_record();
    aggregate();
    finish();
  }

 private:
  void read_record() {
    const std::vector<Register> words{b.variable(Type::u32), b.variable(Type::u32), b.variable(Type::u32), b.variable(Type::u32)};
    b.load(GpuSpace::global, Element::u32, words, row_.record, 0, true);
    quads_ = b.advance(tables_.quads, words[0], quad_bytes);
    more_ = words[1];
    kind_ = words[2];
    bias_ = b.compute(Arithmetic::as_float, {words[3]});
    if (!kinds_.reads_extra()) return;
    scale_ = b.load_f32(row_.extra, 0, true);
    if (kinds_.has_decay) decay_ = b.load_f32(row_.extra, 4, true);
    if (std::any_of(kinds_.endings.begin(), kinds_.endings.end(), [](const Ending& ending) { return ending.reads_record(); }))
      function_ = b.advance(tables_.functions, b.load_u32(row_.extra, 8, true), function_record_bytes);
  }

  void aggregate() {
    for (unsigned k = 0; k < before_.inputs; ++k) values_.push_back(b.variable(Type::f32));
    const auto& all = kinds_.aggregations;
    if (all.size() == 1) return aggregate_as(all[0]);
    const Register aggregation = b.bit_and(b.shift_right(kind_, 8u), 255u);
    // Only the aggregations that occur have a branch; the first is that of sums.
    const std::function<void(std::size_t)> from = [&](std::size_t k) {
      if (k + 1 == all.size()) return aggregate_as(all[k]);
      b.when(b.compare(Comparison::equal, aggregation, all[k]), [&] { aggregate_as(all[k]); }, [&] { from(k + 1); });
    };
    from(0);
  }

  void aggregate_as(std::uint32_t aggregation) {
    if (aggregation == row_is_empty) {
      for (const Register value : values_) b.set(value, bias_);
      return;
    }
    if (aggregation == number_of(Aggregation::sum)) return sum();
    if (aggregation == number_of(Aggregation::median))
      median();
    else
      combine(static_cast<Aggregation>(aggregation));
    for (const Register value : values_) b.compute_into(value, Arithmetic::multiply_add, {value, scale_, bias_});
  }

  /// Adds `edges` edges of the quad at quads_; the first of the row takes the bias along. All loads come first: they wait for each other's answers only once.
  void add_quad(unsigned edges, bool is_first) {
    std::vector<Register> planes, weights;
    const unsigned loaded = edges == 3 ? 4 : edges;  // what is no edge is zeros
    for (unsigned e = 0; e < loaded; ++e) planes.push_back(b.variable(Type::u32)), weights.push_back(b.variable(Type::f32));
    b.load(GpuSpace::global, Element::u32, planes, quads_, 0, true);
    b.load(GpuSpace::global, Element::f32, weights, quads_, quad_bytes / 2, true);
    std::vector<std::vector<Register>> sources;
    for (unsigned e = 0; e < edges; ++e) sources.push_back(before_.load(b, planes[e]));
    for (unsigned e = 0; e < edges; ++e)
      for (std::size_t k = 0; k < values_.size(); ++k)
        b.compute_into(values_[k], Arithmetic::multiply_add, {weights[e], sources[e][k], is_first && e == 0 ? bias_ : values_[k]});
  }

  void sum() {
    choose(b, kind_, 16, 1, 5, [&](std::uint32_t edges) { add_quad(edges, true); });
    b.when(b.compare(Comparison::not_equal, more_, 0u), [&] {
      b.loop([&] {
        b.advance_into(quads_, quads_, 1u, quad_bytes);
        add_quad(4, false);
        b.compute_into(more_, Arithmetic::subtract, {more_, 1u});
        b.break_if(b.compare(Comparison::equal, more_, 0u));
      });
    });
  }

  /// weight * source of edge `edge` of the row, for each input of the thread.
  std::vector<Register> term(Register edge, Register head) {
    const Register slot = b.select(b.compare(Comparison::less, edge, head), edge, b.subtract(b.add(edge, 4u), head));
    const Register quad = b.advance(quads_, b.shift_right(slot, 2u), quad_bytes);
    const Register at = b.advance(quad, b.bit_and(slot, 3u), 4);
    const Register weight = b.load_f32(at, quad_bytes / 2, true);
    std::vector<Register> terms = before_.load(b, b.load_u32(at, 0, true));
    for (const Register value : terms) b.compute_into(value, Arithmetic::multiply, {value, weight});
    return terms;
  }

  void combine(Aggregation aggregation) {
    const Register head = b.shift_right(kind_, 16u);
    const Register length = b.multiply_add(more_, 4u, head);
    const auto first = term(b.variable(0u), head);
    for (std::size_t k = 0; k < values_.size(); ++k) b.set(values_[k], first[k]);
    b.count(1u, length, 1, [&](Register edge) {
      const auto terms = term(edge, head);
      for (std::size_t k = 0; k < values_.size(); ++k) combine_into(aggregation, values_[k], terms[k]);
    });
  }

  void combine_into(Aggregation aggregation, Register so_far, Register value) {
    switch (aggregation) {
      case Aggregation::product: return b.compute_into(so_far, Arithmetic::multiply, {so_far, value});
      case Aggregation::max: return b.compute_into(so_far, Arithmetic::maximum, {so_far, value});
      case Aggregation::min: return b.compute_into(so_far, Arithmetic::minimum, {so_far, value});
      default: {  // maxabs keeps the sign
        const Register is_larger = b.compare(Comparison::greater, b.compute(Arithmetic::absolute, {value}), b.compute(Arithmetic::absolute, {so_far}));
        b.compute_into(so_far, Arithmetic::select, {is_larger, value, so_far});
      }
    }
  }

  /// By counting: the term below which half of the others stand, and the one before it, are the middle. It needs no memory, and length^2 steps.
  void median() {
    const Register head = b.shift_right(kind_, 16u);
    const Register length = b.multiply_add(more_, 4u, head);
    const Register upper = b.shift_right(length, 1u), lower = b.shift_right(b.subtract(length, 1u), 1u);
    for (const Register value : values_) b.set(value, 0.0f);
    b.count(0u, length, 1, [&](Register edge) {
      const auto candidates = term(edge, head);
      std::vector<Register> ranks;
      for (std::size_t k = 0; k < values_.size(); ++k) ranks.push_back(b.variable(0u));
      b.count(0u, length, 1, [&](Register other) {
        const auto others = term(other, head);
        const Register is_before = b.compare(Comparison::less, other, edge);  // of equal ones the earlier is the smaller
        for (std::size_t k = 0; k < values_.size(); ++k) {
          const Register is_tie = b.compute(Arithmetic::bit_and, {b.compare(Comparison::equal, others[k], candidates[k]), is_before});
          const Register is_less = b.compute(Arithmetic::bit_or, {b.compare(Comparison::less, others[k], candidates[k]), is_tie});
          b.compute_into(ranks[k], Arithmetic::add, {ranks[k], b.select(is_less, 1u, 0u)});
        }
      });
      for (std::size_t k = 0; k < values_.size(); ++k)  // half of each of the two, which may be one
        for (const Register middle : {lower, upper}) {
          const Register share = b.select(b.compare(Comparison::equal, ranks[k], middle), b.multiply(candidates[k], 0.5f), 0.0f);
          b.compute_into(values_[k], Arithmetic::add, {values_[k], share});
        }
    });
  }

  void finish() {
    std::vector<Source> results(values_.begin(), values_.end());
    if (kinds_.endings.size() == 1) {
      results = apply_ending(b, kinds_.endings[0], values_, function_);
    } else {
      const Register ending = b.bit_and(kind_, 255u);
      choose(b, ending, 0, 0, static_cast<std::uint32_t>(kinds_.endings.size()), [&](std::uint32_t number) {
        const auto ended = apply_ending(b, kinds_.endings[number], values_, function_);
        for (std::size_t k = 0; k < values_.size(); ++k)
          if (ended[k].is_constant || !(ended[k].reg == values_[k])) b.set(values_[k], ended[k]);
      });
    }
    if (kinds_.has_decay) {  // decay * old + (1 - decay) * new
      const auto old = before_.load_at(b, row_.old);
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = b.multiply_add(decay_, b.subtract(old[k], results[k]), results[k]);
    }
    before_.store_at(b, row_.target, results);  // in the same kind of memory
  }

  ThreadBuilder& b;
  const RowKinds& kinds_;
  const RowTables& tables_;
  const RowPlace& row_;
  const GraphState& before_;
  Register quads_{}, more_{}, kind_{}, bias_{}, scale_{}, decay_{};
  std::optional<Register> function_;
  std::vector<Register> values_;
};

}  // namespace

void write_row(ThreadBuilder& builder, const RowKinds& kinds, const RowTables& tables, const RowPlace& row, const GraphState& before) {
  RowWriter(builder, kinds, tables, row, before).write();
}

}  // namespace lacuna::kernel
