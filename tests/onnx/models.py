"""The models of test_models.py, each a name and a graph with seeded weights: light graphs of the onnx package, Kim's CNN for sentences, PP-OCR, torchvision."""
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


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


def with_logits(model):
    """What a last sigmoid reads is an output, too: on noise a detection map is all but zero, pruned nothing else, and would agree with anything."""
    for node in model.graph.node:
        if node.op_type == "Sigmoid" and node.output[0] == model.graph.output[0].name:
            model.graph.output.append(helper.make_tensor_value_info(node.input[0], TensorProto.FLOAT, None))
    return model


def ocr_models():
    try:
        import rapidocr_onnxruntime
    except ImportError:
        print("skipped: PP-OCR (pip install rapidocr-onnxruntime)")
        return
    for file in sorted((pathlib.Path(rapidocr_onnxruntime.__file__).parent / "models").glob("*.onnx")):
        yield file.stem, with_logits(onnx.load(file))


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
