// SPDX-License-Identifier: MIT-0
// What the adapters of all hosts share: interior cells of an array that a host owns, as C++ wrappers of
// kernels take them. Nothing is copied. C++17; needs nothing of heddle::runtime.
#ifndef HEDDLE_ADAPTERS_VIEW_HPP
#define HEDDLE_ADAPTERS_VIEW_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace heddle::adapters {

/// An array does not suit the kernel; nothing was computed. what(): "adapter: what is wrong. Hint: what to
/// do".
class Refused : public std::invalid_argument {
public:
  Refused(const std::string& adapter, const std::string& what, const std::string& hint)
      : std::invalid_argument(adapter + ": " + what + ". Hint: " + hint) {}
};

/// Whose memory a kernel accesses: `device` for the entries of CUDA and HIP.
enum class Memory { host, device };

/// A number of cells for each axis, or one for all.
struct CellCounts {
  std::array<std::int64_t, 3> axis{0, 0, 0};
  constexpr CellCounts(std::int64_t all = 0) : axis{all, all, all} {}
  constexpr CellCounts(std::int64_t x, std::int64_t y, std::int64_t z) : axis{x, y, z} {}
};

/// What a host's array does not say of itself.
struct Options {
  /// Cells around its interior that the kernel accesses: "Reaches (1, 1, 1) cells" in the module's header.
  CellCounts reach = 0;
  /// Ghost layers that the array has at each end; for hosts whose arrays do not know them.
  CellCounts ghosts = 0;
  /// The array's last index is the component; for hosts whose arrays do not say so.
  bool components = false;
  /// The array's first index is z and not x, as in u[z][y][x] and u[z][y][x][component].
  bool z_first = false;
  /// For entries that end in _unit: refuse an array in which cells along x do not follow each other.
  bool unit_stride = false;
};

/// Interior cells: data() is the first one's address; d = 0 is x; components come behind the axes of space.
/// Strides count elements. Any wrapper of a kernel takes it, and so do C entries: extents(), strides().
template <typename T> class View {
public:
  View(T* first, const std::array<std::int64_t, 4>& extent, const std::array<std::int64_t, 4>& stride)
      : first_(first), extent_(extent), stride_(stride) {}

  T* data() const noexcept { return first_; }
  std::int64_t extent(std::size_t d) const noexcept { return extent_[d]; }
  std::int64_t stride(std::size_t d) const noexcept { return stride_[d]; }
  const std::int64_t* extents() const noexcept { return extent_.data(); }
  const std::int64_t* strides() const noexcept { return stride_.data(); }

private:
  T* first_;
  std::array<std::int64_t, 4> extent_;
  std::array<std::int64_t, 4> stride_;
};

/// Refuses an array that has fewer ghost cells along an axis than the kernel reaches.
inline void require_ghosts(const char* adapter, std::size_t axis, std::int64_t below, std::int64_t above,
                           std::int64_t reach) {
  if (below >= reach && above >= reach) return;
  throw Refused(adapter,
                "the kernel reaches " + std::to_string(reach) + " cells beyond the interior along " +
                    "xyz"[axis] + ", and the array has " + std::to_string(std::min(below, above)) +
                    " ghost cells there",
                "allocate as many ghost layers as the kernel reaches");
}

/// Refuses an array whose cells along x do not follow each other, where the entry asks for it.
inline void require_unit_stride(const char* adapter, std::int64_t stride, bool asked) {
  if (!asked || stride == 1) return;
  throw Refused(adapter, "cells along x lie " + std::to_string(stride) + " elements apart, not 1",
                "call the entry without _unit, which takes any strides, or let x be the fastest axis");
}

/// From a whole array with `rank` axes, ghost cells included: `whole`, its first element; extents and strides
/// in the order of its indices. Throws Refused.
template <typename T>
View<T> interior(const char* adapter, T* whole, std::size_t rank, const std::array<std::int64_t, 4>& extent,
                 const std::array<std::int64_t, 4>& stride, const Options& options) {
  const std::size_t space = rank - (options.components ? 1 : 0);
  if (space < 1 || space > 3) {
    throw Refused(adapter, "the array has " + std::to_string(space) + " axes of space; kernels have 1 to 3",
                  "set Options::components where the last index is the component, and only there");
  }
  std::array<std::int64_t, 4> inner{1, 1, 1, 1};
  std::array<std::int64_t, 4> step{1, 1, 1, 1};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t from = options.z_first && d < space ? space - 1 - d : d;
    const std::int64_t ghosts = d < space ? options.ghosts.axis[d] : 0;
    inner[d] = extent[from] - 2 * ghosts;
    step[d] = stride[from];
    if (d == space) continue;
    if (ghosts < 0 || inner[d] < 0) {
      throw Refused(adapter,
                    std::to_string(extent[from]) + " cells along " + "xyz"[d] + " cannot have " +
                        std::to_string(ghosts) + " ghost layers at each end",
                    "say in Options::ghosts how many layers the array has");
    }
    require_ghosts(adapter, d, ghosts, ghosts, options.reach.axis[d]);
    whole += ghosts * step[d];
  }
  require_unit_stride(adapter, step[0], options.unit_stride);
  return {whole, inner, step};
}

} // namespace heddle::adapters

#endif
