"""One rival engine on one model: `peer.py ENGINE MODEL INPUT.npy THREADS SECONDS OUTPUT.npy`; prints one JSON object."""
import json
import sys
import time

import numpy

engine, model, source, threads, seconds, output = sys.argv[1:7]
threads, seconds = int(threads), float(seconds)
data = numpy.load(source)


def onnxruntime_engine():
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return onnxruntime.__version__, lambda: session.run(None, {name: data})[0]


def openvino_engine(precision):
    import openvino
    core = openvino.Core()
    network = core.read_model(model)
    network.reshape({network.inputs[0].any_name: list(data.shape)})
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}
    if precision:
        settings["INFERENCE_PRECISION_HINT"] = precision
    request = core.compile_model(network, "CPU", settings).create_infer_request()
    return openvino.__version__, lambda: request.infer([data])[0]


def torch_engine():
    import torch
    from export import build
    torch.set_num_threads(threads)
    network = build(model.split("/")[-1].removesuffix(".onnx").rsplit("-", 1)[0])
    take_weights(network)
    tensor = torch.from_numpy(data)
    traced = torch.jit.optimize_for_inference(torch.jit.trace(network, tensor))
    with torch.inference_mode():
        return torch.__version__, lambda: traced(tensor).numpy()


def take_weights(network):
    """The file's weights in the network's order: an export keeps both, after normalisation was folded in."""
    import onnx
    import torch
    from onnx import numpy_helper
    graph = onnx.load(model).graph
    constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    constants.update({n.output[0]: constants[n.input[0]] for n in graph.node if n.op_type == "Identity" and n.input[0] in constants})  # equal biases are exported once
    layers = [m for m in network.modules() if isinstance(m, (torch.nn.Conv2d, torch.nn.Linear))]
    nodes = [n for n in graph.node if n.op_type in ("Conv", "Gemm")]
    if len(layers) != len(nodes):
        raise SystemExit("the model's layers are not those of the network")
    # Folding is done the same way here: fuse, then take the pruned weights.
    for layer, node in zip(layers, nodes):
        layer.weight.data = torch.from_numpy(constants[node.input[1]].copy())
        if len(node.input) > 2:
            bias = torch.from_numpy(constants[node.input[2]].copy())
            layer.bias = torch.nn.Parameter(bias)
    for name, module in list(network.named_modules()):
        if isinstance(module, torch.nn.BatchNorm2d):
            parent = network.get_submodule(name.rsplit(".", 1)[0]) if "." in name else network
            setattr(parent, name.rsplit(".", 1)[-1], torch.nn.Identity())


def deepsparse_engine():
    import deepsparse
    compiled = deepsparse.compile_model(model, batch_size=data.shape[0], num_cores=threads)
    return deepsparse.__version__, lambda: compiled.run([data])[0]


ENGINES = {"onnxruntime": onnxruntime_engine, "openvino-f32": lambda: openvino_engine("f32"), "openvino": lambda: openvino_engine(""), "torch": torch_engine,
           "deepsparse": deepsparse_engine}
version, run = ENGINES[engine]()
answer = run()
times = []
start = time.perf_counter()
while len(times) < 3 or time.perf_counter() - start < seconds:
    began = time.perf_counter()
    answer = run()
    times.append(time.perf_counter() - began)
numpy.save(output, answer)
times.sort()
print(json.dumps({"version": version, "ms": times[len(times) // 2] * 1e3, "best_ms": times[0] * 1e3}))
