#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <optional>
#include <string>
#include <vector>

#include "generate/image_source.hpp"
#include "generate/resample.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

constexpr const char* fashion_file = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";

std::filesystem::path digits_file() { return data_folder() / "graph-challenge" / "t10k-images-idx3-ubyte.gz"; }

double density(const SparseMatrix& inputs) {
  return static_cast<double>(inputs.nnz()) / (static_cast<double>(inputs.rows) * inputs.columns);
}

/// Does anything of one input come through the network? Outputs repeat every neurons / 16, so only those are computed.
bool survives(const Network& network, std::vector<float> values) {
  const std::size_t distinct = values.size() / 16;
  const float bias = challenge_bias(static_cast<std::uint32_t>(values.size()));
  std::vector<float> sums(distinct);
  for (const Operator& step : network.operators) {
    const SparseMatrix& weights = std::get<Linear>(step.operation).weights;
    for (std::size_t c = 0; c < distinct; ++c) {
      float sum = 0;
      for (std::size_t e = c * 32; e < c * 32 + 32; ++e) sum += values[weights.narrow_columns[e]];
      sums[c] = std::clamp(sum * 0.0625f + bias, 0.0f, 32.0f);
    }
    if (std::ranges::all_of(sums, [](float v) { return v == 0; })) return false;
    if (std::ranges::all_of(sums, [](float v) { return v == 32; })) return true;  // a fixed point
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = sums[i % distinct];
  }
  return true;
}

double share_of_survivors(const SparseMatrix& inputs) {
  const Network network = generate_radix({.neurons = inputs.columns, .layers = 120, .residues = {}});
  unsigned alive = 0;
  for (std::uint32_t row = 0; row < inputs.rows; ++row) {
    std::vector<float> values(inputs.columns, 0.0f);
    for (std::size_t e = inputs.row_begin[row]; e < inputs.row_begin[row + 1]; ++e) values[inputs.column(e)] = 1;
    alive += survives(network, std::move(values)) ? 1 : 0;
  }
  return static_cast<double>(alive) / inputs.rows;
}

void expect_official_like(const generate::ImageSource& source) {
  for (const std::uint32_t side : {32u, 64u}) {
    SCOPED_TRACE(side);
    const SparseMatrix inputs = generate::make_inputs(source, side, 10000);
    EXPECT_GT(density(inputs), 0.095);
    EXPECT_LT(density(inputs), 0.11);
    const double survivors = share_of_survivors(inputs);
    EXPECT_GT(survivors, 0.02);
    EXPECT_LT(survivors, 0.05);
  }
}

/// Sets LACUNA_DATA for one test.
class WithData {
 public:
  explicit WithData(const char* folder) {
    if (const char* before = std::getenv("LACUNA_DATA")) before_ = before;
    ::setenv("LACUNA_DATA", folder, 1);
  }
  ~WithData() { before_ ? ::setenv("LACUNA_DATA", before_->c_str(), 1) : ::unsetenv("LACUNA_DATA"); }

 private:
  std::optional<std::string> before_;
};

TEST(GenerateInputs, FromDigitsAreOfficialLike) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set: no MNIST images";
  expect_official_like(generate::digit_source(digits_file()));
}

TEST(GenerateInputs, FromClothesAreOfficialLike) {
  if (!std::filesystem::exists(fashion_file)) GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed";
  expect_official_like(generate::fashion_source(fashion_file, 1));
}

TEST(GenerateInputs, FromStrokesAreOfficialLike) { expect_official_like(generate::stroke_source(1)); }

TEST(GenerateInputs, NamesItsSource) {
  std::string source;
  if (!data_folder().empty()) {
    generate_inputs({.neurons = 64, .count = 1, .images = {}}, &source);
    EXPECT_EQ(source, "MNIST images of " + digits_file().string());
  }
  const WithData nothing("");
  generate_inputs({.neurons = 64, .count = 1, .images = {}}, &source);
  EXPECT_EQ(source, std::filesystem::exists(fashion_file) ? std::string("Fashion-MNIST images of ") + fashion_file
                                                          : "synthetic strokes");
}

