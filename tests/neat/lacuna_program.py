"""`lacuna run` as a function, and how its answers are judged."""
import json
import subprocess

import numpy as np


class Wrong(Exception):
    """An answer that is not the expected one, or none."""


class Program:
    def __init__(self, path, folder):
        self.path, self.folder, self.calls = path, folder, 0

    def run(self, network, x, precision=None, threads=1, time_step=None):
        """network: a file, or a folder of files. Returns the array that was written."""
        self.calls += 1
        source, target = self.folder / "x.npy", self.folder / "y.npy"
        np.save(source, np.ascontiguousarray(x))
        target.unlink(missing_ok=True)
        command = [self.path, "run", str(network), "--input", str(source), "--output", str(target), "--threads", str(threads), "--json"]
        command += ["--precision", precision] if precision else []
        command += ["--time-step", repr(time_step)] if time_step is not None else []
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"exit {done.returncode}: {done.stderr.strip()}")
        json.loads(done.stdout)
        return np.load(target)


def expect_shape(y, shape, dtype):
    if y.shape != shape or y.dtype != dtype:
        raise Wrong(f"the answer is {y.dtype} {y.shape}, expected {np.dtype(dtype)} {shape}")


def same_bits(computed, expected, what):
    """Bit for bit; any NaN is any other."""
    differs = (computed.view(np.int64) != expected.view(np.int64)) & ~(np.isnan(computed) & np.isnan(expected))
    if differs.any():
        place = tuple(int(k) for k in np.argwhere(differs)[0])
        raise Wrong(f"{what}, f64: {int(differs.sum())} of {differs.size} values differ, the first at {place}: {float(computed[place])!r}, "
                    f"expected {float(expected[place])!r}")


def within(computed, expected, bounds, what):
    """Every value within its bound; infinite bounds judge nothing."""
    off = ~(np.abs(computed.astype(np.float64) - expected) <= bounds) & np.isfinite(bounds)
    if off.any():
        place = tuple(int(k) for k in np.argwhere(off)[0])
        raise Wrong(f"{what}: {int(off.sum())} of {off.size} values are outside their bounds, the first at {place}: {float(computed[place])!r}, "
                    f"expected {float(expected[place])!r} +- {float(bounds[place]):.1e}")
