// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_MOMENT_SIDES_HPP
#define LBM_VALIDATION_MOMENT_SIDES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "body.hpp"

namespace validation {

/// What a cell is: fluid, or what a direction that comes from there comes out of. Walls lie half-way, and the
/// step knows them.
enum class Kind { fluid, wall, body, inlet, outlet };

/// The cells of a box beside inlets, outlets and a body, where moments in memory do the step again.
template <std::size_t rank, std::size_t count> class MomentSides {
public:
  /// kind(cell): of cells in the box and around it. speed(cell): that of an inlet beside it.
  template <class Kinds, class Speed>
  MomentSides(const VelocitySet<count>& set, const Cell& extent, const Ball& ball, Kinds&& kind,
              Speed&& speed) {
    std::array<std::vector<std::int32_t>, rank> places;
    std::array<std::vector<std::uint32_t>, 3> masks;
    std::array<std::vector<float>, count - 1> distances;
    std::vector<float> speeds;
    for_cells(extent, [&](const Cell& cell) {
      if (kind(cell) != Kind::fluid) return;
      std::array<std::uint32_t, 3> mask{};
      for (std::size_t q = 1; q < count; ++q) {
        Cell source = cell;
        for (std::size_t a = 0; a < 3; ++a)
          source[a] -= set.c[q][a];
        const Kind behind = kind(source);
        if (behind >= Kind::body)
          mask[static_cast<std::size_t>(behind) - static_cast<std::size_t>(Kind::body)] |= 1U << q;
      }
      if (mask == std::array<std::uint32_t, 3>{}) return;
      for (std::size_t a = 0; a < rank; ++a)
        places[a].push_back(static_cast<std::int32_t>(cell[a]));
      for (std::size_t b = 0; b < 3; ++b)
        masks[b].push_back(mask[b]);
      speeds.push_back(static_cast<float>(speed(cell)));
      for (std::size_t q = 1; q < count; ++q) // in the order of kernels: of the direction that leaves
        distances[q - 1].push_back(static_cast<float>(ball.distance(cell, set.c[opposite(q)])));
    });
    size_ = static_cast<std::int64_t>(speeds.size());
    for (std::size_t a = 0; a < rank; ++a)
      places_[a] = kept(places[a]);
    for (std::size_t b = 0; b < 3; ++b)
      masks_[b] = kept(masks[b]);
    speeds_ = kept(speeds);
    for (std::size_t q = 0; q < distances.size(); ++q)
      distances_[q] = kept(distances[q]);
    room_ = heddle::reduction_work(size_);
    work_ = heddle::Buffer<float>(static_cast<std::int64_t>(rank) * room_);
    force_ = heddle::Buffer<float>(static_cast<std::int64_t>(rank));
  }

  /// Runs kernel(cell_x, ..., mask_body, mask_inlet, mask_outlet, distance..., speed, count, force_x, work_x,
  /// ...).
  template <class Kernel> void run(Kernel&& kernel) {
    std::array<float*, 2 * rank> sums{};
    for (std::size_t a = 0; a < rank; ++a) {
      sums[2 * a] = force_.data() + a;
      sums[2 * a + 1] = work_.data() + static_cast<std::int64_t>(a) * room_;
    }
    std::apply(kernel, std::tuple_cat(pointers(places_), pointers(masks_), pointers(distances_),
                                      std::tuple(speeds_.data(), size_), sums));
  }

  /// On the body, of the last run.
  [[nodiscard]] Vector force() const {
    Vector found{};
    for (std::size_t a = 0; a < rank; ++a)
      found[a] = static_cast<double>(force_.data()[a]);
    return found;
  }

private:
  template <class V> static heddle::Buffer<V> kept(const std::vector<V>& values) {
    return heddle::Buffer<V>(std::span<const V>(values), heddle::Memory::host);
  }

  template <class V, std::size_t n>
  static std::array<const V*, n> pointers(const std::array<heddle::Buffer<V>, n>& buffers) {
    std::array<const V*, n> found{};
    for (std::size_t i = 0; i < n; ++i)
      found[i] = buffers[i].data();
    return found;
  }

  std::array<heddle::Buffer<std::int32_t>, rank> places_;
  std::array<heddle::Buffer<std::uint32_t>, 3> masks_;
  heddle::Buffer<float> speeds_;
  std::array<heddle::Buffer<float>, count - 1> distances_;
  heddle::Buffer<float> work_, force_;
  std::int64_t size_ = 0, room_ = 0;
};

} // namespace validation

#endif
