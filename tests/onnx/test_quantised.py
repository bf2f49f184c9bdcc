#!/usr/bin/env python3
"""Quantised models, as onnxruntime.quantization makes them, against ONNX Runtime: within one step of the output's scale.

  tests/onnx/test_quantised.py [build/release/bin/lacuna]

A small residual CNN, static quantisation, in both formats (QDQ, QOperator), activations of u8 and s8, one scale for all weights and one for each channel; and
single layers with everything a convolution may have. Needs: pip install onnx onnxruntime numpy.
"""
import itertools
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime import quantization
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install onnx onnxruntime numpy")

PROGRAM = pathlib.Path("build/release/bin/lacuna")
onnxruntime.set_default_logger_severity(3)
logging.disable(logging.WARNING)  # the quantiser would like other models


def model_of(nodes, weights, shape):
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(array, name) for name, array in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Maker:
    """Nodes with seeded weights."""

    def __init__(self):
        self.random, self.nodes, self.weights = np.random.default_rng(1), [], {}

    def add(self, operation, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operation, inputs, [output], **attributes))
        return output

    def conv(self, source, output, outputs, inputs, kernel=3, groups=1, **attributes):
        shape = (outputs, inputs // groups, kernel, kernel)
        self.weights[output + "_w"] = (self.random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)
        self.weights[output + "_b"] = self.random.uniform(-0.5, 0.5, outputs).astype(np.float32)
        return self.add("Conv", [source, output + "_w", output + "_b"], output, kernel_shape=[kernel, kernel], group=groups, **attributes)


def small_cnn(batch):
    """A stem, a residual block with a depthwise convolution, pooling, a fully connected layer."""
    make = Maker()
    stem = make.add("Relu", [make.conv("x", "stem", 16, 3, pads=[1] * 4, strides=[2, 2])], "stem_relu")
    pooled = make.add("MaxPool", [stem], "pooled", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inner = make.add("Relu", [make.conv(pooled, "deep", 16, 16, groups=16, pads=[1] * 4)], "deep_relu")
    outer = make.conv(inner, "point", 16, 16, kernel=1)
    total = make.add("Relu", [make.add("Add", [outer, pooled], "sum")], "sum_relu")
    wide = make.add("Relu", [make.conv(total, "wide", 40, 16, pads=[2] * 4, dilations=[2, 2])], "wide_relu")
    flat = make.add("Flatten", [make.add("GlobalAveragePool", [wide], "mean")], "flat")
    make.weights["fc_w"] = (make.random.standard_normal((10, 40)) * 0.2).astype(np.float32)
    make.weights["fc_b"] = make.random.uniform(-0.5, 0.5, 10).astype(np.float32)
    make.add("Gemm", [flat, "fc_w", "fc_b"], "y", transB=1)
    return model_of(make.nodes, make.weights, [batch, 3, 33, 35])


def one_layer(channels=8, **attributes):
    make = Maker()
    make.conv("x", "y", attributes.pop("outputs", 12), channels, **attributes)
    return model_of(make.nodes, make.weights, [2, channels, 11, 13])


class Calibration(quantization.CalibrationDataReader):
    def __init__(self, shape):
        random = np.random.default_rng(2)
        self.batches = iter([{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(4)])

    def get_next(self):
        return next(self.batches, None)


def quantised(model, folder, form, activations, per_channel):
    plain, made = folder / "plain.onnx", folder / "quantised.onnx"
    onnx.save(model, plain)
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    quantization.quantize_static(plain, made, Calibration(shape), quant_format=form, activation_type=activations, weight_type=quantization.QuantType.QInt8,
                                 per_channel=per_channel, extra_options={"ActivationSymmetric": False})
    return made, shape


def output_step(path):
    """The scale of the last values that are dequantised: what one step of the answer is."""
    model = onnx.load(path)
    scales = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    last = [node for node in model.graph.node if node.op_type in ("DequantizeLinear", "QGemm") and model.graph.output[0].name in node.output]
    return float(scales[last[0].input[1]].max())


def threads_at_end(command, environment):
    """The threads that the program has when it is nearly done: those of OpenMP stay, others come and go."""
    readings = [0]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as started:
        while started.poll() is None:
            status = pathlib.Path(f"/proc/{started.pid}/status").read_text()
            readings += [int(line.split()[1]) for line in status.splitlines() if line.startswith("Threads:")]
            time.sleep(0.01)
    return readings[-1]


class Quantised(unittest.TestCase):
    def check(self, model, form, activations, per_channel, steps=1.0):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path, shape = quantised(model, folder, form, activations, per_channel)
            given = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
            expected = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": given})[0]
            np.save(folder / "x.npy", given)
            done = subprocess.run([PROGRAM, "run", path, "--input", folder / "x.npy", "--output", folder / "y.npy"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            off = np.abs(np.load(folder / "y.npy") - expected) / output_step(path)
            self.assertLessEqual(off.max(), steps + 1e-3)
            return off

    def test_a_small_network_in_every_form(self):
        for batch, form, activations, per_channel in itertools.product([1, 3], quantization.QuantFormat, [quantization.QuantType.QUInt8, quantization.QuantType.QInt8], [False, True]):
            with self.subTest(batch=batch, form=form, activations=activations, per_channel=per_channel):
                self.check(small_cnn(batch), form, activations, per_channel)

    @unittest.skipUnless("vnni" in pathlib.Path("/proc/cpuinfo").read_text(), "this CPU has no VNNI: convolutions run in f32")
    def test_every_layer_multiplies_bytes(self):
        for form in quantization.QuantFormat:
            with self.subTest(form=form), tempfile.TemporaryDirectory() as name:
                path, _ = quantised(small_cnn(1), pathlib.Path(name), form, quantization.QuantType.QUInt8, True)
                told = subprocess.run([PROGRAM, "compile", path, "--explain"], capture_output=True, text=True).stdout
                self.assertEqual(told.count(" int8 "), 5, told)  # four convolutions and the fully connected layer

    def test_answers_are_verified_within_steps(self):
        with tempfile.TemporaryDirectory() as name:
            path, _ = quantised(small_cnn(1), pathlib.Path(name), quantization.QuantFormat.QDQ, quantization.QuantType.QUInt8, True)
            done = subprocess.run([PROGRAM, "bench", path, "--seconds", "0.01"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_one_thread_is_one(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path, _ = quantised(small_cnn(1), folder, quantization.QuantFormat.QDQ, quantization.QuantType.QUInt8, True)
            for plan in ("measured", "remembered"):
                threads = threads_at_end([PROGRAM, "bench", path, "--threads", "1", "--seconds", "0.5", "--no-verify"], {**os.environ, "LACUNA_CACHE": str(folder / "cache")})
                self.assertEqual(threads, 1, f"{plan} plan")

    def test_single_layers(self):
        layers = {"padding": one_layer(pads=[1] * 4), "stride": one_layer(pads=[0, 1, 1, 0], strides=[2, 2]), "dilation": one_layer(pads=[2] * 4, dilations=[2, 2]),
                  "groups": one_layer(groups=4), "depthwise": one_layer(outputs=8, groups=8, pads=[1] * 4), "one pixel": one_layer(kernel=1), "odd": one_layer(channels=3, outputs=5, kernel=5)}
        for (name, model), form in itertools.product(layers.items(), quantization.QuantFormat):
            with self.subTest(layer=name, form=form):
                self.check(model, form, quantization.QuantType.QUInt8, True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = pathlib.Path(sys.argv.pop(1))
    unittest.main()
