// NonMaxSuppression: of boxes that overlap too much only the one with the best score stays.
#include <algorithm>
#include <limits>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

struct Box {
  double low_y, low_x, high_y, high_x;
  double area() const { return (high_y - low_y) * (high_x - low_x); }
};

Box box_at(const double* numbers, bool has_center) {
  if (has_center) {  // x, y, width, height
    const double x = numbers[0], y = numbers[1], width = numbers[2], height = numbers[3];
    return {y - height / 2, x - width / 2, y + height / 2, x + width / 2};
  }
  const auto [low_y, high_y] = std::minmax(numbers[0], numbers[2]);
  const auto [low_x, high_x] = std::minmax(numbers[1], numbers[3]);
  return {low_y, low_x, high_y, high_x};
}

double overlap_of(const Box& a, const Box& b) {
  const double height = std::min(a.high_y, b.high_y) - std::max(a.low_y, b.low_y);
  const double width = std::min(a.high_x, b.high_x) - std::max(a.low_x, b.low_x);
  if (!(height > 0 && width > 0)) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

struct Inputs {
  Shape boxes_shape;   ///< {batch, boxes, 4}
  Shape scores_shape;  ///< {batch, classes, boxes}
  std::vector<double> boxes{}, scores{};
  double most = 0;          ///< boxes of a class
  double most_overlap = 0;
  double least_score = -std::numeric_limits<double>::infinity();
};

/// Triples of image, class and box, in that order of importance; boxes of a class from the best score down.
Integers selected(const Call& call, const Inputs& inputs) {
  const bool has_center = flag_attribute(call, "center_point_box", false);
  const std::size_t boxes = inputs.boxes_shape.extents[1];
  const std::size_t classes = inputs.scores_shape.extents[1];
  Integers result;
  for (std::size_t image = 0; image < inputs.boxes_shape.extents[0]; ++image)
    for (std::size_t type = 0; type < classes; ++type) {
      const double* const scores = inputs.scores.data() + (image * classes + type) * boxes;
      std::vector<std::size_t> order;
      for (std::size_t k = 0; k < boxes; ++k)
        if (scores[k] > inputs.least_score) order.push_back(k);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
      std::vector<Box> kept;
      for (const std::size_t k : order) {
        if (static_cast<double>(kept.size()) >= inputs.most) break;
        const Box box = box_at(inputs.boxes.data() + (image * boxes + k) * 4, has_center);
        if (std::any_of(kept.begin(), kept.end(), [&](const Box& other) { return overlap_of(box, other) > inputs.most_overlap; })) continue;
        kept.push_back(box);
        result.insert(result.end(), {static_cast<std::int64_t>(image), static_cast<std::int64_t>(type), static_cast<std::int64_t>(k)});
      }
    }
  return result;
}

}  // namespace

Signature infer_non_max_suppression(const Inference& question) {
  question.check_rank(0, 3, "boxes");
  question.check_rank(1, 3, "scores");
  const Shape& boxes = question.shape(0);
  const Shape& scores = question.shape(1);
  if (boxes.extents[2] != 4 || boxes.extents[0] != scores.extents[0] || boxes.extents[1] != scores.extents[2])
    fail(question.call, "boxes of {} and scores of {}; expected batch x boxes x 4 and batch x classes x boxes", describe(boxes), describe(scores));
  Inputs inputs{boxes, scores, {}, {}};
  for (std::size_t k = 0; k < question.inputs.size(); ++k) {
    if (!question.has(k)) continue;
    if (question.inputs[k].constant == nullptr)
      refuse(question.call, "its input {} is known only at run time, and the number of boxes it selects depends on it; cut the model before it", k);
    const std::vector<double> values = to_doubles(question.type(k), question.inputs[k].constant->span());
    if (k > 1 && values.size() != 1) fail(question.call, "input {} is {}; expected one number", k, describe(question.shape(k)));
    if (k == 0) inputs.boxes = values;
    if (k == 1) inputs.scores = values;
    if (k == 2) inputs.most = values[0];
    if (k == 3) inputs.most_overlap = values[0];
    if (k == 4) inputs.least_score = values[0];
  }
  return {ElementType::i64, make_shape(question.call, Integers{static_cast<std::int64_t>(selected(question.call, inputs).size() / 3), 3})};
}
void non_max_suppression(const Evaluation& job) {
  Inputs inputs{job.shape(0), job.shape(1), job.doubles(0), job.doubles(1)};
  if (job.has(2)) inputs.most = job.doubles(2)[0];
  if (job.has(3)) inputs.most_overlap = job.doubles(3)[0];
  if (job.has(4)) inputs.least_score = job.doubles(4)[0];
  const Integers result = selected(job.call, inputs);
  std::copy_n(result.begin(), std::min(result.size(), job.out_size()), job.out<std::int64_t>());
}

}  // namespace lacuna::operators
