"""Reads the challenge's text files once and keeps them in a binary file that every peer loads quickly.

Network file, little endian:  int32 neurons, layers; then for each layer W transposed, compressed by output neuron:
    int32 nnz; int32 row_start[neurons + 1]; int32 source[nnz]; float32 weight[nnz]; float32 bias[neurons]
Inputs file:  int32 neurons, inputs, nnz; int32 row_start[inputs + 1]; int32 pixel[nnz]; float32 value[nnz]
Indices count from 0.

    text_to_binary.py network FOLDER NEURONS LAYERS FILE.bin
    text_to_binary.py inputs  FILE.tsv NEURONS COUNT FILE.bin
"""
import sys
from pathlib import Path

import numpy as np

CHALLENGE_BIAS = {1024: -0.3, 4096: -0.35, 16384: -0.4, 65536: -0.45}


def read_triples(path):
    triples = np.fromfile(path, sep=" ")
    if triples.size % 3:
        raise SystemExit(f"{path}: the number of values is not a multiple of 3; lines are 'row<tab>column<tab>value'")
    rows, columns, values = triples.reshape(-1, 3).T
    return rows.astype(np.int32) - 1, columns.astype(np.int32) - 1, values.astype(np.float32)


def compress(rows, columns, values, row_count):
    """Sorts triples by row, then column; gives row_start, columns, values."""
    order = np.lexsort((columns, rows))
    row_start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=row_count)))).astype(np.int32)
    return row_start, columns[order], values[order]


def read_bias(folder, neurons, layer):
    path = folder / f"n{neurons}-l{layer}-bias.tsv"
    if not path.exists():
        return np.full(neurons, CHALLENGE_BIAS[neurons], np.float32)
    bias = np.fromfile(path, sep=" ").astype(np.float32)
    if bias.size != neurons:
        raise SystemExit(f"{path}: {bias.size} values for {neurons} neurons")
    if bias.max() > 0:
        raise SystemExit(f"{path}: a bias above 0; the peers add the bias only where the sum is not zero")
    return bias


def write_network(folder, neurons, layers, target):
    np.array([neurons, layers], np.int32).tofile(target)
    for layer in range(1, layers + 1):
        sources, outputs, weights = read_triples(folder / f"n{neurons}-l{layer}.tsv")
        row_start, sources, weights = compress(outputs, sources, weights, neurons)
        np.array([sources.size], np.int32).tofile(target)
        for part in (row_start, sources, weights, read_bias(folder, neurons, layer)):
            part.tofile(target)


def write_inputs(text_file, neurons, count, target):
    images, pixels, values = read_triples(text_file)
    wanted = images < count
    row_start, pixels, values = compress(images[wanted], pixels[wanted], values[wanted], count)
    np.array([neurons, count, pixels.size], np.int32).tofile(target)
    for part in (row_start, pixels, values):
        part.tofile(target)


class Reader:
    """Takes arrays one after the other from a binary file."""

    def __init__(self, path):
        self.bytes = np.fromfile(path, np.uint8)
        self.position = 0

    def take(self, count, dtype=np.int32):
        size = count * 4
        part = self.bytes[self.position:self.position + size].view(dtype)
        self.position += size
        return part


def load_network(path):
    """Gives neurons and, for each layer, (row_start, source, weight, bias) of W transposed."""
    reader = Reader(path)
    neurons, layers = (int(n) for n in reader.take(2))
    network = []
    for _ in range(layers):
        nnz = int(reader.take(1)[0])
        network.append((reader.take(neurons + 1), reader.take(nnz), reader.take(nnz, np.float32),
                        reader.take(neurons, np.float32)))
    return neurons, network


def load_inputs(path):
    """Gives neurons, inputs, row_start, pixel, value."""
    reader = Reader(path)
    neurons, inputs, nnz = (int(n) for n in reader.take(3))
    return neurons, inputs, reader.take(inputs + 1), reader.take(nnz), reader.take(nnz, np.float32)


def main(kind, source, neurons, count, target):
    write = {"network": write_network, "inputs": write_inputs}[kind]
    with open(target, "wb") as file:
        write(Path(source), int(neurons), int(count), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
