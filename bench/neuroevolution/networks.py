"""Seeded random networks of single neurons: made with NumPy, written as neat-python JSON for Lacuna and as arrays for the peers.

Every neuron reads random earlier nodes, every node is read by a random later one, so that nothing can be left out: a node that no output needs would be
work for some programs and not for others. Nodes are inputs, then neurons in order; the last ones are the outputs.
"""
import json
from pathlib import Path

import numpy as np

GRID = 1024  # weights are multiples of 1 / GRID: exact in every float and short in a file


class Networks:
    """Members in compressed rows, one after the other: neuron k of member m has the edges edge_begin[n] .. edge_begin[n + 1] with n = neuron_begin[m] + k."""

    def __init__(self, inputs, outputs, function, neuron_begin, edge_begin, sources, weights, biases):
        self.inputs, self.outputs, self.function = inputs, outputs, function
        self.neuron_begin, self.edge_begin, self.sources, self.weights, self.biases = neuron_begin, edge_begin, sources, weights, biases

    members = property(lambda self: len(self.neuron_begin) - 1)
    edges = property(lambda self: len(self.sources))
    nodes = property(lambda self: len(self.biases) + self.members * self.inputs)

    def member(self, m):
        """edge_begin from zero, sources, weights, biases of one member."""
        first, last = self.neuron_begin[m], self.neuron_begin[m + 1]
        begin = self.edge_begin[first:last + 1]
        span = slice(begin[0], begin[-1])
        return begin - begin[0], self.sources[span], self.weights[span], self.biases[first:last]

    def save(self, file):
        """Four numbers, then the arrays: what sequential.cpp and load read."""
        head = np.array([self.inputs, self.outputs, self.members, ("relu", "sigmoid").index(self.function)], np.uint32)
        with open(file, "wb") as out:
            for array in (head, self.neuron_begin.astype(np.uint32), self.edge_begin.astype(np.uint32), self.sources.astype(np.uint32),
                          self.weights.astype(np.float32), self.biases.astype(np.float32)):
                out.write(array.tobytes())


def load(file):
    words = np.fromfile(file, np.uint32)
    inputs, outputs, members, function = map(int, words[:4])
    neuron_begin = words[4:5 + members].astype(np.int64)
    at = 5 + members
    neurons = int(neuron_begin[-1])
    edge_begin = words[at:at + neurons + 1].astype(np.int64)
    at += neurons + 1
    edges = int(edge_begin[-1])
    floats = words[at + edges:].view(np.float32)
    return Networks(inputs, outputs, ("relu", "sigmoid")[function], neuron_begin, edge_begin, words[at:at + edges].astype(np.int64), floats[:edges], floats[edges:])


