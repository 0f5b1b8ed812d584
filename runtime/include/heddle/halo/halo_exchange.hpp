// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_HALO_EXCHANGE_HPP
#define HEDDLE_HALO_HALO_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_calls.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/halo/halo_steps.hpp"
#include "heddle/halo/message_stamps.hpp"
#include "heddle/halo/stamps.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// How a HaloExchange packs, and what it checks. The values that fields get are the same with all of them.
struct HaloOptions {
  /// What receivers of messages check; where it is not given, what HEDDLE_STAMPS says. Must be equal on all
  /// ranks. Whole vectors that are stored straight into the fields of another rank are not part of a message:
  /// the stamp of the message beside them shows their step, and no checksum covers them.
  std::optional<Stamps> stamps = std::nullopt;
  /// On a host, too, one call packs all blocks with the same layout (their cells are counted from the first
  /// cell of one of them, and may be far outside of it), and walls that only some interleaved blocks have are
  /// part of the exchange, for kernels that load these blocks as vectors.
  bool as_on_device = false;
};

/// Carries out an Exchange between the blocks of all ranks, and across periodic faces. A task for TaskGraph:
///
///     heddle::HaloExchange halo(step.before(), transport);
///     loop.add(halo);
///     loop.add(step);
///
/// A kernel that writes ghost cells has an exchange after it, too. Each other rank gets one message with all
/// fields and components, which begins at a 64-byte line. Ghost cells beyond a face that is not periodic do
/// not change. Fields may swap their memory between calls, but not if ranks of one process store vectors
/// directly into it: that is an Error. A TaskGraph splits exchange and sweep, so that the interior is
/// computed while messages travel.
///
/// Number of calls, each of which is one launch on a device; start packs, finish unpacks, wrap does both for
/// data that stays on the rank:
///
/// - a list of one or several blocks: one call for all messages;
/// - a dense block: one call for all messages, fields and components; on a device also one for all plain
///   blocks of a rank with the same strides (on a host one per block);
/// - interleaved blocks: one call for all whole vectors of a field that a group sends to other ranks, one for
///   the data between its lanes; data in fewer than half of the lanes is packed block by block, as for plain
///   blocks;
/// - the blocks of a HybridField, dense and listed: one call for all;
/// - ranks of one process that store directly into each other's memory: packed data needs one such call per
///   rank, vectors one call as before.
class HaloExchange {
public:
  /// For fields all blocks of which are on this rank.
  explicit HaloExchange(Exchange exchange, HaloOptions options = {});
  /// All ranks construct the same exchanges in the same order. The transport must outlive this object. Throws
  /// Error if the grid is made for another number of ranks, if the fields do not belong to this rank, or if
  /// messages cannot be in the memory of the fields.
  HaloExchange(Exchange exchange, Transport& transport, HaloOptions options = {});

  [[nodiscard]] std::string_view name() const noexcept { return base().name(); }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Memory::device if a call only enqueues work in its stream.
  [[nodiscard]] Memory memory() const noexcept;
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }

  /// Packs and sends. Before finish(), the fields may be read, and cells that are not exchanged may be
  /// written.
  void start(Stream& stream);
  /// Copies between blocks of this rank that do not touch the border of BlockPart; may be called at any time
  /// between the two.
  void wrap(Stream& stream);
  /// Receives and unpacks. Throws Error that names ranks, exchange and step for what the transport or a stamp
  /// finds; for messages in device memory verify() throws it.
  void finish(Stream& stream);
  /// Throws Error for what the stamps of messages have shown so far. That of messages in device memory is
  /// known once the stream has been waited for: a TaskGraph then calls this, and so does the next start().
  void verify() const;
  /// The whole exchange. Throws Error for ranks of one process that write to each other's memory, which need
  /// a TaskGraph.
  void operator()(Stream& stream);
  /// For TaskGraph; refers to this object.
  [[nodiscard]] HaloSteps steps();

  /// Bytes that one call sends to other ranks, without stamps, and bytes that it moves between blocks of this
  /// rank.
  [[nodiscard]] std::size_t sent_bytes() const noexcept;
  [[nodiscard]] std::size_t local_bytes() const noexcept { return plan_.local_bytes(); }

private:
  HaloExchange(Exchange exchange, Transport* transport, HaloOptions options);
  void check() const;
  [[nodiscard]] const HaloCalls& calls();
  void run(const std::vector<HaloCall>& calls, Stream& stream);
  [[nodiscard]] std::byte* buffer_of(std::size_t segment);
  [[nodiscard]] const ExchangeBase& base() const { return base_of(exchange_); }
  /// Whether it has nothing to exchange.
  [[nodiscard]] bool empty() const;
  void publish_arrays(const DenseExchange& exchange);
  void check_arrays() const;
  /// Whether messages lie in device memory.
  [[nodiscard]] bool on_device() const noexcept;
  void stamp_all(Stream& stream);
  [[nodiscard]] std::vector<Message> messages(const std::vector<HaloPlan::Segment>& segments);
  [[nodiscard]] ExchangeRequest request() const noexcept;
  [[nodiscard]] bool talks() const noexcept { return !send_.empty() || !receive_.empty(); }

  Exchange exchange_;
  Transport* transport_;
  HaloPlan plan_;
  DirectStore* direct_ = nullptr; // where the memory of other ranks can be written
  bool stores_ = false; // and is, by pack kernels, with whole vectors in their fields instead of messages
  bool staged_ = false; // fields on a device, messages through pinned memory
  // For all places that blocks have had (few: those of fields that swap): a recorded CUDA graph may still
  // read the tables of any.
  std::vector<HaloCalls> calls_ = std::vector<HaloCalls>(1);
  std::size_t now_ = 0; // those of the last call
  Buffer<std::byte> buffer_;
  Buffer<std::byte> staging_; // a copy of the message buffer, where it is staged
  std::vector<Message> send_;
  std::vector<Message> receive_;
  MessageStamps stamps_;
  int tag_ = 0;
  std::int64_t step_ = 0;
  Lifetime lifetime_;
};

} // namespace heddle

#endif
