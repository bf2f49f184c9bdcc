"""The ten convolutions of Dong et al. 2020 (sparsity-aware code generation, table 2) and the inputs of all networks; without torch, which only the export needs."""

# Height and width of the input, its channels, filters, extent of a filter, padding; the paper names the height and width of the output.
CONVOLUTIONS = {"conv1": (28, 1, 20, 5, 0), "conv2": (12, 20, 50, 5, 0), "conv3": (32, 3, 32, 5, 2), "conv4": (16, 32, 32, 5, 2), "conv5": (8, 32, 64, 5, 2),
                "conv6": (56, 64, 64, 3, 1), "conv7": (28, 128, 128, 3, 1), "conv8": (224, 3, 64, 3, 1), "conv9": (224, 64, 64, 3, 1), "conv10": (112, 64, 128, 3, 1)}
NETWORKS = ["resnet50", "vgg16", "mobilenet_v1", *CONVOLUTIONS]


def input_shape(name, batch):
    size, channels, *_ = CONVOLUTIONS.get(name, (224, 3))
    return batch, channels, size, size
