"""What every Python peer shares: it reads the binary files, and prints one JSON object about its run.

    PEER.py NETWORK.bin INPUTS.bin THREADS OUTPUT.npy
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from text_to_binary import load_inputs, load_network  # noqa: E402

CLIP = 32


def read_arguments():
    """Gives (neurons, layers, inputs, threads, output file); inputs = (count, row_start, pixel, value)."""
    network_file, inputs_file, threads, output_file = sys.argv[1:]
    neurons, layers = load_network(network_file)
    _, *inputs = load_inputs(inputs_file)
    return neurons, layers, inputs, int(threads), output_file


def finish(output_file, answer, seconds, **details):
    np.save(output_file, np.ascontiguousarray(answer, dtype=np.float32))
    print(json.dumps({"seconds_run": seconds, **details}))
