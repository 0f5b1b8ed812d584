// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_TRANSPORT_HPP
#define HEDDLE_TRANSPORT_TRANSPORT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
  /// Where messages have to lie.
  [[nodiscard]] virtual Memory memory() const noexcept = 0;

  /// A tag for one more exchange. All ranks allocate_tag the same exchanges in the same order.
  [[nodiscard]] int allocate_tag() noexcept { return tags_++; }

  /// Sends and begins to receive; what messages point to stays untouched until finish. Throws Error.
  virtual void start(const ExchangeRequest& traffic, Stream& stream) = 0;
  /// Returns when all is sent and received. Throws Error that says who waits for whom when that takes too
  /// long, and when a message has not the size that was expected.
  virtual void finish(const ExchangeRequest& traffic, Stream& stream) = 0;

  /// Whether start and finish only put work into the stream, which can then be recorded in a CUDA graph.
  [[nodiscard]] virtual bool only_enqueues() const noexcept { return false; }
  /// Whether that work may wait for other ranks. Who waits for the stream then does so for longest_wait() at
  /// most, and lets the transport give up.
  [[nodiscard]] virtual bool waits_in_stream() const noexcept { return false; }
  /// Ends what is under way on this rank, so that streams that wait for others come to an end. What they
  /// leave in memory is of no use, and nothing can be sent any more.
  virtual void abort() noexcept {}
  /// Whether messages need progress() to move on while something else is computed.
  [[nodiscard]] virtual bool needs_progress() const noexcept { return false; }
  virtual void progress() {}

  /// Says once what every exchange of a tag will look like, so that connections can be made. All ranks call
  /// it, in the same order; messages may be overwritten.
  virtual void expect(const ExchangeRequest& traffic);

  /// The memory of another rank where messages can be written straight away, instead of being sent: ranks of
  /// one process that run in one TaskGraph. `mailbox` is the same object for both ends of a way, null for
  /// other transports.
  [[nodiscard]] virtual std::byte* place(int tag, int peer) const;
  [[nodiscard]] virtual const void* mailbox(int tag, int from, int to);
  /// Whether pack kernels write to `place` themselves.
  [[nodiscard]] virtual bool stores() const noexcept { return false; }
  /// Where such ranks put what crosses as whole vectors: straight into the fields of the other rank, whose
  /// memory stays where it is. published() is what that rank has said of the same exchange; throws Error
  /// before it has.
  virtual void publish(int tag, ExchangedArrays&& arrays);
  [[nodiscard]] virtual const ExchangedArrays& published(int tag, int peer) const;

private:
  int tags_ = 0;
};

/// One rank: all blocks are here, and there are no messages.
class LocalTransport final : public Transport {
public:
  [[nodiscard]] std::string_view name() const noexcept override { return "local"; }
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int ranks() const noexcept override { return 1; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::device; }
  [[nodiscard]] bool only_enqueues() const noexcept override { return true; }
  void start(const ExchangeRequest& traffic, Stream& stream) override;
  void finish(const ExchangeRequest& traffic, Stream& stream) override;
};

/// A transport that a program could use, and why it should or cannot.
struct TransportCandidate {
  std::string name;
  bool fits = false;
  std::string reason;
  std::function<std::unique_ptr<Transport>()> make;
  std::string hint{}; // what makes it fit, where something does
};

/// Which candidate was chosen, and a line that says so: "transport mpi: MPI_COMM_WORLD has 4 ranks; ...".
struct CandidateChoice {
  std::string name;
  std::string line;
};

/// The candidate called `wanted`, or for "auto" the first one that fits. Throws Error when there is none,
/// with the reason of one that is known, and with the names of those that fit.
[[nodiscard]] CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates,
                                               const std::string& wanted);
/// The same with what the environment variable HEDDLE_TRANSPORT says, or "auto" where it is unset or empty.
[[nodiscard]] CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates);

/// The transport that a chosen candidate made, and the line.
struct TransportChoice {
  std::unique_ptr<Transport> transport;
  std::string line;
};

/// For programs of one process.
[[nodiscard]] TransportCandidate local_candidate();

/// Chooses a candidate as select_candidate does, and makes it.
[[nodiscard]] TransportChoice select_transport(const std::vector<TransportCandidate>& candidates,
                                               const std::string& wanted);
[[nodiscard]] TransportChoice select_transport(const std::vector<TransportCandidate>& candidates);

/// How long a rank waits for others before it gives up: what the environment variable HEDDLE_TIMEOUT says
/// in seconds, else (also where that is empty) five minutes. Throws Error where it is no time from 1 ms to
/// 1e6 s.
[[nodiscard]] std::chrono::milliseconds longest_wait();

/// "rank 3 (1280 bytes)", for the messages of `waiting`.
[[nodiscard]] std::string to_string(std::span<const Message> waiting);

} // namespace heddle

#endif
