// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/field_layout.hpp"

#include <algorithm>
#include <string>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

std::int64_t lines_of(std::int64_t bytes, std::int64_t line_bytes) {
  return (bytes + line_bytes - 1) / line_bytes;
}

/// Product that throws instead of overflowing.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw Error("Field", "a block has more than 2^63 bytes");
  return product;
}

} // namespace

FieldLayout::FieldLayout(const std::array<std::int64_t, 3>& interior, int components,
                         const GhostLayers& ghosts, std::size_t element, Memory memory, int interleaved)
    : extent{interior[0], interior[1], interior[2], components} {
  const auto [gx, gy, gz] = ghosts.layers;
  for (const int layers : ghosts.layers) {
    if (layers < 0 || layers > 1'000'000) {
      throw Error("Field", std::to_string(layers) + " ghost layers are not valid", "use 0 or more");
    }
  }
  if (components < 1)
    throw Error("Field", std::to_string(components) + " components are not valid", "use at least 1");
  for (const std::int64_t cells : interior) {
    if (cells < 1)
      throw Error("Field", std::to_string(cells) + " cells along an axis are not valid", "use at least 1");
  }
  const bool on_device = memory == Memory::device;
  const std::int64_t line_bytes = on_device ? device_line_bytes : host_line_bytes;
  if (element == 0 || host_line_bytes % static_cast<std::int64_t>(element) != 0) {
    throw Error("Field", "a value of " + std::to_string(element) + " bytes does not divide a 64-byte line");
  }

  const auto vector = static_cast<std::int64_t>(element) * std::max(interleaved, 0); // a value of each block
  if (vector == 0 || host_line_bytes % vector != 0) {
    throw Error("Field", "cannot interleave " + std::to_string(interleaved) + " blocks, or components, of " +
                             std::to_string(element) + "-byte values in a 64-byte line");
  }

  const std::int64_t size_of = vector;
  const std::int64_t line = line_bytes / vector; // vectors of a line
  const std::int64_t left = lines_of(gx * size_of, line_bytes);
  std::int64_t row = lines_of(times(interior[0] + 2 * gx, size_of), line_bytes);
  if (!on_device) row |= 1;
  std::int64_t plane = interior[1] + 2 * gy;
  if (plane % 64 == 0) ++plane;
  const std::int64_t rows = times(plane, interior[2] + 2 * gz);
  // Everything below fits when this does: one more row than there are, one more component, and the padding.
  (void)times(times(times(row, rows + 1), std::int64_t{components} + 1), line_bytes);
  const std::int64_t lines = left + row * rows; // of one component, with the padding before its first row
  const std::int64_t component = components > 1 && !on_device ? spread_lines(lines) : lines;

  stride = {1, row * line, row * line * plane, component * line};
  origin = left * line + gy * stride[1] + gz * stride[2];
  size = component * line * components;
  for (std::int64_t* vectors : {stride.data(), &stride[1], &stride[2], &stride[3], &origin, &size}) {
    *vectors *= interleaved;
  }
}

std::int64_t spread_lines(std::int64_t lines) noexcept {
  // Multiples of 45 modulo 64 keep the first 27 two lines apart, the most there is for an odd number; those
  // of 493 = 7 * 64 + 45 modulo 1024 keep them 37 lines apart. That costs at most 4 KiB a component, and 64
  // KiB (under 2 %) from 4 MiB on.
  const bool large = lines >= 65536;
  const std::int64_t period = large ? 1024 : 64;
  const std::int64_t residue = large ? 493 : 45;
  return lines + ((residue - lines) % period + period) % period;
}

} // namespace heddle
