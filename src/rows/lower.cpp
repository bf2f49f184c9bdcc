// Network -> SparseRows: one group for each operator, values placed on planes by first fit over their lifetimes.
#include <algorithm>

#include <lacuna/error.hpp>

#include "rows/sparse_rows.hpp"

namespace lacuna::rows {
namespace {

constexpr std::size_t end_of_time = static_cast<std::size_t>(-1);

/// For each value the index of the last operator that reads it; the output lives to the end.
std::vector<std::size_t> last_reads(const Network& network) {
  std::vector<std::size_t> last(network.values.size(), 0);
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    for (ValueId id : network.operators[k].inputs) last[static_cast<std::size_t>(id)] = k;
  last[static_cast<std::size_t>(network.output)] = end_of_time;
  return last;
}

/// Hands out plane ranges, lowest gap first, and takes them back.
class PlaneAllocator {
 public:
  PlaneRange take(std::uint32_t count) {
    std::uint32_t first = 0;
    auto place = used_.begin();
    for (; place != used_.end() && place->first - first < count; ++place) first = place->first + place->count;
    const PlaneRange range{first, count};
    used_.insert(place, range);
    planes_ = std::max(planes_, first + count);
    return range;
  }
  void give_back(PlaneRange range) { used_.erase(std::find(used_.begin(), used_.end(), range)); }
  std::uint32_t planes() const { return planes_; }
  const std::vector<PlaneRange>& used() const { return used_; }

 private:
  std::vector<PlaneRange> used_;  // ascending
  std::uint32_t planes_ = 0;
};

bool maps_zero_to_zero(const RowGroup& group) {
  // Sums over zero sources and zero residuals are the biases alone.
  const auto gives_zero = [&](float bias) { return apply(group.activation, bias) == 0; };
  return group.bias.empty() ? gives_zero(0) : std::all_of(group.bias.begin(), group.bias.end(), gives_zero);
}

void fill_group(RowGroup& group, const Linear& linear, const std::vector<PlaneRange>& inputs) {
  group.weights = linear.weights;
  group.bias = linear.bias;
  group.activation = linear.activation;
  group.source = inputs[0];
  group.residuals.assign(inputs.begin() + 1, inputs.end());
}

void fill_group(RowGroup& group, const Add& add, const std::vector<PlaneRange>& inputs) {
  group.weights.rows = inputs[0].count;
  group.weights.columns = inputs[0].count;
  group.weights.row_begin = std::vector<std::uint32_t>(inputs[0].count + std::size_t{1}, 0);
  group.activation = add.activation;
  group.source = inputs[0];
  group.residuals = inputs;
}

/// Operators on tensors are lowered one by one: a tensor has lanes of its own.
template <typename Operation>
void fill_group(RowGroup&, const Operation&, const std::vector<PlaneRange>&) {
  throw InternalError("a network of tensors is not lowered to panels");
}

}  // namespace

SparseRows lower(const Network& network) {
  SparseRows rows;
  const std::vector<std::size_t> last = last_reads(network);
  std::vector<PlaneRange> planes(network.values.size());
  PlaneAllocator allocator;
  const auto place = [&](ValueId id) { return planes[static_cast<std::size_t>(id)] = allocator.take(network.width(id)); };

  rows.input = place(network.input);
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const Operator& op = network.operators[k];
    std::vector<PlaneRange> inputs;
    for (ValueId id : op.inputs) inputs.push_back(planes[static_cast<std::size_t>(id)]);

    RowGroup group;
    group.name = network.value(op.output).name;
    group.destination = place(op.output);
    std::visit([&](const auto& operation) { fill_group(group, operation, inputs); }, op.operation);

    std::vector<ValueId> ended(op.inputs);
    std::sort(ended.begin(), ended.end());
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    for (ValueId id : ended)
      if (last[static_cast<std::size_t>(id)] == k) allocator.give_back(planes[static_cast<std::size_t>(id)]);
    if (last[static_cast<std::size_t>(op.output)] != end_of_time && last[static_cast<std::size_t>(op.output)] <= k)
      allocator.give_back(group.destination);  // nobody reads it
    group.live_after = allocator.used();
    rows.groups.push_back(std::move(group));
  }
  rows.output = planes[static_cast<std::size_t>(network.output)];
  rows.planes = allocator.planes();

  bool zero = true;
  for (auto group = rows.groups.rbegin(); group != rows.groups.rend(); ++group) {
    zero = zero && maps_zero_to_zero(*group);
    group->zero_from_here = zero;
  }
  return rows;
}

}  // namespace lacuna::rows
