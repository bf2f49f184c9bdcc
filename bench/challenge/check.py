"""Judges the answers of all programs on one case; prints one JSON object: name -> verdict, max_error, survivors.

Values: 64 inputs are evaluated again here in float64, with dense activations; every value must agree within
TOLERANCE x max(1, |expected|). Survivors (inputs with any activation left): all programs must give the same full set;
where they differ, the most common set counts as right, and without a majority nobody is right.

    check.py NETWORK.bin INPUTS.bin NAME=OUTPUT.npy ...
"""
import json
import sys
from collections import Counter

import numpy as np
from scipy import sparse

from text_to_binary import load_inputs, load_network

TOLERANCE = 1e-3
SAMPLE = 64
CLIP = 32


def evaluate(network_file, inputs_file):
    """Gives the sampled inputs' numbers and their final activations in float64."""
    neurons, network = load_network(network_file)
    _, count, row_start, pixel, value = load_inputs(inputs_file)
    images = sparse.csr_array((value.astype(np.float64), pixel, row_start), shape=(count, neurons))
    sample = np.sort(np.random.default_rng(1).choice(count, min(SAMPLE, count), replace=False))
    state = np.ascontiguousarray(images[sample].toarray().T)
    for start, source, weight, bias in network:
        state = sparse.csr_array((weight.astype(np.float64), source, start), shape=(neurons, neurons)) @ state
        state = np.minimum(CLIP, np.maximum(0, state + bias[:, None]))
    return count, sample, state.T


def judge_values(answer, count, sample, expected):
    """Gives the largest error and what is wrong, or an empty text."""
    if answer.shape != (count, expected.shape[1]):
        return None, f"shape {answer.shape}, expected {(count, expected.shape[1])}"
    error = np.abs(answer[sample] - expected) / np.maximum(1, np.abs(expected))
    worst = float(error.max())
    if not worst <= TOLERANCE:
        place = np.unravel_index(np.argmax(~(error <= TOLERANCE)), error.shape)
        return worst, f"input {sample[place[0]] + 1}, neuron {place[1] + 1}: {answer[sample][place]:g}, expected {expected[place]:g}"
    return worst, ""


def main(network_file, inputs_file, *named_outputs):
    count, sample, expected = evaluate(network_file, inputs_file)
    verdicts, sets = {}, {}
    for name, path in (text.split("=", 1) for text in named_outputs):
        answer = np.load(path, mmap_mode="r")
        worst, wrong = judge_values(answer, count, sample, expected)
        alive = np.flatnonzero(np.asarray(answer != 0).any(axis=1))
        sets[name] = alive.tobytes()
        verdicts[name] = {"wrong": wrong, "max_error": worst, "survivors": int(alive.size)}
    ranking = Counter(sets.values()).most_common(2)
    tie = len(ranking) == 2 and ranking[0][1] == ranking[1][1]
    for name, alive in sets.items():
        if not verdicts[name]["wrong"] and (tie or alive != ranking[0][0]):
            verdicts[name]["wrong"] = "survivors differ from the other programs'"
    print(json.dumps(verdicts))


if __name__ == "__main__":
    main(*sys.argv[1:])
