// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_WALLED_MOMENTS_HPP
#define LBM_VALIDATION_WALLED_MOMENTS_HPP

#include <array>
#include <cstdint>
#include <utility>

#include "moment_flow.hpp"

namespace validation {

/// A plane flow with moments in memory between walls: below y = 0 and above the last row, and at both ends of
/// x unless the flow is periodic along x. The upper wall is a lid that may move; links through the corners
/// end on the sides.
template <class T> class WalledMoments : public MomentFlow<2, T> {
public:
  WalledMoments(const Cell& extent, bool periodic)
      : MomentFlow<2, T>(extent), walls_(extent, 1), velocity_(extent, 2), lid_(extent, 1) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      for (std::int64_t x = 0; x < extent[0]; ++x) {
        for (std::size_t q = 1; q < 9; ++q) {
          const std::int64_t from_x = x - d2q9.c[q][0], from_y = y - d2q9.c[q][1];
          const bool beside = !periodic && (from_x < 0 || from_x >= extent[0]);
          const std::uint32_t bit = 1U << q;
          if (beside || from_y < 0 || from_y >= extent[1]) walls_.at({x, y, 0}, 0) |= bit;
          if (!beside && from_y >= extent[1]) lid_.at({x, y, 0}, 0) |= bit;
        }
      }
    }
  }

  /// force: along x. lid: velocity of the upper wall along x.
  void step(double omega, double force, double lid) {
    const auto walls = std::as_const(walls_).view(), lids = std::as_const(lid_).view();
    this->advance([&](const auto& flow, const auto& stress, const auto& flow_next, const auto& stress_next) {
      if constexpr (WalledMoments::halves)
        lbm_validation_mixed::walled(flow, stress, walls, lids, flow_next, stress_next, force, 0.0, lid, 0.0,
                                     omega);
      else
        lbm_validation_mixed::walled_f32(flow, stress, walls, lids, flow_next, stress_next, force, 0.0, lid,
                                         0.0, omega);
    });
  }

  /// As the last step saw it; force: its own, along x.
  [[nodiscard]] double velocity(const Cell& cell, double force) {
    lbm_validation_mixed::velocity(this->flow(), velocity_.view(), force, 0.0);
    return velocity_.at(cell, 0);
  }

protected:
  BoxField<std::uint32_t, 2> walls_;
  BoxField<float, 2> velocity_;
  BoxField<std::uint32_t, 2> lid_;
};

} // namespace validation

#endif