TEST(GenerateInputs, GivesTheSameOnesWhateverTheCount) {
  const generate::ImageSource source = generate::stroke_source(4);
  const SparseMatrix few = generate::make_inputs(source, 16, 5);
  const SparseMatrix many = generate::make_inputs(source, 16, 600);
  EXPECT_TRUE(std::ranges::equal(few.row_begin, many.row_begin.span().first(6)));
  EXPECT_TRUE(std::ranges::equal(few.narrow_columns, many.narrow_columns.span().first(few.nnz())));
}

TEST(GenerateInputs, AreTheSameOnEveryMachine) {
  const SparseMatrix inputs = generate::make_inputs(generate::stroke_source(1), 32, 1000);
  std::uint64_t sum = 0;
  for (std::size_t e = 0; e < inputs.nnz(); ++e) sum = sum * 31 + inputs.column(e);
  EXPECT_EQ(inputs.nnz(), 102268u);
  EXPECT_EQ(sum, 8788496351886409778u);
}

TEST(GenerateInputs, ChangeWithTheSeed) {
  const SparseMatrix one = generate::make_inputs(generate::stroke_source(1), 32, 10);
  const SparseMatrix two = generate::make_inputs(generate::stroke_source(2), 32, 10);
  EXPECT_FALSE(std::ranges::equal(one.narrow_columns, two.narrow_columns));
}

TEST(GenerateInputs, FlattenColumnMajorAndShiftFromTheSecondPassOn) {
  const TempFolder folder;
  std::string idx{"\0\0\x08\x03\0\0\0\x01\0\0\0\x04\0\0\0\x04", 16};
  idx += std::string{"\0\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16};  // 4 x 4 pixels, x = 1, y = 0 is white
  const auto file = folder.write("one.idx3-ubyte", idx);
  const SparseMatrix inputs = generate_inputs({.neurons = 16, .count = 3, .images = file});
  ASSERT_EQ(inputs.nnz(), 3u);
  EXPECT_EQ(inputs.column(0), 4u) << "x * side + y";
  EXPECT_EQ(inputs.column(1), 8u) << "one to the right";
  EXPECT_EQ(inputs.column(2), 5u) << "one down";
}

TEST(GenerateInputs, AreNeverBlankHoweverSmall) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set: no MNIST images";
  for (const std::uint32_t side : {4u, 8u, 16u}) {
    const SparseMatrix inputs = generate::make_inputs(generate::digit_source(digits_file()), side, 2000);
    for (std::uint32_t row = 0; row < inputs.rows; ++row)
      ASSERT_LT(inputs.row_begin[row], inputs.row_begin[row + 1]) << side;
  }
}

TEST(GenerateInputs, HaveWideColumnsAbove65536Neurons) {
  const SparseMatrix inputs = generate::make_inputs(generate::stroke_source(1), 300, 2);
  EXPECT_EQ(inputs.columns, 90000u);
  EXPECT_EQ(inputs.wide_columns.size(), inputs.nnz());
  EXPECT_NEAR(density(inputs), 0.1, 0.1);
}

TEST(GenerateInputs, SayWhatIsWrong) {
  EXPECT_EQ(message_of<InputError>([] { generate_inputs({.neurons = 1000, .images = {}}); }),
            "1000 neurons: inputs are square images, so the number of neurons must be a square, such as 1024");
  EXPECT_EQ(message_of<InputError>([] { generate_inputs({.neurons = 1024, .count = 0, .images = {}}); }),
            "0 inputs: give at least 1");
}

TEST(Resampler, KeepsFlatImagesFlatAndIsTheIdentityAtTheSameSize) {
  std::vector<float> scratch;
  const std::vector<std::uint8_t> flat(28 * 28, 201);
  for (const std::uint32_t side : {1u, 7u, 32u, 100u}) {
    std::vector<std::uint8_t> result(side * side);
    generate::Resampler(28, 28, side).apply(flat, result, scratch);
    EXPECT_EQ(std::ranges::count(result, 201), side * side) << side;
  }
  std::vector<std::uint8_t> image(25), same(25);
  for (std::uint8_t i = 0; i < 25; ++i) image[i] = static_cast<std::uint8_t>(i * 10);
  generate::Resampler(5, 5, 5).apply(image, same, scratch);
  EXPECT_EQ(same, image);
}

}  // namespace
}  // namespace lacuna::tests
