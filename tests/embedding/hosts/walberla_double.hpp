// SPDX-License-Identifier: Apache-2.0
// A double of waLBerla v8, which Debian does not have: the part of the public interface of FieldView that the
// adapter and its test use, as of June 2026 (commit 17a9f64). A block owns its memory here; there a field
// does.
#ifndef TESTS_EMBEDDING_HOSTS_WALBERLA_DOUBLE_HPP
#define TESTS_EMBEDDING_HOSTS_WALBERLA_DOUBLE_HPP

#include <array>
#include <cstddef>
#include <span>

namespace walberla_double {

namespace memtag {
struct host {
  static constexpr bool isHostAccessible = true;
  static constexpr bool isDeviceAccessible = false;
};
struct device {
  static constexpr bool isHostAccessible = false;
  static constexpr bool isDeviceAccessible = true;
};
} // namespace memtag

/// fzyx: x fastest, rows padded to a multiple of 8 elements; zyxf: components fastest.
enum Layout { zyxf, fzyx };

template <class T, std::size_t size, class Tag> class FieldView {
public:
  using element_type = T;
  using memory_tag = Tag;
  static constexpr std::size_t F_SIZE = size;

  FieldView(T* memory, std::array<std::size_t, 3> cells, std::size_t ghosts, Layout layout)
      : memory_(memory), shape_{cells[0], cells[1], cells[2], size}, ghosts_(ghosts) {
    const std::size_t row = layout == fzyx ? (cells[0] + 2 * ghosts + 7) / 8 * 8 : cells[0] + 2 * ghosts;
    const std::size_t plane = row * (cells[1] + 2 * ghosts), all = plane * (cells[2] + 2 * ghosts);
    if (layout == fzyx)
      strides_ = {1, row, plane, all};
    else
      strides_ = {size, size * row, size * plane, 1};
  }
  std::span<const std::size_t, 4> shape() const { return shape_; }
  std::span<const std::size_t, 4> strides() const { return strides_; }
  std::size_t numGhostLayers() const { return ghosts_; }
  T& operator()(long x, long y, long z, long f) const {
    const long g = static_cast<long>(ghosts_);
    const std::array<long, 4> place{x + g, y + g, z + g, f};
    long offset = 0;
    for (std::size_t d = 0; d < 4; ++d)
      offset += place[d] * static_cast<long>(strides_[d]);
    return memory_[offset];
  }

private:
  T* memory_;
  std::array<std::size_t, 4> shape_, strides_;
  std::size_t ghosts_;
};

} // namespace walberla_double

#endif
