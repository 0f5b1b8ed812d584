// SPDX-License-Identifier: Apache-2.0
#include "scaling_model.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace scaling {

std::size_t face_bytes(std::int64_t nx, std::int64_t ny, std::size_t value_bytes) {
  return static_cast<std::size_t>(nx * ny + 2 * (nx - 1) * ny + 2 * nx * (ny - 1)) * value_bytes;
}

Exchange exchange_of(const Device& device, const Network& network, double message_bytes, int faces,
                     double moved_bytes, int launches) {
  return {moved_bytes / device.memory,
          launches * device.launch + network.latency + faces * message_bytes / network.bandwidth};
}

double pair_seconds(const Device& device, const Exchange& exchange, bool overlap) {
  const double busy = device.pair + 2 * exchange.memory;
  return overlap ? std::max(busy, 2 * exchange.seconds()) : busy + 2 * exchange.way;
}

std::string extrapolation(const Device& device, std::int64_t edge, std::size_t value_bytes) {
  // Eight GPUs of a node over NVLink, nodes over a network of one 400 Gb/s card a GPU. The slowest of the six
  // faces counts: its five populations and twelve edges of one, all in one message a neighbour.
  constexpr Network network{8e-6, 45e9};
  constexpr int messages = 18;               // faces and edges
  constexpr double message_seconds = 1.5e-6; // of the card, one after the other
  constexpr double strided = 4;              // a face across x moves whole 32-byte sectors for a value
  const auto n = static_cast<double>(edge);
  const double faces = static_cast<double>(6 * face_bytes(edge, edge, value_bytes));
  const double edges = 12 * n * static_cast<double>(value_bytes);
  const double pack = 4 * faces * (2 + strided) / 3 / device.memory + 2 * device.launch;
  const double exchange =
      pack + network.latency + messages * message_seconds + (faces + edges) / network.bandwidth;
  // The border is computed for itself: six layers, those across x at a quarter of the speed.
  const double border = device.pair * (4 + 2 * strided) / n;
  const double interior = device.pair * (1 - 6 / n);
  const double hidden = std::max(interior, 2 * exchange) + border;
  const double shown = device.pair + 2 * exchange;
  std::array<char, 900> text{};
  std::snprintf(text.data(), text.size(),
                "  1024 GPUs, %lld^3 cells each, 16 x 8 x 8 GPUs (on paper): exchange %.0f us (%.1f MB over "
                "the network),\n"
                "  border %.0f us, interior %.0f us a pair of steps: weak efficiency %.1f %% with overlap, "
                "%.1f %% without.\n"
                "  Assumed: %.0f GB/s and %.0f us a way for each GPU, %d messages of %.1f us one after the "
                "other, faces\n"
                "  across x at a quarter of the memory speed, no other request, no jitter between ranks;\n"
                "  blocks cut along three axes, which the examples, cut into slabs, are not.\n",
                static_cast<long long>(edge), 1e6 * exchange, 1e-6 * (faces + edges), 1e6 * border,
                1e6 * interior, 100 * device.pair / hidden, 100 * device.pair / shown,
                1e-9 * network.bandwidth, 1e6 * network.latency, messages, 1e6 * message_seconds);
  return text.data();
}

} // namespace scaling
