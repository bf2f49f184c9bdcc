#!/usr/bin/env python3
"""Whole models: `lacuna run` against ONNX Runtime, within 1e-4 of the largest output and 2.4e-7, which is two steps of a float near 1: detection maps are
sigmoids, and on noise PP-OCR's are all below 3e-6, where ONNX Runtime's own levels of optimisation differ by 1.2e-7 from each other.

  tests/onnx/test_models.py [--lacuna build/release/bin/lacuna] [--models light,text,ocr,torch] [--only SUBSTRING] [--all | --pairs] [--isas avx512,avx2,sse4,scalar]

light: graphs of the onnx package, filled with seeded weights; text: Kim's CNN for sentences, built here; ocr: PP-OCR of rapidocr-onnxruntime; torch:
torchvision exports. Without --all a few light ones and text, each dense and 90% pruned, with every kernel; with --all every sparsity, batch and kernel;
with --isas every kernel on each of these instruction sets; with --pairs every two of these settings together at least once, on every instruction set of
this CPU: about 25 runs of a model instead of 288. A run that takes longer than ten minutes is cut and named.
Needs: pip install onnx onnxruntime numpy (and torch, torchvision or rapidocr-onnxruntime for those models). Exit code: 0 if nothing failed.
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter

sys.dont_write_bytecode = True
try:
    import numpy as np
    import onnx
    import onnxruntime
    from models import light_models, ocr_models, text_model, torch_models
    from pairs import every_pair
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install onnx onnxruntime numpy")

KERNELS = ["auto", "dense", "table", "baked"]
TOLERANCE = 1e-4
SMALLEST = 2.0**-22
LONGEST_SECONDS = 600


def inputs_for(session, batch):
    random = np.random.default_rng(3)
    feeds = {}
    for wanted in session.get_inputs():
        shape = list(wanted.shape)
        fixed = [extent if isinstance(extent, int) and extent > 0 else None for extent in shape]
        if fixed[0] is None:
            fixed[0] = batch
        if len(fixed) == 4 and fixed[1] == 3 and (fixed[2] is None or fixed[3] is None):
            fixed[2], fixed[3] = fixed[2] or 64, fixed[3] or 96
        if None in fixed:
            return None
        feeds[wanted.name] = random.integers(0, 500, fixed) if "int" in wanted.type else random.standard_normal(fixed).astype(np.float32)
    return feeds


def run_lacuna(program, model, feeds, count, kernel, isa, folder):
    command = [program, "run", str(model), "--kernel", kernel, "--json"]
    for k, array in enumerate(feeds.values()):
        np.save(folder / f"in{k}.npy", array)
        command += ["--input", str(folder / f"in{k}.npy")]
    for k in range(count):
        command += ["--output", str(folder / f"out{k}.npy")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_SECONDS,
                          env={**os.environ, "LACUNA_ISA": isa} if isa else None)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    json.loads(done.stdout)
    return [np.load(folder / f"out{k}.npy") for k in range(count)]


def has_open_batch(model):
    constants = {constant.name for constant in model.graph.initializer}
    return any(i.type.tensor_type.shape.dim[0].dim_value <= 0 for i in model.graph.input if i.name not in constants)


def runs_of(name, model, options):
    """Of one model: (sparsity, batch, kernel, instruction set), ordered by file and input."""
    many = options.all or options.pairs
    choices = ([0, 0.5, 0.8, 0.9, 0.95, 0.98] if many else [0, 0.9], [1, 3, 16] if many and has_open_batch(model) else [1], KERNELS, options.isas.split(","))
    return every_pair(choices, seed=name) if options.pairs else list(itertools.product(*choices))


def open_pruned(program, model, sparsity, folder):
    """The file with this share of zeros, and ONNX Runtime's session of it."""
    file = folder / "model.onnx"
    onnx.save(model, file)
    if sparsity > 0:
        pruned = folder / "pruned.onnx"
        subprocess.run([program, "prune", str(file), "--sparsity", str(sparsity), "-o", str(pruned)], check=True, capture_output=True)
        file = pruned
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3  # errors; the light graphs make it warn thousands of times
    return file, onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])


def compare(computed, expected):
    for c, e in zip(computed, expected):
        error, largest = float(np.abs(c.astype(np.float64) - e).max()), float(np.abs(e).max())
        if not error <= TOLERANCE * largest + SMALLEST:
            raise RuntimeError(f"error {error:.1e}, largest output {largest:.1e}")


