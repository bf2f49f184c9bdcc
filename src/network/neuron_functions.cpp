// The one list of the names that four tools give the functions of neurons.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <lacuna/neuron_graph.hpp>

namespace lacuna {
namespace {

constexpr double goneat_slope = 4.924273;
constexpr double goneat_shift = 2.4621365;
constexpr double arc_sinh_scale = 1.2567348023993685 / 2;

constexpr auto list = std::to_array<NamedFunction>({
    {"sigmoid", Dialect::neat_python, {.curve = Curve::logistic, .slope = 5, .limit = 60}},
    {"tanh", Dialect::neat_python, {.curve = Curve::tanh, .slope = 2.5, .limit = 60}},
    {"sin", Dialect::neat_python, {.curve = Curve::sine, .slope = 5, .limit = 60}},
    {"gauss", Dialect::neat_python, {.curve = Curve::gauss, .limit = 3.4, .bend = 5}},
    {"relu", Dialect::neat_python, {.curve = Curve::relu}},
    {"elu", Dialect::neat_python, {.curve = Curve::elu}},
    {"lelu", Dialect::neat_python, {.curve = Curve::leaky_relu, .bend = 0.005}},
    {"selu", Dialect::neat_python, {.curve = Curve::selu}},
    {"softplus", Dialect::neat_python, {.curve = Curve::softplus, .slope = 5, .limit = 60, .gain = 0.2}},
    {"identity", Dialect::neat_python, {}},
    {"clamped", Dialect::neat_python, {.curve = Curve::clip}},
    {"inv", Dialect::neat_python, {.curve = Curve::inverse}},
    {"log", Dialect::neat_python, {.curve = Curve::log}},
    {"exp", Dialect::neat_python, {.curve = Curve::exp, .limit = 60}},
    {"abs", Dialect::neat_python, {.curve = Curve::absolute}},
    {"hat", Dialect::neat_python, {.curve = Curve::hat}},
    {"square", Dialect::neat_python, {.curve = Curve::square}},
    {"cube", Dialect::neat_python, {.curve = Curve::cube}},

    {"ArcSinH", Dialect::sharpneat, {.curve = Curve::arc_sinh, .gain = arc_sinh_scale, .offset = arc_sinh_scale}},
    {"ArcTan", Dialect::sharpneat, {.curve = Curve::arc_tangent}},
    {"LeakyReLU", Dialect::sharpneat, {.curve = Curve::leaky_relu, .bend = 0.001}},
    {"LeakyReLUShifted", Dialect::sharpneat, {.curve = Curve::leaky_relu, .shift = 0.5, .bend = 0.001}},
    {"Logistic", Dialect::sharpneat, {.curve = Curve::logistic}},
    {"LogisticSteep", Dialect::sharpneat, {.curve = Curve::logistic, .slope = 4.9}},
    {"MaxMinusOne", Dialect::sharpneat, {.curve = Curve::at_least_minus_one}},
    {"NullFn", Dialect::sharpneat, {.curve = Curve::zero}},
    {"PolynomialApproximantSteep", Dialect::sharpneat, {.curve = Curve::polynomial_logistic, .slope = 4.9}},
    {"QuadraticSigmoid", Dialect::sharpneat, {.curve = Curve::quadratic_sigmoid}},
    {"ReLU", Dialect::sharpneat, {.curve = Curve::relu}},
    {"ScaledELU", Dialect::sharpneat, {.curve = Curve::selu}},
    {"SoftSignSteep", Dialect::sharpneat, {.curve = Curve::soft_sign, .bend = 0.2, .gain = 0.5, .offset = 0.5}},
    {"SReLU", Dialect::sharpneat, {.curve = Curve::s_relu}},
    {"SReLUShifted", Dialect::sharpneat, {.curve = Curve::s_relu, .shift = 0.5}},
    {"TanH", Dialect::sharpneat, {.curve = Curve::tanh}},
    {"BipolarGaussian", Dialect::sharpneat, {.curve = Curve::gauss, .slope = 2.5, .bend = 1, .gain = 2, .offset = -1}},
    {"BipolarSigmoid", Dialect::sharpneat, {.curve = Curve::logistic, .slope = 4.9, .gain = 2, .offset = -1}},
    {"Gaussian", Dialect::sharpneat, {.curve = Curve::gauss, .slope = 2.5, .bend = 1}},
    {"Linear", Dialect::sharpneat, {.curve = Curve::clip}},
    {"Sine", Dialect::sharpneat, {.curve = Curve::sine, .slope = 2}},

    {"SigmoidPlainActivation", Dialect::goneat, {.curve = Curve::logistic}},
    {"SigmoidReducedActivation", Dialect::goneat, {.curve = Curve::logistic, .slope = 0.5}},
    {"SigmoidBipolarActivation", Dialect::goneat, {.curve = Curve::logistic, .slope = goneat_slope, .gain = 2, .offset = -1}},
    {"SigmoidSteepenedActivation", Dialect::goneat, {.curve = Curve::logistic, .slope = goneat_slope}},
    {"SigmoidApproximationActivation", Dialect::goneat, {.curve = Curve::parabolic_sigmoid, .slope = 0.25}},
    {"SigmoidSteepenedApproximationActivation", Dialect::goneat, {.curve = Curve::parabolic_sigmoid}},
    {"SigmoidInverseAbsoluteActivation", Dialect::goneat, {.curve = Curve::soft_sign, .bend = 1, .gain = 0.5, .offset = 0.5}},
    {"SigmoidLeftShiftedActivation", Dialect::goneat, {.curve = Curve::logistic, .shift = goneat_shift}},
    {"SigmoidLeftShiftedSteepenedActivation", Dialect::goneat, {.curve = Curve::logistic, .slope = goneat_slope, .shift = goneat_shift}},
    {"SigmoidRightShiftedSteepenedActivation", Dialect::goneat, {.curve = Curve::logistic, .slope = goneat_slope, .shift = -goneat_shift}},
    {"TanhActivation", Dialect::goneat, {.curve = Curve::tanh, .slope = 0.9}},
    {"GaussianBipolarActivation", Dialect::goneat, {.curve = Curve::gauss, .slope = 2.5, .bend = 1, .gain = 2, .offset = -1}},
    {"GaussianActivation", Dialect::goneat, {.curve = Curve::gauss, .bend = 1}},
    {"LinearActivation", Dialect::goneat, {}},
    {"LinearAbsActivation", Dialect::goneat, {.curve = Curve::absolute}},
    {"LinearClippedActivation", Dialect::goneat, {.curve = Curve::clip}},
    {"NullActivation", Dialect::goneat, {.curve = Curve::zero}},
    {"SignActivation", Dialect::goneat, {.curve = Curve::sign}},
    {"SineActivation", Dialect::goneat, {.curve = Curve::sine, .slope = 2}},
    {"StepActivation", Dialect::goneat, {.curve = Curve::step}},

    // MultiNEAT numbers its functions and gives each neuron a slope and a shift: its reader sets those on these.
    {"signed_sigmoid", Dialect::multineat, {.curve = Curve::logistic, .gain = 2, .offset = -1}},
    {"unsigned_sigmoid", Dialect::multineat, {.curve = Curve::logistic}},
    {"plain_tanh", Dialect::multineat, {.curve = Curve::tanh}},
    {"tanh_cubic", Dialect::multineat, {.curve = Curve::cubic_tanh, .bend = 1}},
    {"signed_step", Dialect::multineat, {.curve = Curve::threshold, .gain = 2, .offset = -1}},
    {"unsigned_step", Dialect::multineat, {.curve = Curve::threshold, .shift = -0.5}},
    {"signed_gauss", Dialect::multineat, {.curve = Curve::gauss, .bend = 1, .gain = 2, .offset = -1}},
    {"unsigned_gauss", Dialect::multineat, {.curve = Curve::gauss, .bend = 1}},
    {"signed_sine", Dialect::multineat, {.curve = Curve::sine}},
    {"unsigned_sine", Dialect::multineat, {.curve = Curve::sine, .gain = 0.5, .offset = 0.5}},
    {"linear", Dialect::multineat, {}},
    {"plain_softplus", Dialect::multineat, {.curve = Curve::softplus}},
});

constexpr auto curve_names = std::to_array<std::string_view>(
    {"identity", "relu", "leaky_relu", "elu", "selu", "logistic", "tanh", "cubic_tanh", "sine", "gauss", "softplus", "inverse", "log", "exp", "absolute", "hat",
     "square", "cube", "arc_tangent", "arc_sinh", "at_least_minus_one", "clip", "zero", "quadratic_sigmoid", "polynomial_logistic", "parabolic_sigmoid", "soft_sign",
     "s_relu", "sign", "step", "threshold"});
static_assert(curve_names.size() == curve_count);

struct Parameter {
  std::string_view name;
  double NeuronFunction::* place;
};
constexpr auto parameters = std::to_array<Parameter>({{"slope", &NeuronFunction::slope},
                                                      {"shift", &NeuronFunction::shift},
                                                      {"limit", &NeuronFunction::limit},
                                                      {"bend", &NeuronFunction::bend},
                                                      {"gain", &NeuronFunction::gain},
                                                      {"offset", &NeuronFunction::offset}});

constexpr auto aggregation_names = std::to_array<std::string_view>({"sum", "product", "max", "min", "maxabs", "mean", "median"});

}  // namespace

std::span<const NamedFunction> named_functions() { return list; }

std::optional<NeuronFunction> find_function(std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const NamedFunction& entry) { return entry.name == name; });
  return found == list.end() ? std::nullopt : std::optional(found->function);
}

