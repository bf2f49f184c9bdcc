// Constants as weights of layers.
#pragma once

#include <lacuna/network.hpp>

namespace lacuna::frontends::onnx {

/// The same memory, as floats. Needs: it is aligned to them, as all constants are.
Array<float> as_floats(const Array<std::byte>& bytes);

}  // namespace lacuna::frontends::onnx