def random_edges(random, inputs, nodes, outputs, wanted):
    """wanted: sources of each neuron (more where readers of all nodes need it). Returns targets (neurons) and sources, sorted, none twice."""
    readers_of = np.arange(nodes - outputs)
    first_reader = np.maximum(readers_of + 1, inputs)
    readers = first_reader + (random.random(len(readers_of)) * (nodes - first_reader)).astype(np.int64)
    pairs = np.unique((readers - inputs) * nodes + readers_of)
    settled = []  # pairs of neurons that have all they want: sorting them again and again would take minutes for a million
    while True:
        missing = np.maximum(wanted - np.bincount(pairs // nodes, minlength=nodes - inputs), 0)
        is_settled = missing[pairs // nodes] == 0
        settled.append(pairs[is_settled])
        wanted = np.where(missing > 0, wanted, 0)
        if not missing.any():
            pairs = np.sort(np.concatenate(settled))
            return pairs // nodes, pairs % nodes
        targets = np.repeat(np.arange(nodes - inputs), missing)
        pairs = np.union1d(pairs[~is_settled], targets * nodes + (random.random(len(targets)) * (targets + inputs)).astype(np.int64))


def generate(seed, members, inputs, nodes, outputs, edges, function):
    """edges: of each member; the same number for each neuron where it divides them, else spread at random."""
    neurons = nodes - inputs
    begins, sources = [np.zeros(1, np.int64)], []
    for m in range(members):
        random = np.random.default_rng([seed, m])
        possible = inputs + np.arange(neurons)
        wanted = np.full(neurons, edges // neurons) if edges % neurons == 0 else 1 + random.multinomial(edges - neurons, possible / possible.sum())
        targets, chosen = random_edges(random, inputs, nodes, outputs, np.minimum(wanted, possible))
        begins.append(begins[-1][-1] + np.cumsum(np.bincount(targets, minlength=neurons)))
        sources.append(chosen)
    random = np.random.default_rng([seed, members])
    edge_begin = np.concatenate(begins)
    fan = np.diff(edge_begin)
    spread = np.sqrt(2 / np.maximum(np.repeat(fan, fan), 2))  # activations keep their size
    weights = np.round(random.standard_normal(edge_begin[-1]) * spread * GRID) / GRID
    biases = np.round(random.uniform(-0.25, 0.25, members * neurons) * GRID) / GRID
    return Networks(inputs, outputs, function, np.arange(members + 1) * neurons, edge_begin, np.concatenate(sources), weights, biases)


def keys_of(networks, neurons):
    """neat-python's keys of the nodes of a member: inputs from -1 down, outputs from 0, then the hidden ones."""
    hidden = neurons - networks.outputs
    return np.concatenate([-1 - np.arange(networks.inputs), networks.outputs + np.arange(hidden), np.arange(networks.outputs)])


def write_json(networks, m, file):
    begin, sources, weights, biases = networks.member(m)
    keys = keys_of(networks, len(biases))
    names = list(map(str, keys.tolist()))
    targets = np.repeat(np.arange(len(biases)) + networks.inputs, np.diff(begin)).tolist()
    function = '"activation": {"name": "%s", "custom": false}, "aggregation": {"name": "sum", "custom": false}' % networks.function
    kinds = ["hidden"] * (len(biases) - networks.outputs) + ["output"] * networks.outputs
    text_of = {int(n): json.dumps(n / GRID) for n in np.unique(np.round(weights * GRID))}
    with open(file, "w") as out:
        topology = {"num_inputs": networks.inputs, "num_outputs": networks.outputs, "input_keys": keys[:networks.inputs].tolist(),
                    "output_keys": list(range(networks.outputs))}
        out.write('{"format_version": "1.0", "network_type": "feedforward", "metadata": {}, "topology": %s,\n"nodes": [\n' % json.dumps(topology))
        out.write(",\n".join([f'{{"id": {name}, "type": "{kind}", {function}, "bias": {bias}, "response": 1.0}}'
                              for name, kind, bias in zip(names[networks.inputs:], kinds, biases.astype(float).tolist())]))
        out.write("".join([f',\n{{"id": {name}, "type": "input", "activation": {{"name": "identity", "custom": false}}, '
                           f'"aggregation": {{"name": "none", "custom": false}}, "bias": 0.0, "response": 1.0}}' for name in names[:networks.inputs]]))
        out.write('],\n"connections": [\n')
        step = 1 << 18
        numbers = np.round(weights * GRID).astype(np.int64).tolist()
        sources = sources.tolist()
        for at in range(0, len(targets), step):
            span = slice(at, at + step)
            out.write((",\n" if at else "") + ",\n".join([f'{{"from": {names[s]}, "to": {names[t]}, "weight": {text_of[w]}, "enabled": true}}'
                                                         for s, t, w in zip(sources[span], targets[span], numbers[span])]))
        out.write("]}\n")


def write_all(networks, path):
    """One file, or a folder of files for a population. Written under another name first: an interrupted run leaves nothing half made."""
    unfinished = Path(path).with_name("unfinished-" + Path(path).name)
    if networks.members == 1:
        write_json(networks, 0, unfinished)
    else:
        unfinished.mkdir(exist_ok=True)
        for m in range(networks.members):
            write_json(networks, m, unfinished / f"{m:05}.json")
    unfinished.rename(path)
