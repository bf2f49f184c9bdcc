#!/usr/bin/env python3
"""Models of other people against `lacuna inspect`, `prune` and `convert`: shapes as onnxruntime has them, old operator sets with its values, files that it still reads.

  tests/onnx/test_load.py build/release/bin/lacuna

Needs: pip install onnx onnxruntime numpy (torch and torchvision for the exports, which are skipped without them); run_reference beside the program.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install onnx onnxruntime numpy")

PROGRAM = pathlib.Path("build/release/bin/lacuna")
LIGHT = pathlib.Path(onnx.__file__).parent / "backend/test/data/light"
onnxruntime.set_default_logger_severity(3)


def lacuna(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"lacuna {' '.join(map(str, arguments))}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout)


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def random_inputs(path, batch=1):
    generator = numpy.random.default_rng(1)
    inputs = {}
    for entry in session(path).get_inputs():
        shape = [extent if isinstance(extent, int) else batch for extent in entry.shape]
        inputs[entry.name] = generator.standard_normal(shape).astype(numpy.float32)
    return inputs


def reference(path, inputs, folder):
    """The outputs by Lacuna's reference."""
    for k, array in enumerate(inputs.values()):
        (folder / f"input_{k}").write_bytes(numpy.ascontiguousarray(array).tobytes())
    (folder / "list").write_text("\t".join([str(path), str(folder), *inputs]) + "\n")
    answer = subprocess.run([PROGRAM.parent / "run_reference", folder / "list"], capture_output=True, text=True).stdout.strip().split("\t")
    if answer[0] != "ok":
        raise AssertionError(f"{path}: {answer}")
    outputs = []
    for k, text in enumerate(answer[1:]):
        name, *extents = text.split(" ")
        kind = {"f32": numpy.float32, "i64": numpy.int64}[name]
        outputs.append(numpy.frombuffer((folder / f"output_{k}").read_bytes(), kind).reshape([int(extent) for extent in extents]))
    return outputs


class FolderTest(unittest.TestCase):
    def setUp(self):
        self._temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self._temporary.cleanup)
        self.folder = pathlib.Path(self._temporary.name)


class LightModels(unittest.TestCase):
    """The model zoo's classics, their weights made by ConstantOfShape."""

    def test_shapes_of_outputs(self):
        models = sorted(LIGHT.glob("*.onnx"))
        self.assertGreaterEqual(len(models), 9)
        for path in models:
            with self.subTest(path.name):
                outputs = onnx.load(path).graph.output
                shown = lacuna("inspect", path)["outputs"]
                self.assertEqual([output["name"] for output in shown], [output.name for output in outputs])
                self.assertEqual([output["shape"] for output in shown], [[dim.dim_value for dim in output.type.tensor_type.shape.dim] for output in outputs])

    def test_another_batch(self):
        shown = lacuna("inspect", LIGHT / "light_squeezenet.onnx", "--batch", 3)
        self.assertEqual(shown["outputs"][0]["shape"], [3, 1000, 1, 1])
        self.assertEqual(lacuna("inspect", LIGHT / "light_resnet50.onnx", "--batch", 2)["outputs"][0]["shape"], [2, 1000], "its Reshape has the batch written in")


