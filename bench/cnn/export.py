"""The networks of the benchmark, with seeded random weights: `export.py NAME FILE.onnx`."""
import sys
import warnings

import torch

from shapes import CONVOLUTIONS, input_shape


def mobilenet_v1():
    def block(inputs, outputs, stride):
        return [torch.nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False), torch.nn.BatchNorm2d(inputs), torch.nn.ReLU(),
                torch.nn.Conv2d(inputs, outputs, 1, bias=False), torch.nn.BatchNorm2d(outputs), torch.nn.ReLU()]
    widths = [(32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), *[(512, 512, 1)] * 5, (512, 1024, 2), (1024, 1024, 1)]
    layers = [torch.nn.Conv2d(3, 32, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(32), torch.nn.ReLU()]
    for inputs, outputs, stride in widths:
        layers += block(inputs, outputs, stride)
    return torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(1024, 1000))


def convolution(size, channels, filters, extent, padding):
    return torch.nn.Sequential(torch.nn.Conv2d(channels, filters, extent, padding=padding), torch.nn.ReLU())


def build(name):
    torch.manual_seed(1)
    if name in CONVOLUTIONS:
        network = convolution(*CONVOLUTIONS[name])
    elif name == "mobilenet_v1":
        network = mobilenet_v1()
    else:
        import torchvision
        network = getattr(torchvision.models, name)(weights=None)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return network.eval()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.onnx.export(build(sys.argv[1]), torch.zeros(input_shape(sys.argv[1], 1)), sys.argv[2], opset_version=17, input_names=["x"], output_names=["y"],
                      dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, dynamo=False)
