// SPDX-License-Identifier: Apache-2.0
// Which faces of a block belong to its border.
#ifndef HEDDLE_SRC_HALO_BORDER_AXES_HPP
#define HEDDLE_SRC_HALO_BORDER_AXES_HPP

#include <array>

#include "heddle/halo/exchange.hpp"

namespace heddle {

/// The axes across which a block of this rank has a border, for an exchange that sends messages: those that
/// lead to other ranks, and y and z where lanes of one vector follow each other along them. What crosses
/// between such lanes moves within one launch, but no cell could be computed before it if it belonged to the
/// interior. Not x: a border of one cell in each row would use a fraction of what a load brings.
[[nodiscard]] std::array<bool, 3> border_axes(const ExchangeBase& exchange);

} // namespace heddle

#endif
