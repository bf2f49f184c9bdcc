"""Networks of single neurons in plain Python: neat-python's JSON, and the answers its own node functions give, neuron by neuron.

What a neuron is: y = activation(bias + response * aggregation([value * weight, ...])), the edges in the order of the file. Nodes that a file mentions
without listing them stay zero, as in neat-python's recurrent networks.
"""
import json
import math
import sys
from dataclasses import dataclass, field

import neat.aggregations
import neat.math_util
from neat.activations import ActivationFunctionSet
from neat.aggregations import AggregationFunctionSet

ACTIVATIONS = dict(ActivationFunctionSet().functions)
AGGREGATIONS = dict(AggregationFunctionSet().functions)


def plain_sum(values):
    """Left to right, as sum() is up to Python 3.11: newer ones compensate the rounding errors of floats."""
    total = 0
    for value in values:
        total = total + value
    return total


if sys.version_info >= (3, 12):
    neat.aggregations.sum = neat.math_util.sum = plain_sum  # Lacuna's exact mode is the plain sum


@dataclass
class Node:
    activation: str = "identity"
    aggregation: str = "sum"
    bias: float = 0.0
    response: float = 1.0
    time_constant: float = 1.0
    links: list = field(default_factory=list)  # (source, weight)


@dataclass
class Network:
    kind: str  # feedforward, recurrent or ctrnn
    inputs: list
    outputs: list
    nodes: dict  # key -> Node
    activations: dict = field(default_factory=lambda: ACTIVATIONS)
    steps: int = 1

    def edges(self):
        return sum(len(node.links) for node in self.nodes.values())


def from_json(text):
    data = json.loads(text)
    topology = data["topology"]
    network = Network(data["network_type"], topology["input_keys"], topology["output_keys"], {})
    for node in data["nodes"]:
        if node["type"] != "input":
            network.nodes[node["id"]] = Node(node["activation"]["name"], node["aggregation"]["name"], node["bias"], node["response"], node.get("time_constant", 1.0))
    for connection in data["connections"]:
        if connection["enabled"]:
            network.nodes[connection["to"]].links.append((connection["from"], connection["weight"]))
    return network


def to_json(network, extra_connections=()):
    """As neat.export writes it: neurons first, inputs last. extra_connections: (place, connection), put among the others."""
    nodes = [{"id": key, "type": "output" if key in network.outputs else "hidden", "activation": {"name": node.activation, "custom": False},
              "aggregation": {"name": node.aggregation, "custom": False}, "bias": node.bias, "response": node.response,
              **({"time_constant": node.time_constant} if network.kind == "ctrnn" else {})} for key, node in network.nodes.items()]
    nodes += [{"id": key, "type": "input", "activation": {"name": "identity", "custom": False}, "aggregation": {"name": "none", "custom": False}, "bias": 0.0,
               "response": 1.0, **({"time_constant": 1.0} if network.kind == "ctrnn" else {})} for key in network.inputs]
    connections = [{"from": source, "to": key, "weight": weight, "enabled": True} for key, node in network.nodes.items() for source, weight in node.links]
    for place, connection in extra_connections:
        connections.insert(place, connection)
    return json.dumps({"format_version": "1.0", "network_type": network.kind, "metadata": {},
                       "topology": {"num_inputs": len(network.inputs), "num_outputs": len(network.outputs), "input_keys": network.inputs,
                                    "output_keys": network.outputs}, "nodes": nodes, "connections": connections})


def order_of(network):
    """Neurons after their sources; a cycle is a mistake of the caller."""
    order, done, waiting = [], set(), [(key, False) for key in reversed(list(network.nodes))]
    while waiting:
        key, sources_done = waiting.pop()
        if key in done or key not in network.nodes:
            continue
        if sources_done:
            done.add(key)
            order.append(key)
        else:
            waiting.append((key, True))
            waiting += [(source, False) for source, _ in network.nodes[key].links if source not in done]
    return order


def function_of(network, node, values):
    terms = [values.get(source, 0.0) * weight for source, weight in node.links]
    y = network.activations[node.activation](node.bias + node.response * AGGREGATIONS[node.aggregation](terms))
    if not math.isfinite(y):
        raise OverflowError(f"a value of {y}")  # Python's own functions raise it too, for some of these
    return y


def evaluate(network, sequence, time_step=0.01):
    """The outputs after each row of one sequence of inputs; the state of a recurrent network goes on from row to row."""
    values = {key: 0.0 for key in network.nodes}
    order = order_of(network) if network.kind == "feedforward" else None
    decays = {key: math.exp(-time_step / node.time_constant) for key, node in network.nodes.items()} if network.kind == "ctrnn" else None
    answers = []
    for row in sequence:
        values.update(zip(network.inputs, map(float, row)))
        if network.kind == "feedforward":
            for key in order:
                values[key] = function_of(network, network.nodes[key], values)
        for _ in range(network.steps if network.kind != "feedforward" else 0):
            now = {key: function_of(network, node, values) for key, node in network.nodes.items()}
            if network.kind == "ctrnn":  # exponential Euler, neat-python's from 2.1 on; 2.0 steps differently and answers with older values
                now = {key: decays[key] * values[key] + (1.0 - decays[key]) * z for key, z in now.items()}
            values.update(now)
        answers.append([values.get(key, 0.0) for key in network.outputs])
    return answers
