#!/usr/bin/env python3
"""Whole models: `lacuna run` against ONNX Runtime, within 1e-4 of the largest output and 2.4e-7, which is two steps of a float near 1: detection maps are
sigmoids, and on noise PP-OCR's are all below 3e-6, where ONNX Runtime's own levels of optimisation differ by 1.2e-7 from each other.

  tests/onnx/test_models.py [--lacuna build/release/bin/lacuna] [--models light,text,ocr,torch] [--only SUBSTRING] [--all] [--isas avx512,avx2,sse4,scalar]

light: graphs of the onnx package, filled with seeded weights; text: Kim's CNN for sentences, built here; ocr: PP-OCR of rapidocr-onnxruntime; torch:
torchvision exports. Without --all a few light ones and text, each dense and 90% pruned, with every kernel; with --all every sparsity, batch and kernel;
with --isas every kernel on each of these instruction sets.
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
import warnings

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install onnx onnxruntime numpy")

KERNELS = ["auto", "dense", "table", "baked"]
TOLERANCE = 1e-4
SMALLEST = 2.0**-22


def seeded(shape, random):
    """Weights that keep activations at their size; vectors are positive, as variances must be."""
    if len(shape) < 2:
        return random.uniform(0.1, 1.0, shape).astype(np.float32)
    return (random.standard_normal(shape) * np.sqrt(2.0 / max(1, np.prod(shape[1:])))).astype(np.float32)


def light_models(only):
    folder = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
    for file in sorted(folder.glob("*.onnx")):
        if only and only not in file.name:
            continue
        model = onnx.load(file)
        random = np.random.default_rng(1)
        shapes = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
        kept = []
        for node in model.graph.node:
            if node.op_type == "ConstantOfShape" and node.input[0] in shapes:
                model.graph.initializer.append(numpy_helper.from_array(seeded(tuple(shapes[node.input[0]]), random), node.output[0]))
            else:
                kept.append(node)
        del model.graph.node[:]
        model.graph.node.extend(kept)
        yield file.stem, model


def text_model():
    """CNN-non-static: embedding, three widths of convolution over words, max over time, one fully connected layer."""
    random = np.random.default_rng(2)
    words, length, size, filters = 500, 40, 300, 100
    initial = [numpy_helper.from_array(random.standard_normal((words, size)).astype(np.float32), "embedding"),
               numpy_helper.from_array(seeded((2, 3 * filters), random), "w"), numpy_helper.from_array(seeded((2,), random), "b"),
               numpy_helper.from_array(np.array([1], np.int64), "one")]
    nodes = [helper.make_node("Gather", ["embedding", "tokens"], ["vectors"]), helper.make_node("Unsqueeze", ["vectors", "one"], ["image"])]
    pooled = []
    for k in (3, 4, 5):
        initial += [numpy_helper.from_array(seeded((filters, 1, k, size), random), f"w{k}"), numpy_helper.from_array(seeded((filters,), random), f"b{k}")]
        nodes += [helper.make_node("Conv", ["image", f"w{k}", f"b{k}"], [f"c{k}"], kernel_shape=[k, size]), helper.make_node("Relu", [f"c{k}"], [f"r{k}"]),
                  helper.make_node("GlobalMaxPool", [f"r{k}"], [f"p{k}"])]
        pooled.append(f"p{k}")
    nodes += [helper.make_node("Concat", pooled, ["all"], axis=1), helper.make_node("Flatten", ["all"], ["flat"]),
              helper.make_node("Gemm", ["flat", "w", "b"], ["scores"], transB=1), helper.make_node("Softmax", ["scores"], ["y"], axis=1)]
    graph = helper.make_graph(nodes, "text", [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n", length])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])], initial)
    yield "cnn_non_static", helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def ocr_models():
    try:
        import rapidocr_onnxruntime
    except ImportError:
        print("skipped: PP-OCR (pip install rapidocr-onnxruntime)")
        return
    for file in sorted((pathlib.Path(rapidocr_onnxruntime.__file__).parent / "models").glob("*.onnx")):
        yield file.stem, onnx.load(file)


def torch_models(only):
    try:
        import torch
        import torchvision
    except ImportError:
        print("skipped: torchvision models (pip install torch torchvision)")
        return
    for name in ("resnet18", "resnet50", "vgg16", "mobilenet_v2", "mobilenet_v3_large", "squeezenet1_0", "densenet121", "inception_v3", "shufflenet_v2_x1_0"):
        if only and only not in name:
            continue
        torch.manual_seed(1)
        options = {"aux_logits": True, "init_weights": False} if name == "inception_v3" else {}
        network = getattr(torchvision.models, name)(weights=None, **options).eval()
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.5, 1.5)
        size = 299 if name == "inception_v3" else 224
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file = pathlib.Path(folder) / "model.onnx"
            torch.onnx.export(network, torch.zeros(1, 3, size, size), file, opset_version=17, input_names=["x"], output_names=["y"],
                              dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, dynamo=False)
            yield name, onnx.load(file)


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
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LACUNA_ISA": isa} if isa else None)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    json.loads(done.stdout)
    return [np.load(folder / f"out{k}.npy") for k in range(count)]


def check(program, name, model, sparsity, batches, kernels, isas, folder):
    file = folder / "model.onnx"
    onnx.save(model, file)
    if sparsity > 0:
        pruned = folder / "pruned.onnx"
        subprocess.run([program, "prune", str(file), "--sparsity", str(sparsity), "-o", str(pruned)], check=True, capture_output=True)
        file = pruned
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3  # errors; the light graphs make it warn thousands of times
    session = onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
    failed = passed = 0
    for batch in batches:
        feeds = inputs_for(session, batch)
        if feeds is None:
            print(f"skipped: {name}: a dimension that nobody fixes")
            return 0, 0
        if batch != batches[0] and next(iter(feeds.values())).shape[0] != batch:
            continue  # the file fixes its batch
        expected = session.run(None, feeds)
        for kernel, isa in itertools.product(kernels, isas):
            what = f"{name}, {sparsity:.0%} zeros, batch {batch}, {kernel}{' on ' + isa if isa else ''}"
            try:
                computed = run_lacuna(program, file, feeds, len(expected), kernel, isa, folder)
                for c, e in zip(computed, expected):
                    error, largest = float(np.abs(c.astype(np.float64) - e).max()), float(np.abs(e).max())
                    if not error <= TOLERANCE * largest + SMALLEST:
                        raise RuntimeError(f"error {error:.1e}, largest output {largest:.1e}")
                passed += 1
            except RuntimeError as problem:
                failed += 1
                print(f"FAILED: {what}: {problem}")
    return passed, failed


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
    return (0, 1) if problems else (1, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lacuna", default="build/release/bin/lacuna")
    parser.add_argument("--models", default="light,text")
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--isas", default="")
    options = parser.parse_args()
    few = () if options.all or options.only else ("light_squeezenet", "light_shufflenet", "light_resnet50")
    sources = {"light": lambda: light_models(options.only), "text": text_model, "ocr": ocr_models, "torch": lambda: torch_models(options.only)}
    sparsities = [0, 0.5, 0.8, 0.9, 0.95, 0.98] if options.all else [0, 0.9]
    batches = [1, 3, 16] if options.all else [1]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        passed, failed = check_commands(options.lacuna, pathlib.Path(folder))
        for source in options.models.split(","):
            for name, model in sources[source]():
                if source == "light" and few and name not in few:
                    continue
                for sparsity in sparsities:
                    good, bad = check(options.lacuna, name, model, sparsity, batches, KERNELS, options.isas.split(","), pathlib.Path(folder))
                    passed, failed = passed + good, failed + bad
                print(f"{name}: {passed} passed, {failed} failed so far", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