def check(program, name, model, runs, folder):
    """How many runs passed, failed and were cut."""
    counts = Counter()
    for sparsity, of_file in itertools.groupby(runs, key=lambda run: run[0]):
        file, session = open_pruned(program, model, sparsity, folder)
        for batch, of_input in itertools.groupby(of_file, key=lambda run: run[1]):
            feeds = inputs_for(session, batch)
            if feeds is None:
                print(f"skipped: {name}: a dimension that nobody fixes")
                return counts
            expected = session.run(None, feeds)
            for _, _, kernel, isa in of_input:
                what = f"{name}, {sparsity:.0%} zeros, batch {batch}, {kernel}{' on ' + isa if isa else ''}"
                try:
                    compare(run_lacuna(program, file, feeds, len(expected), kernel, isa, folder), expected)
                    counts["passed"] += 1
                except RuntimeError as problem:
                    counts["failed"] += 1
                    print(f"FAILED: {what}: {problem}", flush=True)
                except subprocess.TimeoutExpired:
                    counts["cut"] += 1
                    print(f"cut after {LONGEST_SECONDS} s: {what}", flush=True)
    return counts


def check_commands(program, folder):
    """bench and compile on a model: what they print, and that measured plans are remembered."""
    _, model = next(text_model())
    file = folder / "commands.onnx"
    onnx.save(model, file)
    environment = {**os.environ, "LACUNA_CACHE": str(folder / "cache")}

    def call(*arguments):
        return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)

    problems = []

    def expect(condition, sentence):
        if not condition:
            problems.append(sentence)

    bench = call("bench", str(file), "--batch", "2", "--seconds", "0.1", "--json")
    expect(bench.returncode == 0, f"bench fails: {bench.stderr}")
    figures = json.loads(bench.stdout) if bench.returncode == 0 else {}
    for key in ("latency_ms_median", "latency_ms_p99", "items_per_s", "active_flops_per_s", "peak_bytes", "seconds_load", "seconds_compile", "layers"):
        expect(key in figures, f"bench --json has no {key}")
    expect(figures.get("verified") is True, "bench does not verify its answer")
    expect(any(layer["kind"].startswith("conv") and "dense_ms" in layer for layer in figures.get("layers", [])), "bench names no convolution")
    first = call("compile", str(file), "--explain")
    expect("kernel, and why" in first.stdout, f"compile --explain prints no table: {first.stdout}{first.stderr}")
    expect("remembered in" not in first.stdout, "a plan for another batch was taken")
    expect("remembered in" in call("compile", str(file), "--explain").stdout, "a measured plan is not remembered")
    np.save(folder / "wrong.npy", np.zeros((2, 39), np.int64))
    wrong = call("run", str(file), "--input", str(folder / "wrong.npy"))
    expect(wrong.returncode == 2 and "40" in wrong.stderr and "39" in wrong.stderr, f"a wrong shape is not told: {wrong.returncode} {wrong.stderr}")
    for isa in ("AVX2", "AVX512_CORE"):  # oneDNN then takes this CPU for one without bf16
        refused = subprocess.run([program, "compile", str(file), "--precision", "bf16"], capture_output=True, text=True,
                                 env={**environment, "DNNL_MAX_CPU_ISA": isa})
        expect(refused.returncode != 0 and "avx512_bf16" in refused.stderr, f"bf16 is not refused on {isa}: {refused.returncode} {refused.stderr}")
    for sentence in problems:
        print(f"FAILED: commands: {sentence}")
    return Counter(failed=1) if problems else Counter(passed=1)


def isas_of_this_cpu(program):
    done = subprocess.run([program, "devices", "--json"], check=True, capture_output=True, text=True)
    return ",".join(next(device["isas"] for device in json.loads(done.stdout)["devices"] if device["name"] == "cpu"))


def sentence(counts):
    return f"{counts['passed']} passed, {counts['failed']} failed" + (f", {counts['cut']} cut" if counts["cut"] else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lacuna", default="build/release/bin/lacuna")
    parser.add_argument("--models", default="light,text")
    parser.add_argument("--only", default="")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--all", action="store_true")
    extent.add_argument("--pairs", action="store_true")
    parser.add_argument("--isas", default="")
    options = parser.parse_args()
    if options.pairs and not options.isas:
        options.isas = isas_of_this_cpu(options.lacuna)
    few = () if options.all or options.pairs or options.only else ("light_squeezenet", "light_shufflenet", "light_resnet50")
    sources = {"light": lambda: light_models(options.only), "text": text_model, "ocr": ocr_models, "torch": lambda: torch_models(options.only)}
    with tempfile.TemporaryDirectory() as folder:
        total = check_commands(options.lacuna, pathlib.Path(folder))
        for source in options.models.split(","):
            for name, model in sources[source]():
                if source == "light" and few and name not in few:
                    continue
                counts = check(options.lacuna, name, model, runs_of(name, model, options), pathlib.Path(folder))
                print(f"{name}: {sentence(counts)}", flush=True)
                total += counts
    print(sentence(total))
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
