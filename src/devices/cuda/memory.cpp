#include "devices/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace lacuna::cuda {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;  // enough for the bus to be busy; two of them are pinned for each GPU

}  // namespace

Buffer::Buffer(ContextPointer context, std::size_t bytes) : context_(std::move(context)), bytes_(bytes) {
  const Context::Turn turn(*context_);
  const DriverApi& api = context_->api();
  std::size_t free_bytes = 0, total_bytes = 0;
  context_->call(api.memory_info, &free_bytes, &total_bytes);
  const std::string what = fmt::format("for {} ({} of {} are free)", base::human_bytes(bytes), base::human_bytes(free_bytes), base::human_bytes(total_bytes));
  context_->call_for(api.allocate, what, &address_, std::max<std::size_t>(bytes, 4));  // the driver refuses to allocate nothing
}

Buffer::~Buffer() {
  const Context::Turn turn(*context_, std::nothrow);
  used_.reset();
  written_.reset();
  context_->give_back(context_->api().free, address_);
}

void Buffer::begin_use() {
  if (!is_written_) return;
  written_->let_wait(context_->stream());
  is_written_ = false;
}

void Buffer::end_use() {
  is_used_ = true;
  if (used_) used_->record(context_->stream());
}

void Buffer::begin_write() {
  if (!is_used_) return;
  if (!used_) {  // the first time: after everything so far; from now on uses are recorded
    used_ = std::make_unique<Event>(*context_);
    used_->record(context_->stream());
  }
  used_->let_wait(context_->write_stream());
  is_used_ = false;
}

void Buffer::end_write() {
  if (!written_) written_ = std::make_unique<Event>(*context_);
  written_->record(context_->write_stream());
  is_written_ = true;
}

Event::Event(Context& context, bool has_time) : context_(context) { context.call(context.api().create_event, &handle_, has_time ? 0u : event_without_time); }

Event::~Event() { context_.give_back(context_.api().destroy_event, handle_); }

void Event::record(StreamHandle stream) { context_.call(context_.api().record_event, handle_, stream); }

void Event::let_wait(StreamHandle stream) const { context_.call(context_.api().let_stream_wait, stream, handle_, 0u); }

void Event::wait() const { context_.call(context_.api().wait_for_event, handle_); }

double Event::seconds_since(const Event& start) const {
  float milliseconds = 0;
  context_.call(context_.api().elapsed, &milliseconds, start.handle_, handle_);
  return static_cast<double>(milliseconds) * 1e-3;
}

Staging::Block::Block(Context& context) : context_(context), is_free_(context) {
  context.call_for(context.api().allocate_pinned, fmt::format("for {} of pinned memory", base::human_bytes(block_bytes)), &data_, block_bytes, 0u);
}

Staging::Block::~Block() { context_.give_back(context_.api().free_pinned, data_); }

Staging::Block& Staging::block(std::size_t number) {
  std::unique_ptr<Block>& block = blocks_[number % blocks_.size()];
  if (!block) block = std::make_unique<Block>(context_);
  return *block;
}

void Staging::write(DeviceAddress target, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (used_bytes_ == block_bytes) {
      block(++writing_).is_free().wait();
      used_bytes_ = 0;
    }
    Block& through = block(writing_);
    const std::size_t count = std::min(bytes.size(), block_bytes - used_bytes_);
    std::memcpy(through.data() + used_bytes_, bytes.data(), count);
    context_.call(context_.api().copy_in, target, through.data() + used_bytes_, count, stream_);
    through.is_free().record(stream_);
    used_bytes_ = std::min(block_bytes, (used_bytes_ + count + 255) / 256 * 256);  // the bus likes aligned pieces
    bytes = bytes.subspan(count);
    target += count;
  }
}

void Staging::read(DeviceAddress source, std::span<std::byte> bytes) {
  const std::size_t pieces = (bytes.size() + block_bytes - 1) / block_bytes;
  const auto piece_of = [&](std::size_t piece) { return bytes.subspan(piece * block_bytes, std::min(block_bytes, bytes.size() - piece * block_bytes)); };
  for (std::size_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      Block& through = block(piece);
      context_.call(context_.api().copy_out, through.data(), source + piece * block_bytes, piece_of(piece).size(), stream_);
      through.is_free().record(stream_);
    }
    if (piece == 0) continue;
    Block& arrived = block(piece - 1);
    arrived.is_free().wait();
    std::memcpy(piece_of(piece - 1).data(), arrived.data(), piece_of(piece - 1).size());
  }
}

}  // namespace lacuna::cuda
