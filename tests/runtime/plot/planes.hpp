// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLANES_HPP
#define HEDDLE_PLANES_HPP

#include "heddle/plot/plane.hpp"

namespace heddle::test {

/// f(x, y) on n x n points over [-1, 1] x [-1, 1].
template <class F> plot::Plane sampled(std::int64_t n, F f) {
  const double step = 2.0 / static_cast<double>(n - 1);
  plot::Plane plane{n, n, -1, -1, step, step, {}};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      plane.values.push_back(f(-1 + static_cast<double>(i) * step, -1 + static_cast<double>(j) * step));
  return plane;
}

} // namespace heddle::test

#endif
