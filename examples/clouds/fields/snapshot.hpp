// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_SNAPSHOT_HPP
#define HEDDLE_CLOUDS_SNAPSHOT_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "stepper.hpp"

namespace clouds {

/// The whole domain at a time, x fastest, in double precision; on rank 0, elsewhere all vectors are empty.
struct Snapshot {
  double time = 0; // s
  std::array<std::int64_t, 3> cells{};
  std::vector<double> u, v, w;   // on lower faces, in the frame of the case
  std::vector<double> th, q;     // theta_l - 300 K; kg/kg
  std::vector<double> cloud;     // kg/kg
  std::vector<double> rain;      // kg/kg; empty in a case without
  std::vector<double> viscosity; // K_m
  std::vector<double> heating;   // by longwave radiation, K s-1; empty in a case without
};

/// After Stepper::survey(). All ranks together.
template <class T>
[[nodiscard]] Snapshot snapshot(Stepper<T>& stepper, heddle::Transport& transport, double time);

} // namespace clouds

#endif
