// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_MESSAGE_ROUND_HPP
#define HEDDLE_TRANSPORT_MESSAGE_ROUND_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Messages of a round whose data does not lie in the memory in which a transport wants it: copied there and
/// back.
class StagedMessages {
public:
  /// data: where that of the request lies. Returns when all has come, or throws Error as transports do.
  void exchange(Transport& transport, const ExchangeRequest& request, Memory data, Stream& stream);

private:
  Buffer<std::byte> copies_; // of all messages, for the next rounds too
  std::optional<Stream> own_;
};

/// Messages that all ranks exchange at one point of a program: first added, then run. All ranks construct
/// their rounds in the same order.
template <class T> class MessageRound {
public:
  /// name: for error messages. transport must outlive this.
  MessageRound(Transport& transport, const char* name)
      : transport_(&transport), name_(name), tag_(transport.allocate_tag()) {}

  /// At most one of each to and from a rank; none to itself. Nothing is sent for a count of 0.
  void send(int rank, T* data, std::int64_t count) { add(send_, rank, data, count); }
  void receive(int rank, T* data, std::int64_t count) { add(receive_, rank, data, count); }

  /// Sends all, and returns when all has come. The data is in host memory (pinned or not). Throws Error as
  /// transports do.
  void run() {
    Stream stream;
    run(Memory::host, stream);
  }
  /// The same for data in this memory, in the order of a stream of that memory. Where data and messages lie
  /// on a device, all may come later: what the stream does next finds it.
  void run(Memory data, Stream& stream) {
    const ExchangeRequest request{name_, tag_, step_++, send_, receive_};
    const bool together = (data == Memory::device) == (transport_->memory() == Memory::device);
    if (together || transport_->ranks() == 1) {
      transport_->start(request, stream);
      transport_->finish(request, stream);
    } else {
      staged_.exchange(*transport_, request, data, stream);
    }
    send_.clear();
    receive_.clear();
  }

private:
  static void add(std::vector<Message>& messages, int rank, T* data, std::int64_t count) {
    if (count > 0)
      messages.push_back(
          {rank, reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(count) * sizeof(T)});
  }

  Transport* transport_;
  const char* name_;
  int tag_;
  std::int64_t step_ = 0;
  std::vector<Message> send_;
  std::vector<Message> receive_;
  StagedMessages staged_;
};

} // namespace heddle

#endif
