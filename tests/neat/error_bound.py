"""How far an answer in 32-bit floats may be from the exact one: every value carries a bound of its error, neuron by neuron (running error analysis).

u is half the distance of neighbouring floats (2^-24, or 2^-53 for doubles). A term w * x brings |w| * error(x) and a few roundings: of w, of the product, of a
response, slope or 1/n that was multiplied into w beforehand. A sum of n terms in any order brings n * u * sum |t| more (Higham, section 3.1). A function is looked at
on the whole interval [z - error, z + error] and may itself be wrong by 8 u of its value, or of 1 where it is computed through values around 1. Bounds are
infinite where a float cannot hold the value or where the interval holds a pole: nothing is judged there.
"""
import numpy as np

from plain_network import order_of

ROUNDINGS_OF_A_TERM = 6
ULPS_OF_A_FUNCTION = 8
LARGEST, SMALLEST = 1e30, 1e-37  # of what is judged in 32-bit floats; below that a processor may flush to zero


def logistic(u):
    return 1 / (1 + np.exp(-u))


def clamp(z, limit):
    return np.clip(z, -limit, limit)


# name: (function, shape, size of what it is computed through). Shapes: rising, even (and monotone in |z|), sine, pole.
FUNCTIONS = {
    "sigmoid": (lambda z: logistic(clamp(5 * z, 60)), "rising", 1), "tanh": (lambda z: np.tanh(clamp(2.5 * z, 60)), "rising", 1),
    "sin": (lambda z: np.sin(clamp(5 * z, 60)), "sine", 1), "gauss": (lambda z: np.exp(-5 * clamp(z, 3.4) ** 2), "even", 0),
    "relu": (lambda z: np.maximum(z, 0), "rising", 0), "elu": (lambda z: np.where(z > 0, z, np.exp(np.minimum(z, 0)) - 1), "rising", 1),
    "lelu": (lambda z: np.where(z > 0, z, 0.005 * z), "rising", 0),
    "selu": (lambda z: 1.0507009873554805 * np.where(z > 0, z, 1.6732632423543772 * (np.exp(np.minimum(z, 0)) - 1)), "rising", 2),
    "softplus": (lambda z: 0.2 * np.log(1 + np.exp(clamp(5 * z, 60))), "rising", 1), "identity": (lambda z: z, "rising", 0),
    "clamped": (lambda z: clamp(z, 1), "rising", 0), "inv": (lambda z: 1 / np.where(z == 0, np.inf, z), "pole", 0),
    "log": (lambda z: np.log(np.maximum(z, 1e-7)), "rising", 1), "exp": (lambda z: np.exp(clamp(z, 60)), "rising", 0), "abs": (np.abs, "even", 0),
    "hat": (lambda z: np.maximum(0, 1 - np.abs(z)), "even", 1), "square": (lambda z: z ** 2, "even", 0), "cube": (lambda z: z ** 3, "rising", 0),
    # SharpNEAT's, as its files here use them
    "LeakyReLU": (lambda z: np.where(z < 0, 0.001 * z, z), "rising", 0), "ReLU": (lambda z: np.maximum(z, 0), "rising", 0),
    "Logistic": (logistic, "rising", 1), "Gaussian": (lambda z: np.exp(-((2.5 * z) ** 2)), "even", 0), "Sine": (lambda z: np.sin(2 * z), "sine", 1),
}


def through_function(name, z, error, u):
    function, shape, size = FUNCTIONS[name]
    error = error + 2 * u * np.abs(z)  # slope, square
    y = function(z)
    if shape == "even":
        z = np.abs(z)
        low, high = function(np.maximum(z - error, 0)), function(z + error)
    else:
        low, high = function(z - error), function(z + error)
    spread = np.maximum(np.abs(y - low), np.abs(high - y))
    if shape == "sine":
        spread = np.minimum(5 * error, 2)
    if shape == "pole":
        spread = np.where(np.abs(z) <= error, np.inf, spread)
    own = ULPS_OF_A_FUNCTION * u * np.maximum(np.abs(y), size)
    if name == "gauss":  # its limit of 3.4 is no float, and -5 z^2 is rounded behind it: relative to the exponent
        own += 4 * u * 5 * clamp(z, 3.4) ** 2 * y
    return y, spread + own + SMALLEST


