// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_REFINE_HPP
#define HEDDLE_CLOUDS_REFINE_HPP

#include "base_state.hpp"
#include "case.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "saves.hpp"
#include "stepper.hpp"

namespace clouds {

/// Sets a state from that of the same case on cells of twice the width along x and y, and the same levels.
/// Means of levels are those of the coarse state: interpolation with a limiter does not keep them, so a
/// number is added to u, v, w and theta_l of each level, and water is multiplied by one. Then it is
/// projected. All ranks.
template <class T> void refine_state(Stepper<T>& coarse, Stepper<T>& fine);

/// The state and the progress of a run that begins where a checkpoint of a coarser one (--refine) ends.
/// Throws heddle::Error where there is none, where it is of another case, domain, precision or number of
/// levels, or where the cells along x and y are not twice as many. All ranks.
template <class T>
[[nodiscard]] RunState refine(const Options& options, const Case& what, const BaseState& base,
                              Stepper<T>& fine, heddle::Transport& transport);

} // namespace clouds

#endif
