// Memory of a GPU, and the pinned memory of the host through which bytes travel there and back.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "devices/cuda/context.hpp"
#include "devices/gpu/device.hpp"

namespace lacuna::cuda {

class Event {
 public:
  explicit Event(Context& context, bool has_time = false);  ///< needs: a Turn; here and below the context outlives it
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(StreamHandle stream);             ///< after what the stream was asked for so far
  void wait() const;                            ///< until the device has come there; at once if it was never recorded
  void let_wait(StreamHandle stream) const;     ///< what the stream is asked for from now on is done after the last record
  double seconds_since(const Event& start) const;

 private:
  Context& context_;
  EventHandle handle_ = nullptr;
};

/// Writes go in a stream of their own, beside the work. What is asked for is still done in order as far as anybody can see: a write waits for the work
/// that used the buffer before it, and work waits for the writes of the buffers that it uses. So one buffer is filled while kernels work on another.
class Buffer final : public gpu::Buffer {
 public:
  /// Throws DeviceError that says how much was wanted and how much is free.
  Buffer(ContextPointer context, std::size_t bytes);
  ~Buffer() override;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t bytes() const override { return bytes_; }
  DeviceAddress address() const { return address_; }
  const Context& context() const { return *context_; }

  /// Around work of the context's stream() with the buffer, and around writes; they need a Turn.
  void begin_use();
  void end_use();
  void begin_write();
  void end_write();

 private:
  ContextPointer context_;
  std::size_t bytes_;
  DeviceAddress address_ = 0;
  bool is_used_ = false;      ///< since the last write
  bool is_written_ = false;   ///< and nobody has waited for it
  std::unique_ptr<Event> used_;     ///< of buffers that are written again after they were used: recorded after each use
  std::unique_ptr<Event> written_;
};

/// Two pinned blocks that take turns: while one travels, the other is filled or emptied. Their memory is taken when it is needed first.
class Staging {
 public:
  Staging(Context& context, StreamHandle stream) : context_(context), stream_(stream) {}

  void write(DeviceAddress target, std::span<const std::byte> bytes);  ///< needs: a Turn; so does read
  void read(DeviceAddress source, std::span<std::byte> bytes);         ///< waits. One Staging either writes or reads

 private:
  class Block {
   public:
    explicit Block(Context& context);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    std::byte* data() { return static_cast<std::byte*>(data_); }
    Event& is_free() { return is_free_; }

   private:
    Context& context_;
    Event is_free_;
    void* data_ = nullptr;
  };
  Block& block(std::size_t number);

  Context& context_;
  StreamHandle stream_;
  std::array<std::unique_ptr<Block>, 2> blocks_;
  std::size_t writing_ = 0;     ///< the block that write() fills, piece after piece
  std::size_t used_bytes_ = 0;  ///< of it
};

}  // namespace lacuna::cuda
