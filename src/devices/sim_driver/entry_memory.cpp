// Entry points of the simulated driver: memory and copies.
#include <lacuna/error.hpp>

#include "devices/sim_driver/execute.hpp"

using namespace lacuna;
using namespace lacuna::cuda;
using namespace lacuna::sim_driver;

namespace {

/// Drivers look at addresses when they are called, not when the copy is done.
void check_range(const ContextObject& context, DeviceAddress address, std::size_t bytes) {
  if (!context.gpu->memory->find(address).holds(address, bytes)) throw Refusal{Result::invalid_value};
}

}  // namespace

LACUNA_EXPORT Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return enter_context("cuMemGetInfo_v2", [&](State&, ContextObject& context) {
    const sim::Memory& memory = *context.gpu->memory;
    *total_bytes = memory.capacity_bytes();
    *free_bytes = memory.capacity_bytes() - memory.used_bytes();
  });
}

LACUNA_EXPORT Result cuMemAlloc_v2(DeviceAddress* address, std::size_t bytes) {
  return enter_context("cuMemAlloc_v2", [&](State&, ContextObject& context) {
    if (bytes == 0) throw Refusal{Result::invalid_value};
    try {
      *address = context.gpu->memory->allocate(bytes);
    } catch (const DeviceError&) {
      throw Refusal{Result::out_of_memory};
    }
    context.allocations.insert(*address);
  });
}

LACUNA_EXPORT Result cuMemFree_v2(DeviceAddress address) {
  return enter_to_give_back("cuMemFree_v2", [&](State&, ContextObject& context) {
    if (address == 0) return;
    drain_all(context);
    if (context.allocations.erase(address) == 0) throw Refusal{Result::invalid_value};
    context.gpu->memory->free(address);
    end_wait(context, context.gpu->latest());
  });
}

LACUNA_EXPORT Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return enter_context("cuMemHostAlloc", [&](State& own, ContextObject&) {
    if (bytes == 0) throw Refusal{Result::invalid_value};
    auto block = std::make_unique<std::byte[]>(bytes);
    *memory = block.get();
    own.pinned.emplace(*memory, std::pair(std::move(block), bytes));
  });
}

LACUNA_EXPORT Result cuMemFreeHost(void* memory) {
  return enter_to_give_back("cuMemFreeHost", [&](State& own, ContextObject& context) {
    drain_all(context);
    if (own.pinned.erase(memory) == 0) throw Refusal{Result::invalid_value};
  });
}

LACUNA_EXPORT Result cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, std::size_t bytes, StreamHandle stream) {
  return enter_context("cuMemcpyHtoDAsync_v2", [&](State& own, ContextObject& context) {
    if (bytes == 0) return;
    check_range(context, to, bytes);
    CopyIn copy{to, from, {}, bytes};
    const auto* const begin = static_cast<const std::byte*>(from);
    if (!own.is_pinned(from, bytes)) copy.bytes_now.assign(begin, begin + bytes);
    submit(context, stream_of(context, stream), std::move(copy));
  });
}

LACUNA_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, DeviceAddress from, std::size_t bytes, StreamHandle stream) {
  return enter_context("cuMemcpyDtoHAsync_v2", [&](State& own, ContextObject& context) {
    if (bytes == 0) return;
    check_range(context, from, bytes);
    StreamObject& queue = stream_of(context, stream);
    submit(context, queue, CopyOut{to, from, bytes});
    if (own.is_pinned(to, bytes) || queue.is_capturing) return;
    drain(context, queue);  // into pageable memory a driver copies at once
    end_wait(context, queue.seconds);
  });
}

LACUNA_EXPORT Result cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, std::size_t bytes, StreamHandle stream) {
  return enter_context("cuMemcpyDtoDAsync_v2", [&](State&, ContextObject& context) {
    if (bytes == 0) return;
    check_range(context, to, bytes);
    check_range(context, from, bytes);
    submit(context, stream_of(context, stream), CopyWithin{to, from, bytes});
  });
}

LACUNA_EXPORT Result cuMemsetD32Async(DeviceAddress to, unsigned value, std::size_t count, StreamHandle stream) {
  return enter_context("cuMemsetD32Async", [&](State&, ContextObject& context) {
    if (to % 4 != 0) throw Refusal{Result::invalid_value};
    check_range(context, to, count * 4);
    submit(context, stream_of(context, stream), Fill{to, value, count});
  });
}