# name: operator set, shapes of the inputs, nodes (operator, inputs, attributes), initialisers. Each node's output is read by the next; "" is that of the one before.
OLD = {
    "softmax_of_several_axes": (11, [[2, 3, 4]], [("Softmax", ["x0"], {})], {}),
    "softmax_axis_0": (9, [[2, 3]], [("Softmax", ["x0"], {"axis": 0})], {}),
    "log_softmax_with_axes_of_one": (9, [[2, 5, 1, 1]], [("LogSoftmax", ["x0"], {})], {}),
    "hardmax": (11, [[2, 3, 4]], [("Hardmax", ["x0"], {"axis": 2})], {}),
    "clip": (7, [[3, 4]], [("Clip", ["x0"], {"min": -0.5, "max": 0.25})], {}),
    "clip_without_bounds": (7, [[3, 4]], [("Clip", ["x0"], {})], {}),
    "pad": (7, [[1, 2, 3, 4]], [("Pad", ["x0"], {"pads": [0, 0, 1, 2, 0, 0, 2, 1], "value": 1.5})], {}),
    "pad_reflect": (7, [[1, 2, 3, 4]], [("Pad", ["x0"], {"pads": [0, 0, 1, 2, 0, 0, 2, 1], "mode": "reflect"})], {}),
    "slice": (9, [[5, 6]], [("Slice", ["x0"], {"starts": [1, -4], "ends": [1000, -1], "axes": [0, 1]})], {}),
    "slice_without_axes": (9, [[5, 6]], [("Slice", ["x0"], {"starts": [1, 2], "ends": [4, 5]})], {}),
    "squeeze_unsqueeze": (11, [[2, 1, 3, 1]], [("Squeeze", ["x0"], {"axes": [1]}), ("Unsqueeze", [""], {"axes": [0, 3]})], {}),
    "squeeze_all": (11, [[2, 1, 3, 1]], [("Squeeze", ["x0"], {})], {}),
    "reduce_mean": (12, [[2, 3, 4]], [("ReduceMean", ["x0"], {"axes": [-1, 1], "keepdims": 0})], {}),
    "reduce_sum": (12, [[2, 3, 4]], [("ReduceSum", ["x0"], {"axes": [1]})], {}),
    "reduce_max_of_all": (12, [[2, 3, 4]], [("ReduceMax", ["x0"], {})], {}),
    "top_k": (9, [[3, 8]], [("TopK", ["x0"], {"k": 3})], {}),
    "upsample_7": (7, [[1, 2, 3, 4]], [("Upsample", ["x0"], {"scales": [1.0, 1.0, 2.0, 3.0]})], {}),
    "upsample_9": (9, [[1, 2, 3, 4]], [("Upsample", ["x0", "s"], {})], {"s": numpy.array([1, 1, 2, 2], numpy.float32)}),
    "upsample_linear": (9, [[1, 2, 3, 4]], [("Upsample", ["x0", "s"], {"mode": "linear"})], {"s": numpy.array([1, 1, 2, 2], numpy.float32)}),
    "resize_10": (10, [[1, 2, 3, 4]], [("Resize", ["x0", "s"], {})], {"s": numpy.array([1, 1, 2, 2], numpy.float32)}),
    "resize_10_smaller": (10, [[1, 2, 6, 9]], [("Resize", ["x0", "s"], {})], {"s": numpy.array([1, 1, 0.5, 0.34], numpy.float32)}),
    "resize_11": (11, [[1, 2, 3, 4]], [("Resize", ["x0", "e", "e", "z"], {"mode": "linear", "coordinate_transformation_mode": "align_corners"})],
                  {"e": numpy.array([], numpy.float32), "z": numpy.array([1, 2, 5, 7], numpy.int64)}),
    "batch_normalization": (7, [[2, 3, 4]], [("BatchNormalization", ["x0", "a", "a", "a", "b"], {"epsilon": 1e-3})],
                            {"a": numpy.array([1, 2, 3], numpy.float32), "b": numpy.array([0.5, 1, 2], numpy.float32)}),
    "split_sizes": (11, [[2, 7]], [("Split", ["x0"], {"axis": 1, "split": [3, 4]})], {}),
    "dropout": (7, [[2, 7]], [("Dropout", ["x0"], {"ratio": 0.4}), ("Relu", [""], {})], {}),
    "sum_max_of_three": (8, [[2, 3], [3], [2, 1]], [("Sum", ["x0", "x1", "x2"], {}), ("Max", ["", "x1", "x0"], {})], {}),
    "gemm_with_a_row": (7, [[2, 3]], [("Gemm", ["x0", "w", "c"], {"alpha": 0.5, "beta": 2.0})],
                        {"w": numpy.arange(12, dtype=numpy.float32).reshape(3, 4), "c": numpy.ones((1, 4), numpy.float32)}),
    "gemm_with_a_column": (9, [[2, 3]], [("Gemm", ["x0", "w", "c"], {})],
                           {"w": numpy.arange(12, dtype=numpy.float32).reshape(3, 4), "c": numpy.array([[1], [2]], numpy.float32)}),
    "gemm_transposed": (11, [[3, 2]], [("Gemm", ["x0", "w"], {"transA": 1, "transB": 1})], {"w": numpy.arange(12, dtype=numpy.float32).reshape(4, 3)}),
    "conv_same_upper": (11, [[1, 2, 7, 8]], [("Conv", ["x0", "w"], {"auto_pad": "SAME_UPPER", "strides": [2, 3]})],
                        {"w": numpy.linspace(-1, 1, 2 * 3 * 3 * 4, dtype=numpy.float32).reshape(3, 2, 3, 4)}),
    "conv_same_lower": (11, [[1, 2, 7, 8]], [("Conv", ["x0", "w"], {"auto_pad": "SAME_LOWER"})],
                        {"w": numpy.linspace(-1, 1, 2 * 3 * 3 * 4, dtype=numpy.float32).reshape(3, 2, 3, 4)}),
    "conv_1d_in_groups": (11, [[2, 4, 9]], [("Conv", ["x0", "w"], {"group": 2, "dilations": [2], "pads": [1, 2]})],
                          {"w": numpy.linspace(-1, 1, 6 * 2 * 3, dtype=numpy.float32).reshape(6, 2, 3)}),
    "conv_of_two_inputs": (11, [[1, 2, 5, 5], [3, 2, 2, 2]], [("Conv", ["x0", "x1"], {"auto_pad": "VALID"})], {}),
    "max_pool_same": (8, [[1, 2, 7, 8]], [("MaxPool", ["x0"], {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"})], {}),
    "average_pool_same_lower": (7, [[1, 2, 7, 8]], [("AveragePool", ["x0"], {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"})], {}),
    "conv_transpose_output_shape": (11, [[1, 2, 4, 4]], [("ConvTranspose", ["x0", "w"], {"output_shape": [8, 7], "strides": [2, 2]})],
                                    {"w": numpy.linspace(-1, 1, 2 * 3 * 9, dtype=numpy.float32).reshape(2, 3, 3, 3)}),
    "conv_transpose_same": (11, [[1, 2, 4, 4]], [("ConvTranspose", ["x0", "w"], {"auto_pad": "SAME_UPPER", "strides": [2, 2]})],
                            {"w": numpy.linspace(-1, 1, 2 * 3 * 9, dtype=numpy.float32).reshape(2, 3, 3, 3)}),
}


def make_model(operator_set, shapes, nodes, constants):
    made = []
    for k, (operator, inputs, attributes) in enumerate(nodes):
        names = [name or f"v{k - 1}" for name in inputs]
        outputs = [f"v{k}"]
        if operator in ("TopK", "Split"):
            outputs.append(f"w{k}")
        made.append(helper.make_node(operator, names, outputs, **attributes))
    kinds = [TensorProto.FLOAT, TensorProto.INT64 if nodes[-1][0] == "TopK" else TensorProto.FLOAT]
    graph = helper.make_graph(made, "old", [helper.make_tensor_value_info(f"x{k}", TensorProto.FLOAT, shape) for k, shape in enumerate(shapes)],
                              [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(made[-1].output, kinds)],
                              [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", operator_set)], ir_version=7)


class OldOperatorSets(FolderTest):
    def test_values(self):
        for name, description in OLD.items():
            with self.subTest(name):
                path = self.folder / f"{name}.onnx"
                onnx.save(make_model(*description), path)
                inputs = random_inputs(path)
                wanted = session(path).run(None, inputs)
                for got, want in zip(reference(path, inputs, self.folder), wanted, strict=True):
                    numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


class Exports(FolderTest):
    """What torchvision gives, with a batch that is open."""

    def test_shapes_and_values(self):
        try:
            import torch
            import torchvision
        except ImportError as error:
            self.skipTest(f"{error.name} is missing")
        warnings.simplefilter("ignore")
        for name in ["mobilenet_v3_small", "shufflenet_v2_x0_5", "squeezenet1_1", "mnasnet0_5"]:
            with self.subTest(name):
                torch.manual_seed(0)
                path = self.folder / f"{name}.onnx"
                model = getattr(torchvision.models, name)(weights=None).eval()
                torch.onnx.export(model, torch.randn(1, 3, 64, 64), path, dynamo=False, opset_version=17, input_names=["x"], output_names=["y"],
                                  dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})
                self.assertEqual(lacuna("inspect", path, "--batch", 3)["outputs"][0]["shape"], [3, 1000])
                inputs = random_inputs(path)
                numpy.testing.assert_allclose(reference(path, inputs, self.folder)[0], session(path).run(None, inputs)[0], rtol=1e-4, atol=1e-5)


def two_layers(folder):
    generator = numpy.random.default_rng(2)
    constants = {name: generator.standard_normal(shape).astype(numpy.float32) for name, shape in {"a": (64, 200), "b": (200, 300), "c": (300, 7)}.items()}
    path = folder / "dense.onnx"
    model = make_model(13, [[2, 64]], [("MatMul", ["x0", "a"], {}), ("Relu", [""], {}), ("MatMul", ["", "b"], {}), ("MatMul", ["", "c"], {})], constants)
    model.producer_name = "somebody else"
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("v3", TensorProto.FLOAT, [2, 7]))
    onnx.save(model, path)
    return path


class Writing(FolderTest):
    def setUp(self):
        super().setUp()
        self.path = two_layers(self.folder)
        self.pruned = self.folder / "pruned.onnx"

    def weights(self, path):
        return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}

    def test_each_layer_loses_its_smallest_weights_but_the_first(self):
        report = lacuna("prune", self.path, "--sparsity", 0.9, "-o", self.pruned)
        self.assertEqual([layer["note"] for layer in report["layers"]], ["first layer", "", ""])
        before, after = self.weights(self.path), self.weights(self.pruned)
        numpy.testing.assert_array_equal(before["a"], after["a"])
        for name in "bc":
            kept = after[name] != 0
            self.assertEqual(kept.sum(), round(before[name].size * 0.1))
            numpy.testing.assert_array_equal(after[name][kept], before[name][kept])
            self.assertGreaterEqual(numpy.abs(before[name][kept]).min(), numpy.abs(before[name][~kept]).max())

    def test_one_threshold_for_all(self):
        lacuna("prune", self.path, "--sparsity", 0.8, "--scope", "global", "--prune-first", "-o", self.pruned)
        before, after = self.weights(self.path), self.weights(self.pruned)
        gone = numpy.concatenate([numpy.abs(before[name][after[name] == 0]) for name in "abc"])
        kept = numpy.concatenate([numpy.abs(after[name][after[name] != 0]) for name in "abc"])
        self.assertGreaterEqual(kept.min(), gone.max())
        self.assertEqual(len(gone), round(0.8 * (len(gone) + len(kept))))

    def test_shares_by_name(self):
        (self.folder / "shares.json").write_text('{"a": 0.5}')
        report = lacuna("prune", self.path, "--per-layer", self.folder / "shares.json", "-o", self.pruned)
        self.assertEqual([round(layer["sparsity"], 3) for layer in report["layers"]], [0.5, 0, 0])

    def test_everything_else_stays_byte_for_byte(self):
        lacuna("prune", self.path, "--sparsity", 0.5, "-o", self.pruned)
        before, after = onnx.load(self.path), onnx.load(self.pruned)
        for model in (before, after):
            del model.graph.initializer[:]
        self.assertEqual(before.SerializeToString(), after.SerializeToString())

    def test_sparse_files_are_small_and_give_the_same_bits(self):
        sparse, dense = self.folder / "sparse.onnx", self.folder / "again.onnx"
        lacuna("prune", self.path, "--sparsity", 0.9, "--prune-first", "-o", self.pruned)
        report = lacuna("convert", self.pruned, sparse, "--sparse")
        self.assertEqual(report["tensors"], 3)
        self.assertLess(sparse.stat().st_size, self.pruned.stat().st_size / 4)
        self.assertEqual(lacuna("convert", sparse, dense, "--dense")["tensors"], 3)
        inputs = random_inputs(self.pruned)
        wanted = session(self.pruned).run(None, inputs)[0]
        for path in (sparse, dense):
            onnx.checker.check_model(str(path))
            numpy.testing.assert_array_equal(session(path).run(None, inputs)[0], wanted)
            self.assertEqual(lacuna("inspect", path)["hash"], lacuna("inspect", self.pruned)["hash"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    if not PROGRAM.exists() or not (PROGRAM.parent / "run_reference").exists():
        sys.exit(f"{PROGRAM} or run_reference beside it does not exist; build both with -DLACUNA_BUILD_TESTS=ON")
    unittest.main()
