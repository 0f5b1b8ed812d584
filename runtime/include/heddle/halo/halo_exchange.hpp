// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_HALO_EXCHANGE_HPP
#define HEDDLE_HALO_HALO_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_calls.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/halo/halo_steps.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

struct HaloOptions {
  /// Each message carries its exchange, step, length and a checksum, which the receiver verifies. The same on
  /// all ranks. Not where messages are work in streams (NCCL, devices of one process), whose order is given.
#ifdef NDEBUG
  bool stamped = false;
#else
  bool stamped = true;
#endif
  /// On a host, too, one call packs all blocks that lie alike (their cells are counted from the first cell of
  /// one, and may be far beyond it), and walls that only some interleaved blocks have are part of the
  /// exchange, for kernels that take these blocks as vectors.
  bool as_on_device = false;
};

/// Carries out an Exchange between the blocks of all ranks, and across periodic faces. A task for TaskGraph:
///
///     heddle::HaloExchange halo(step.before(), transport);
///     loop.add(halo);
///     loop.add(step);
///
/// A kernel that writes beyond its block has an exchange after it, too. Each other rank gets one message,
/// with all fields and components; it begins at a line of 64 bytes. Ghost cells beyond a face that is not
/// periodic stay as they are. Fields may swap their memory between calls, but not where ranks of one process
/// store vectors straight into it: that is an Error. A TaskGraph takes exchange and sweep apart, so that the
/// interior is computed while messages travel.
///
/// Calls, each one launch on a device; start packs, finish unpacks, wrap does both for what stays on the
/// rank:
///
/// - a list, of one block or several: one for all messages;
/// - a dense block: one for all messages, fields and components; on a device also for all plain blocks of
///   a rank that have the same strides (on a host one for each);
/// - interleaved blocks: one for all of a group's whole vectors of a field that cross to other ranks, one
///   for what crosses between their lanes; what crosses in fewer than half the lanes is packed block by
///   block, as plain blocks;
/// - the blocks of a HybridField, dense and listed: one for all;
/// - for ranks of one process that store straight into each other's memory: what is packed takes such a
///   call for each of them, vectors one as before.
class HaloExchange {
public:
  /// Of fields of which this rank has all blocks.
  explicit HaloExchange(Exchange exchange, HaloOptions options = {});
  /// All ranks construct the same exchanges in the same order. The transport must outlive this.
  /// Throws Error when the grid is made for another number of ranks, the fields are not those of this rank,
  /// or messages cannot lie in the memory of the fields.
  HaloExchange(Exchange exchange, Transport& transport, HaloOptions options = {});

  [[nodiscard]] std::string_view name() const noexcept { return exchange_.name(); }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Memory::device when a call only puts work into its stream.
  [[nodiscard]] Memory memory() const noexcept;

  /// Packs and sends. The fields may be read, and cells that do not cross be written, before finish().
  void start(Stream& stream);
  /// What crosses between blocks of this rank without touching the border of BlockPart; at any time between
  /// the two.
  void wrap(Stream& stream);
  /// Receives and unpacks. Throws Error that names ranks, exchange and step for what the transport or a stamp
  /// finds.
  void finish(Stream& stream);
  /// All of it. Throws Error for ranks of one process that write to each other: these need a TaskGraph.
  void operator()(Stream& stream);
  /// For TaskGraph; refers to this object.
  [[nodiscard]] HaloSteps steps();

  /// Bytes that one call sends to other ranks, stamps left out, and that it moves between blocks of this
  /// rank.
  [[nodiscard]] std::size_t sent_bytes() const noexcept;
  [[nodiscard]] std::size_t local_bytes() const noexcept { return plan_.local_bytes(); }

private:
  HaloExchange(Exchange exchange, Transport* transport, HaloOptions options);
  void check() const;
  [[nodiscard]] const HaloCalls& calls();
  void run(const std::vector<HaloCall>& calls, Stream& stream);
  [[nodiscard]] std::byte* wire_of(std::size_t segment);
  void publish_arrays();
  void check_arrays() const;
  /// Whether messages lie in device memory.
  [[nodiscard]] bool on_device() const noexcept;
  void stamp_all() const;
  void verify_all() const;
  [[nodiscard]] std::vector<Message> messages(const std::vector<HaloPlan::Segment>& segments);
  [[nodiscard]] ExchangeRequest traffic() const noexcept;
  [[nodiscard]] bool talks() const noexcept { return !send_.empty() || !receive_.empty(); }

  Exchange exchange_;
  Transport* transport_;
  HaloOptions options_;
  HaloPlan plan_;
  DirectStore* direct_ = nullptr; // where the memory of other ranks can be written
  bool stores_ = false; // and is, by pack kernels, with whole vectors in their fields instead of messages
  bool staged_ = false; // fields on a device, messages through pinned memory
  // For all places that blocks have had (few: those of fields that swap): a recorded CUDA graph may still
  // read the tables of any.
  std::vector<HaloCalls> calls_ = std::vector<HaloCalls>(1);
  std::size_t now_ = 0; // those of the last call
  Buffer<std::byte> wire_;
  Buffer<std::byte> staging_; // a copy of the wire, where it is staged
  std::vector<Message> send_;
  std::vector<Message> receive_;
  int tag_ = 0;
  std::int64_t step_ = 0;
};

} // namespace heddle

#endif
