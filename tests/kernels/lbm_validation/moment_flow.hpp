// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_MOMENT_FLOW_HPP
#define LBM_VALIDATION_MOMENT_FLOW_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "lbm_validation_mixed.hpp"
#include "list_flow.hpp"

namespace validation {

/// A view as emitted functions take it: x, y and, in space, z, then components. Ghost layer of one cell.
template <class T, std::size_t rank> struct BoxView {
  T* first;
  std::array<std::int64_t, rank + 1> extents, strides;
  T* data() const { return first; }
  std::int64_t extent(std::size_t d) const { return extents[d]; }
  std::int64_t stride(std::size_t d) const { return strides[d]; }
};

/// A field on a periodic box.
template <class T, std::size_t rank> class BoxField {
public:
  BoxField(const Cell& extent, std::int64_t components) {
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      extents_[d] = extent[d];
      strides_[d] = stride;
      stride *= extent[d] + 2;
    }
    extents_[rank] = components;
    strides_[rank] = stride;
    values_.resize(static_cast<std::size_t>(stride * components));
  }
  BoxView<T, rank> view() { return {&at({0, 0, 0}, 0), extents_, strides_}; }
  BoxView<const T, rank> view() const { return {&at({0, 0, 0}, 0), extents_, strides_}; }

  T& at(const Cell& cell, std::int64_t component) { return values_[position(cell, component)]; }
  const T& at(const Cell& cell, std::int64_t component) const { return values_[position(cell, component)]; }

  /// Every ghost cell becomes its periodic image.
  void fill_ghosts() {
    const std::int64_t depth = rank == 3 ? extents_[2] : 1;
    const std::int64_t rim = rank == 3 ? 1 : 0;
    for (std::int64_t c = 0; c < extents_[rank]; ++c) {
      for (std::int64_t z = -rim; z < depth + rim; ++z) {
        for (std::int64_t y = -1; y <= extents_[1]; ++y) {
          const bool whole = z < 0 || z == depth || y < 0 || y == extents_[1];
          for (std::int64_t x = -1; x <= extents_[0]; x += whole ? 1 : extents_[0] + 1) {
            const Cell image{(x + extents_[0]) % extents_[0], (y + extents_[1]) % extents_[1],
                             (z + depth) % depth};
            at({x, y, z}, c) = at(image, c);
          }
        }
      }
    }
  }

private:
  [[nodiscard]] std::size_t position(const Cell& cell, std::int64_t component) const {
    std::int64_t found = component * strides_[rank];
    for (std::size_t d = 0; d < rank; ++d)
      found += (cell[d] + 1) * strides_[d];
    return static_cast<std::size_t>(found);
  }

  std::array<std::int64_t, rank + 1> extents_{}, strides_{};
  std::vector<T> values_;
};

/// In f16 memory holds the stress 2^14 times as large.
inline constexpr double stress_scale = 0x1p14;

/// A periodic flow with moments in memory: density and momentum in f32, the stress in T.
template <std::size_t rank, class T> class MomentFlow {
  static constexpr std::int64_t tensor = rank == 2 ? 3 : 4; // entries of the field `stress`

public:
  explicit MomentFlow(const Cell& extent)
      : extent_(extent), flow_(extent, rank + 1), flow_next_(flow_), stress_(extent, tensor),
        stress_next_(stress_), shear_(extent, 2), shear_next_(shear_) {}

  /// As ListFlow::start: rho u_a u_b and (1 - omega) of the stress -(2 rho / (3 omega)) S_ab.
  template <class F> void start(double omega, F&& state) {
    for (std::int64_t z = 0; z < extent_[2]; ++z) {
      for (std::int64_t y = 0; y < extent_[1]; ++y) {
        for (std::int64_t x = 0; x < extent_[0]; ++x) {
          const Cell cell{x, y, z};
          const State s = state(cell);
          flow_.at(cell, 0) = static_cast<float>(s.rho - 1);
          for (std::size_t a = 0; a < rank; ++a)
            flow_.at(cell, static_cast<std::int64_t>(a) + 1) = static_cast<float>(s.rho * s.u[a]);
          std::int64_t entry = 0;
          const auto set = [&](std::size_t a, std::size_t b) {
            const double strain = (s.gradient[a][b] + s.gradient[b][a]) / 2;
            const double t = s.rho * s.u[a] * s.u[b] - (1 - omega) * 2 * s.rho / (3 * omega) * strain;
            store(entry < tensor ? stress_.at(cell, entry) : shear_.at(cell, entry - tensor), t,
                  stress_scale);
            ++entry;
          };
          for (std::size_t a = 0; a < rank; ++a)
            set(a, a);
          for (std::size_t a = 0; a < rank; ++a) {
            for (std::size_t b = a + 1; b < rank; ++b)
              set(a, b);
          }
        }
      }
    }
  }

  void step(double omega) {
    if constexpr (rank == 2) {
      advance([&](const auto&... fields) {
        if constexpr (halves)
          lbm_validation_mixed::plane(fields..., omega);
        else
          lbm_validation_mixed::plane_f32(fields..., omega);
      });
    } else {
      shear_.fill_ghosts();
      const auto shear = std::as_const(shear_).view();
      const auto shear_next = shear_next_.view();
      advance([&](const auto& flow, const auto& stress, const auto& flow_next, const auto& stress_next) {
        if constexpr (halves)
          lbm_validation_mixed::space(flow, stress, shear, flow_next, stress_next, shear_next, omega);
        else
          lbm_validation_mixed::space_f32(flow, stress, shear, flow_next, stress_next, shear_next, omega);
      });
      std::swap(shear_, shear_next_);
    }
  }

  [[nodiscard]] std::pair<double, Vector> moments(const Cell& cell) const {
    Vector j{};
    for (std::size_t a = 0; a < rank; ++a)
      j[a] = static_cast<double>(flow_.at(cell, static_cast<std::int64_t>(a) + 1));
    return {1 + static_cast<double>(flow_.at(cell, 0)), j};
  }

protected:
  static constexpr bool halves = std::is_same_v<T, std::uint16_t>;

  /// Runs kernel(flow, stress, flow_next, stress_next) and takes what it wrote.
  template <class F> void advance(F&& kernel) {
    flow_.fill_ghosts();
    stress_.fill_ghosts();
    kernel(std::as_const(flow_).view(), std::as_const(stress_).view(), flow_next_.view(),
           stress_next_.view());
    std::swap(flow_, flow_next_);
    std::swap(stress_, stress_next_);
  }

private:
  Cell extent_;
  BoxField<float, rank> flow_, flow_next_;
  BoxField<T, rank> stress_, stress_next_, shear_, shear_next_;
};

} // namespace validation

#endif