def aggregate(name, terms, errors, u):
    """terms, errors: {edges, batch}."""
    count = len(terms)
    if count == 0:
        return 1.0 if name == "product" else 0.0, 0.0
    sizes = np.abs(terms) + errors
    if name in ("sum", "mean"):
        divisor = count if name == "mean" else 1
        return terms.sum(axis=0) / divisor, (errors.sum(axis=0) + (count + 2) * u * sizes.sum(axis=0)) / divisor
    if name == "product":
        return terms.prod(axis=0), sizes.prod(axis=0) - np.abs(terms).prod(axis=0) + 2 * count * u * sizes.prod(axis=0)
    if name in ("max", "min"):
        return getattr(terms, name)(axis=0), errors.max(axis=0)
    if name == "median":
        middle = np.median(terms, axis=0)
        return middle, errors.max(axis=0) + 3 * u * sizes.max(axis=0)
    chosen = np.take_along_axis(terms, np.abs(terms).argmax(axis=0)[None], axis=0)[0]
    may_win = sizes >= (np.abs(terms) - errors).max(axis=0)
    return chosen, np.where(may_win, np.abs(terms - chosen) + errors, 0).max(axis=0)


def through_node(node, values, u, batch):
    zero = (np.zeros(batch), np.zeros(batch))
    sources = [values.get(source, zero) for source, _ in node.links]
    weights = np.array([weight for _, weight in node.links])[:, None]
    terms = np.array([value for value, _ in sources]).reshape(len(sources), batch) * weights
    errors = np.array([error for _, error in sources]).reshape(len(sources), batch) * np.abs(weights) + ROUNDINGS_OF_A_TERM * u * np.abs(terms) + SMALLEST
    s, error = aggregate(node.aggregation, terms, errors, u)
    z = node.bias + node.response * s + np.zeros(batch)
    error = abs(node.response) * error + 3 * u * (abs(node.bias) + np.abs(node.response * s) + np.abs(z))
    y, error = through_function(node.activation, z, error, u)
    return y, np.where(np.abs(y) < LARGEST, error, np.inf)


def bounded(network, sequence, u=2.0 ** -24, time_step=0.01):
    """sequence {steps, batch, inputs} -> the exact answers (nearly) and the bounds of their errors, both {steps, batch, outputs}."""
    steps, batch, _ = sequence.shape
    nothing = np.zeros(batch)
    values = {key: (nothing, nothing) for key in network.nodes}
    order = order_of(network) if network.kind == "feedforward" else list(network.nodes)
    decays = {key: np.exp(-time_step / node.time_constant) for key, node in network.nodes.items()}
    answers, bounds = [], []
    with np.errstate(all="ignore"):
        for row in sequence.astype(np.float64):
            values.update({key: (row[:, k], nothing) for k, key in enumerate(network.inputs)})
            for _ in range(network.steps if network.kind != "feedforward" else 1):
                now = values if network.kind == "feedforward" else {}
                for key in order:
                    y, error = through_node(network.nodes[key], values, u, batch)
                    if network.kind == "ctrnn":
                        d, (before, old) = decays[key], values[key]
                        error = d * old + (1 - d) * error + 4 * u * (np.abs(before) + np.abs(y))  # d and 1 - d are rounded too: absolutely by u
                        y = d * before + (1 - d) * y
                    now[key] = (y, error)
                values.update(now)
            results = [values.get(key, (nothing, nothing)) for key in network.outputs]
            answers.append(np.array([value for value, _ in results]).T)
            bounds.append(np.array([error for _, error in results]).T)
    bounds = np.array(bounds)
    return np.array(answers), np.where(np.isfinite(bounds), bounds, np.inf)
