// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_CHECK_HPP
#define HEDDLE_CLOUDS_CHECK_HPP

#include <string>
#include <vector>

#include "base_state.hpp"
#include "case.hpp"
#include "published.hpp"
#include "sample.hpp"
#include "snapshot.hpp"

namespace clouds {

/// A value that a case demands.
struct Check {
  std::string what;
  double value = 0, least = 0, most = 0;
  [[nodiscard]] bool good() const { return value >= least && value <= most; }
  [[nodiscard]] std::string line() const;
};

/// What a run must show, as far as it has gone: nothing for times that it has not reached. published: of this
/// run. single: it was computed in single precision. end: the last state.
[[nodiscard]] std::vector<Check> checks(const Case& what, const BaseState& base, const History& history,
                                        const Published& published, const Snapshot& end, bool single);

/// Whether the last state is looked at for a case.
[[nodiscard]] bool checks_end(const Case& what);

/// Where the mean upward flux of heat, resolved and subgrid, is least, m.
[[nodiscard]] double least_flux_height(const BaseState& base, const Sample& mean);

/// The relative error of the mean of h (theta_l - theta_l at the start) against the flux at the ground.
[[nodiscard]] double heat_budget(const Case& what, const BaseState& base, const History& history);

/// The wave of Skamarock and Klemp: the relative L2 error of theta' against the linear solution (each Fourier
/// mode along x swings with its own frequency and moves with the wind), and the relative error of the largest
/// theta'.
struct WaveError {
  double l2 = 0, amplitude = 0;
};
[[nodiscard]] WaveError wave_error(const Case& what, const BaseState& base, const Snapshot& end);

/// How far the cold air of Straka's current has come along x from the middle of the domain, m: where theta'
/// is -1 K in the lowest level, linearly between cells. 0 where there is none.
[[nodiscard]] double front(const Case& what, const Snapshot& end);

/// How many rotors the current has in the half of the domain with larger x: places where the mass flux
/// between the ground and a height, along x in the first row, is larger than anywhere within 500 m, so that
/// air turns around them.
[[nodiscard]] int rotors(const Case& what, const BaseState& base, const Snapshot& end);

} // namespace clouds

#endif
