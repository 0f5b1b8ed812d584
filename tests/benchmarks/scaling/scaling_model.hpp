// SPDX-License-Identifier: Apache-2.0
// How long a pair of AA steps takes on several GPUs: the work of one, and what of the exchanges is not
// hidden.
#ifndef HEDDLE_BENCHMARKS_SCALING_MODEL_HPP
#define HEDDLE_BENCHMARKS_SCALING_MODEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace scaling {

/// A way between two GPUs.
struct Network {
  double latency = 0;   // seconds until a message of no length has arrived
  double bandwidth = 0; // bytes a second
};

/// What is known of one GPU.
struct Device {
  double pair = 0;   // seconds of an even and an odd step with walls, without any exchange
  double launch = 0; // seconds of a pack or unpack kernel that has nothing to do
  double memory = 0; // bytes a second that a pack kernel moves
};

/// Bytes of one message across a face of nx times ny cells: five populations of D3Q19, the four oblique ones
/// without the row that leaves through a side wall.
[[nodiscard]] std::size_t face_bytes(std::int64_t nx, std::int64_t ny, std::size_t value_bytes);

/// What an exchange across faces takes: of memory, which the interior would use meanwhile, and otherwise.
struct Exchange {
  double memory = 0; // seconds
  double way = 0;    // seconds: launches, and the messages under way

  [[nodiscard]] double seconds() const { return memory + way; }
};

/// Kernels that follow each other, messages under way, and what these read and write in the memory of one
/// GPU. faces: to other ranks; their messages share the port of a GPU.
[[nodiscard]] Exchange exchange_of(const Device& device, const Network& network, double message_bytes,
                                   int faces, double moved_bytes, int launches);

/// A pair of steps with the exchanges before and after the odd one.
[[nodiscard]] double pair_seconds(const Device& device, const Exchange& exchange, bool overlap);

/// The figures for `ranks` GPUs in a grid of three dimensions, faces and edges over a network, and all
/// assumptions.
[[nodiscard]] std::string extrapolation(const Device& device, std::int64_t edge, std::size_t value_bytes);

} // namespace scaling

#endif
