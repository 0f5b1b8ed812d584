// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_HALO_CALLS_HPP
#define HEDDLE_HALO_HALO_CALLS_HPP

#include <cstddef>
#include <functional>
#include <vector>

#include "heddle/core/stream.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// One launch on a device: packs fields into a message buffer, unpacks from it, or copies within this rank.
struct HaloCall {
  static constexpr std::size_t own_buffer = static_cast<std::size_t>(-1);

  std::function<void(std::byte* buffer, Stream& stream)> run;
  /// Of HaloPlan::send(): the buffer begins with this message, in the memory of the rank that gets it.
  std::size_t segment = own_buffer;
};

/// What a rank does for an exchange before messages are sent, while they travel, and once they are there.
struct HaloCalls {
  /// Of the blocks that the tables hold for; empty: wherever they lie.
  std::vector<DenseExchange::Place> places;
  std::vector<HaloCall> start;
  std::vector<HaloCall> wrap;
  std::vector<HaloCall> finish;
};

/// The calls of an exchange for where its fields lie now. The plan is that of the exchange. stores: where
/// pack kernels write into the memory of other ranks, which know this exchange by its tag; else null. Calls
/// refer to fields and to `stores`, not to exchange and plan.
[[nodiscard]] HaloCalls halo_calls(const Exchange& exchange, const HaloPlan& plan, const DirectStore* stores,
                                   int tag);

} // namespace heddle

#endif
