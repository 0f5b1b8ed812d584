// SPDX-License-Identifier: Apache-2.0
// The Taylor-Green vortex decays on a staggered grid; each step ends with a projection.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/projection/projection.hpp"
#include "vortex_sweeps.hpp"

int main() {
  // A plane of x and z, periodic: one cell along y.
  constexpr std::int64_t n = 32;
  constexpr double h = 2 * std::numbers::pi / n;
  heddle::StaggeredGrid staggered;
  staggered.cells = {n, 1, n};
  staggered.width_x = staggered.width_y = h;
  staggered.heights.assign(n, h);
  heddle::Projection<double> projection(staggered);

  const heddle::BlockGrid grid({{0, 0, 0}, {n, 1, n}});
  heddle::Field<double> u(grid), v(grid), w(grid), q_u(grid), q_v(grid), q_w(grid);
  const heddle::Velocity<double> velocity{u.view(), v.view(), w.view()};
  heddle::Stream stream;
  const auto divergence = [&] { return projection.operators().norms(velocity, stream).largest; };

  // u stands on faces, i h, and in the middle of levels, (k + 1/2) h; w the other way round. Whatever is a
  // gradient must go: here that of cos x cos z.
  const auto face = [](auto i) { return h * static_cast<double>(i); };
  const auto middle = [](auto i) { return h * (static_cast<double>(i) + 0.5); };
  u.fill([&](auto x, auto, auto z, int) {
    return std::sin(face(x)) * std::cos(middle(z)) - 0.5 * std::sin(face(x)) * std::cos(middle(z));
  });
  w.fill([&](auto x, auto, auto z, int) {
    return -std::cos(middle(x)) * std::sin(face(z)) - 0.5 * std::cos(middle(x)) * std::sin(face(z));
  });
  projection(velocity);
  std::printf("after the first projection: divergence %.1e\n", divergence());

  // Momentum without pressure, then the projection adds what the pressure does.
  constexpr double viscosity = 0.1, step = 0.02;
  constexpr int steps = 100;
  vortex::Momentum<double> momentum(u, v, w, q_u, q_v, q_w,
                                    {.per_x = 1 / h, .per_y = 1 / h, .per_z = 1 / h, .viscosity = viscosity});
  vortex::Advance<double> advance(u, v, w, q_u, q_v, q_w, {.step = step});
  for (int i = 0; i < steps; ++i) {
    projection.operators().fill(velocity, heddle::Rim::ghosts, stream);
    momentum(stream);
    advance(stream);
    projection(velocity, step, stream);
  }

  // The advection of this mode is a gradient, also between cells, and the mode an eigenvector of the discrete
  // Laplacian: a step multiplies it by 1 - 2 viscosity step (2 sin(h / 2) / h)^2.
  const double wave = 2 * std::sin(h / 2) / h;
  const double decay = std::pow(1 - 2 * viscosity * step * wave * wave, steps);
  double error = 0;
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t x = 0; x < n; ++x)
      error =
          std::max(error, std::abs(velocity.u(x, 0, z) - decay * std::sin(face(x)) * std::cos(middle(z))));
  std::printf("after %d steps: amplitude %.9f, error %.1e, divergence %.1e\n", steps, decay, error,
              divergence());
  return error < 1e-12 && divergence() < 1e-12 ? 0 : 1;
}
