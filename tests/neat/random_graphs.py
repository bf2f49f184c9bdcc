"""Hypothesis strategies: populations of random graphs, acyclic or not, with what evolution and pruning leave behind.

Isolated neurons, chains, wide fans, one source for many, neurons that read themselves, outputs that others read, outputs without edges, disabled connections anywhere (even where they
would close a cycle), neurons and edges in any order of the file. Hypothesis makes a failing population small.
"""
from hypothesis import strategies as st

from plain_network import ACTIVATIONS, AGGREGATIONS, Network, Node, to_json

numbers = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, -2.0]), st.floats(-2.5, 2.5, width=32), st.floats(-2.5, 2.5))
shapes = st.sampled_from(["any", "any", "chain", "fan"])


@st.composite
def nodes(draw):
    return Node(draw(st.sampled_from(sorted(ACTIVATIONS))), draw(st.sampled_from(sorted(AGGREGATIONS))), draw(numbers), draw(numbers),
                draw(st.floats(0.01, 5.0)))


@st.composite
def sources_of(draw, place, candidates, shape):
    """Where the neuron at a place of the order reads: of a chain the one before, of a fan the last neuron all."""
    if shape == "chain":
        return candidates[-1:]
    if shape == "fan" and place == "last":
        return candidates
    return draw(st.lists(st.sampled_from(candidates), max_size=5, unique=True))


@st.composite
def graphs(draw, kind, inputs, outputs):
    hidden = draw(st.integers(0, 24))
    shape = draw(shapes)
    keys = draw(st.permutations(range(outputs + hidden)))  # outputs are 0 .. outputs-1: anywhere in the order
    network = Network(kind, [-1 - k for k in range(inputs)], list(range(outputs)), {})
    for place, key in enumerate(keys):
        network.nodes[key] = draw(nodes())
        candidates = network.inputs + list(keys[:place] if kind == "feedforward" else keys)
        network.nodes[key].links = [(source, draw(numbers)) for source in draw(sources_of("last" if place + 1 == len(keys) else "inner", candidates, shape))]
    if draw(st.booleans()):
        network.nodes = {key: network.nodes[key] for key in draw(st.permutations(keys))}
    disabled = draw(st.lists(st.tuples(st.integers(0, 10), st.sampled_from(network.inputs + list(keys)), st.sampled_from(keys)), max_size=3))
    text = to_json(network, [(place, {"from": source, "to": target, "weight": 1.5, "enabled": False}) for place, source, target in disabled])
    return network, text


@st.composite
def populations(draw, kind, size):
    inputs, outputs = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    steps, batch = (1 if kind == "feedforward" else draw(st.integers(1, 6))), draw(st.sampled_from([1, 2, 7, 16, 19]))
    return draw(st.lists(graphs(kind, inputs, outputs), min_size=1, max_size=size)), steps, batch, draw(st.integers(0, 2 ** 32 - 1))
