// The whole public API.
#pragma once

#include <lacuna/array.hpp>
#include <lacuna/bit_matrix.hpp>
#include <lacuna/check.hpp>
#include <lacuna/compile.hpp>
#include <lacuna/devices.hpp>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <lacuna/network.hpp>
#include <lacuna/neuro.hpp>
#include <lacuna/neuron_function.hpp>
#include <lacuna/neuron_graph.hpp>
#include <lacuna/onnx.hpp>
#include <lacuna/optimise.hpp>
#include <lacuna/progress.hpp>
#include <lacuna/sparse_matrix.hpp>
#include <lacuna/store.hpp>
#include <lacuna/tensor.hpp>
