// Pooling from planes to planes.
#pragma once

#include "dense/pool.hpp"
#include "devices/cpu/isa.hpp"
#include "engine/tensors/step.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {

StepPointer pool_on_planes(dense::PoolShape pool, const rows::Planes& from, std::size_t input, const rows::Planes& to, std::size_t output, cpu::Isa isa, unsigned threads);

}  // namespace lacuna::engine::tensors
