// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_EXCHANGE_HPP
#define HEDDLE_HALO_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/buffer.hpp"
#include "heddle/exchange.hpp"
#include "heddle/field_access.hpp"
#include "heddle/halo_plan.hpp"
#include "heddle/stream.hpp"
#include "heddle/transport.hpp"

namespace heddle {

struct HaloOptions {
  /// Each message carries its exchange, step, length and a checksum, which the receiver verifies. The same on
  /// all ranks.
#ifdef NDEBUG
  bool stamped = false;
#else
  bool stamped = true;
#endif
};

/// Carries out an Exchange between the blocks of all ranks, and across periodic faces. A task for TaskGraph:
///
///     heddle::HaloExchange halo(step.before(), transport);
///     loop.add(halo);
///     loop.add(step);
///
/// A kernel that writes beyond its block has an exchange after it, too. Each block is packed by one call, on
/// a device one launch; each other rank gets one message. What crosses between interleaved blocks is moved in
/// place, all of them in one launch. Ghost cells beyond a face that is not periodic stay
/// as they are.
class HaloExchange {
public:
  /// Of fields of which this rank has all blocks.
  explicit HaloExchange(Exchange exchange);
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
  /// Receives and unpacks. Throws Error that names ranks, exchange and step for what the transport or a stamp
  /// finds.
  void finish(Stream& stream);
  void operator()(Stream& stream) {
    start(stream);
    finish(stream);
  }

  /// Bytes that one call sends to other ranks, stamps left out, and that it moves between blocks of this
  /// rank.
  [[nodiscard]] std::size_t sent_bytes() const noexcept;
  [[nodiscard]] std::size_t local_bytes() const noexcept { return plan_.local_bytes(); }

private:
  HaloExchange(Exchange exchange, Transport* transport, HaloOptions options);
  [[nodiscard]] WireBoxes boxes(const Buffer<std::int32_t>& rows, const HaloPlan::Table& table) const;
  [[nodiscard]] std::vector<Message> messages(const std::vector<HaloPlan::Segment>& segments);
  [[nodiscard]] Traffic traffic() const noexcept;

  Exchange exchange_;
  Transport* transport_;
  HaloOptions options_;
  HaloPlan plan_;
  std::vector<Buffer<std::int32_t>> pack_rows_;
  std::vector<Buffer<std::int32_t>> unpack_rows_;
  std::vector<Buffer<std::int32_t>> shift_rows_;
  Buffer<std::byte> wire_;
  std::vector<Message> send_;
  std::vector<Message> receive_;
  int tag_ = 0;
  std::int64_t step_ = 0;
};

} // namespace heddle

#endif
