// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_MESSAGE_ROUND_HPP
#define HEDDLE_TRANSPORT_MESSAGE_ROUND_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Messages that all ranks exchange at one point of a program: first added, then run. All ranks construct
/// their rounds in the same order. The data is in host memory (pinned or not).
template <class T> class MessageRound {
public:
  /// name: for error messages. Throws Error for several ranks whose messages must lie on a device.
  MessageRound(Transport& transport, const char* name)
      : transport_(&transport), name_(name), tag_(transport.allocate_tag()) {
    if (transport.ranks() > 1 && transport.memory() == Memory::device) {
      throw Error(name,
                  "messages of the transport '" + std::string(transport.name()) +
                      "' are in device memory, but this exchange is of host memory",
                  "use a transport for host memory, such as mpi");
    }
  }

  /// At most one of each to and from a rank; none to itself. Nothing is sent for a count of 0.
  void send(int rank, T* data, std::int64_t count) { add(send_, rank, data, count); }
  void receive(int rank, T* data, std::int64_t count) { add(receive_, rank, data, count); }

  /// Sends all, and returns when all has come. Throws Error as transports do.
  void run() {
    Stream stream;
    const ExchangeRequest request{name_, tag_, step_++, send_, receive_};
    transport_->start(request, stream);
    transport_->finish(request, stream);
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
};

} // namespace heddle

#endif
