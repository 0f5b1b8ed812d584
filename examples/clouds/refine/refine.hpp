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

/// Sets a state from that of the same case on cells of twice the width along x and y, with the same levels or
/// with levels of which two are one of the fine run: then on lines through their centres, and w on lines
/// between faces. Means of levels of the coarse state are kept (of two fine levels, the mean by mass):
/// interpolation with a limiter does not keep them, so a number is added to u, v, w and theta_l of each
/// level, and water is multiplied by one. Then it is projected. All ranks; each holds a whole field where
/// levels differ.
template <class T>
void refine_state(Stepper<T>& coarse, const BaseState& coarse_base, Stepper<T>& fine, const BaseState& base,
                  heddle::Transport& transport);

/// The state and the progress of a run that begins where a checkpoint of a coarser one (--refine) ends.
/// Throws heddle::Error where there is none, where it is of another case, domain, precision or levels (with
/// --refine-levels: other than two of these together), or where the cells along x and y are not twice as
/// many. All ranks.
template <class T>
[[nodiscard]] RunState refine(const Options& options, const Case& what, const BaseState& base,
                              Stepper<T>& fine, heddle::Transport& transport);

} // namespace clouds

#endif
