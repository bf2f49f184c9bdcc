"""SharpNEAT's .net files: what they say and what SharpNEAT answers, in plain Python.

Sections between empty lines: inputs and outputs; "acyclic", or "cyclic" and the number of updates for one activation; edges; functions, of which the first is every
neuron's. Nodes 0 .. inputs-1 are the inputs, the next ones the outputs. No biases: a file's own inputs hold the one. SharpNEAT adds with fused
multiply-adds, so answers are compared within the bound of a sum in any order.
"""
import math
import re

from plain_network import Network, Node

FUNCTIONS = {"LeakyReLU": lambda z: 0.001 * z if z < 0 else z, "ReLU": lambda z: z if z > 0 else 0.0, "Logistic": lambda z: 1 / (1 + math.exp(-z)),
             "Gaussian": lambda z: math.exp(-((2.5 * z) ** 2)), "Sine": lambda z: math.sin(2 * z)}


def read(file):
    lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    sections = re.split(r"\n\n+", "\n".join(line for line in lines if not line.startswith("#")).strip())
    inputs, outputs = map(int, sections[0].split())
    cycles = sections[1].split()
    function = sections[3].splitlines()[0].split()[1]
    edges = [(int(source), int(target), float(weight)) for source, target, weight in map(str.split, sections[2].splitlines())]
    keys = sorted({inputs + k for k in range(outputs)} | {node for edge in edges for node in edge[:2] if node >= inputs})
    network = Network("recurrent" if cycles[0] == "cyclic" else "feedforward", list(range(inputs)), list(range(inputs, inputs + outputs)),
                      {key: Node(function) for key in keys}, FUNCTIONS, int(cycles[1]) if cycles[0] == "cyclic" else 1)
    for source, target, weight in sorted(edges):
        network.nodes[target].links.append((source, weight))
    return network
