// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_RUN_HPP
#define HEDDLE_CLOUDS_RUN_HPP

#include "heddle/transport/transport.hpp"
#include "options.hpp"

namespace clouds {

/// Computes what the options say and writes the results. Returns 0, or 1 where the case asks for a value that
/// the run misses. All ranks together.
[[nodiscard]] int run(const Options& options, heddle::Transport& transport);

} // namespace clouds

#endif
