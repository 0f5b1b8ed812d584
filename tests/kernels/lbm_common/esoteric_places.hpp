// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_ESOTERIC_PLACES_HPP
#define HEDDLE_TESTS_ESOTERIC_PLACES_HPP

#include <array>
#include <cstddef>

#include "../../support/d3q19.hpp"

/// Where EsoTwist and EsoPull keep populations of D3Q19, as published (lbm.md, section 5), not as the
/// generator says.
namespace test {

/// A component of the cell at an offset.
struct Place {
  int slot;
  Velocity offset;
};

/// m(q), the shift of a pattern.
using Shift = Velocity (*)(int q);
inline Velocity twist_shift(int q) {
  Velocity m{};
  for (std::size_t d = 0; d < 3; ++d)
    m[d] = d3q19[static_cast<std::size_t>(q)][d] < 0 ? 1 : 0;
  return m;
}
inline Velocity eso_pull_shift(int q) {
  return q > 0 && q % 2 == 0 ? d3q19[static_cast<std::size_t>(q - 1)] : Velocity{};
}

/// Before a step population q of x lies in component q (odd: opposite q) of x + m(q), and f*_q is left in the
/// opposite one of x + m(opposite q).
inline Place before(Shift m, bool odd, int q) {
  return {odd ? opposite(q) : q, m(q)};
}
inline Place after(Shift m, bool odd, int q) {
  return {odd ? q : opposite(q), m(opposite(q))};
}

} // namespace test

#endif