std::optional<std::string_view> name_in(Dialect dialect, const NeuronFunction& function) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const NamedFunction& entry) { return entry.dialect == dialect && entry.function == function; });
  return found == list.end() ? std::nullopt : std::optional(found->name);
}

std::string to_string(const NeuronFunction& function) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const NamedFunction& entry) { return entry.function == function; });
  if (found != list.end()) return std::string(found->name);
  std::string text(curve_names[static_cast<std::size_t>(function.curve)]);
  for (const Parameter& parameter : parameters)
    if (function.*parameter.place != NeuronFunction{}.*parameter.place) text += fmt::format(";{}:{}", parameter.name, function.*parameter.place);
  return text;
}

std::optional<NeuronFunction> parse_function(std::string_view text) {
  if (const auto named = find_function(text)) return named;
  const std::size_t end_of_curve = std::min(text.find(';'), text.size());
  const auto curve = std::find(curve_names.begin(), curve_names.end(), text.substr(0, end_of_curve));
  if (curve == curve_names.end()) return std::nullopt;
  NeuronFunction function{.curve = static_cast<Curve>(curve - curve_names.begin())};
  for (std::size_t at = end_of_curve; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at + 1), text.size());
    const std::string_view word = text.substr(at + 1, end - at - 1);
    const std::size_t colon = word.find(':');
    const auto parameter = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == word.substr(0, colon); });
    if (colon == std::string_view::npos || parameter == parameters.end()) return std::nullopt;
    const auto [stop, error] = std::from_chars(word.data() + colon + 1, word.data() + word.size(), function.*parameter->place);
    if (error != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
    at = end;
  }
  return function;
}

std::string_view name_of(Aggregation aggregation) { return aggregation_names[static_cast<std::size_t>(aggregation)]; }

std::optional<Aggregation> find_aggregation(std::string_view name) {
  const auto found = std::find(aggregation_names.begin(), aggregation_names.end(), name);
  return found == aggregation_names.end() ? std::nullopt : std::optional(static_cast<Aggregation>(found - aggregation_names.begin()));
}

}  // namespace lacuna
