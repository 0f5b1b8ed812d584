// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_TRANSPORT_HPP
#define HEDDLE_TRANSPORT_TRANSPORT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/lane_array.hpp"

namespace heddle {

/// Bytes for another rank, or from it.
struct Message {
  int peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// The messages of one exchange that is under way. At most one from and one to each rank.
struct ExchangeRequest {
  std::string_view plan; // for people
  int tag = 0;           // tells the exchanges of a program apart, see Transport::allocate_tag
  std::int64_t step = 0; // how often this exchange ran before
  std::span<const Message> send;
  std::span<const Message> receive;

  /// "rank 1, 'heat::step before', step 7", for error messages.
  [[nodiscard]] std::string on(int rank) const;
};

/// The vectors of the fields of an exchange: fields[f] are the groups of field f here. plan:
/// HaloPlan::hash().
struct ExchangedArrays {
  std::uint64_t plan = 0;
  std::vector<std::vector<LaneArray>> fields;
};

/// How bytes get from rank to rank. Between two ranks, messages of one tag arrive in the order in which they
/// are sent. A transport that answers Memory::device puts its work into the stream, or waits for it; one that
/// answers Memory::host serves fields on a device, too: messages then go through pinned memory.
class Transport {
public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  Transport(Transport&&) = delete;
  Transport& operator=(Transport&&) = delete;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int ranks() const noexcept = 0;
  /// The memory in which messages must be.
  [[nodiscard]] virtual Memory memory() const noexcept = 0;

  /// A tag for one more exchange. All ranks allocate_tag the same exchanges in the same order.
  [[nodiscard]] int allocate_tag() noexcept { return tags_++; }

  /// Starts to send and to receive; the messages' memory must not be accessed before finish. Throws Error.
  virtual void start(const ExchangeRequest& request, Stream& stream) = 0;
  /// Returns when everything is sent and received. Throws an Error that says who waits for whom if that takes
  /// too long, and if a message has an unexpected size.
  virtual void finish(const ExchangeRequest& request, Stream& stream) = 0;

  /// Whether start and finish only put work into the stream, which can then be recorded in a CUDA graph.
  [[nodiscard]] virtual bool only_enqueues() const noexcept { return false; }
  /// Says once what every exchange of a tag will look like, so that connections can be made. All ranks call
  /// it, in the same order; messages may be overwritten.
  virtual void expect(const ExchangeRequest&) {}

  /// What this transport can do beside that, or null: capability<DirectStore>(), capability<StreamWait>(),
  /// capability<MessageProgress>().
  template <class T> [[nodiscard]] T* capability() noexcept { return dynamic_cast<T*>(this); }

private:
  int tags_ = 0;
};

/// What only some transports can do: such a class derives from Transport and from these.
class Capability {
public:
  Capability() = default;
  virtual ~Capability() = default;
  Capability(const Capability&) = delete;
  Capability& operator=(const Capability&) = delete;
  Capability(Capability&&) = delete;
  Capability& operator=(Capability&&) = delete;
};

/// Messages can be written straight into the memory of other ranks, instead of being sent: ranks of one
/// process that run in one TaskGraph.
class DirectStore : public Capability {
public:
  /// Whether pack kernels write to `place` themselves; else start() copies.
  [[nodiscard]] virtual bool stores() const noexcept = 0;
  /// Where another rank receives the message of a tag. Throws Error where it does not expect one.
  [[nodiscard]] virtual std::byte* place(int tag, int peer) const = 0;
  /// The same object for both ends of a way.
  [[nodiscard]] virtual const void* mailbox(int tag, int from, int to) = 0;
  /// Where such ranks put what crosses as whole vectors: straight into the fields of the other rank, whose
  /// memory stays where it is. published() is what that rank has said of the same exchange; throws Error
  /// before it has.
  virtual void publish(int tag, ExchangedArrays&& arrays) = 0;
  [[nodiscard]] virtual const ExchangedArrays& published(int tag, int peer) const = 0;
};

/// The work in a stream may wait for other ranks. Who waits for the stream then does so for longest_wait() at
/// most, and lets the transport give up.
class StreamWait : public Capability {
public:
  /// Ends what is under way on this rank, so that streams that wait for others come to an end. What they
  /// leave in memory is of no use, and nothing can be sent any more.
  virtual void abort() noexcept = 0;
};

/// Messages need progress() to move on while something else is computed.
class MessageProgress : public Capability {
public:
  virtual void progress() = 0;
};

/// One rank: all blocks are on it, and there are no messages.
class LocalTransport final : public Transport {
public:
  [[nodiscard]] std::string_view name() const noexcept override { return "local"; }
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int ranks() const noexcept override { return 1; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::device; }
  [[nodiscard]] bool only_enqueues() const noexcept override { return true; }
  void start(const ExchangeRequest& request, Stream& stream) override;
  void finish(const ExchangeRequest& request, Stream& stream) override;
};

/// How long a rank waits for others before it gives up: what the environment variable HEDDLE_TIMEOUT says
/// in seconds, else (also where that is empty) five minutes. Throws Error where it is no time from 1 ms to
/// 1e6 s.
[[nodiscard]] std::chrono::milliseconds longest_wait();

/// "rank 3 (1280 bytes)", for the messages of `waiting`.
[[nodiscard]] std::string to_string(std::span<const Message> waiting);

} // namespace heddle

#endif
