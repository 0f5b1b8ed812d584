// SPDX-License-Identifier: Apache-2.0
#include "stepper.hpp"

#include <algorithm>
#include <cmath>

namespace pressure_projection {
namespace {

/// Williamson's third-order scheme: q <- carry q + dt f(u), u <- u + share q.
constexpr struct {
  double carry, share;
} stages[] = {{0, 1.0 / 3}, {-5.0 / 9, 15.0 / 16}, {-153.0 / 128, 8.0 / 15}};

heddle::BlockGrid block(const heddle::StaggeredGrid& grid) {
  return heddle::BlockGrid({{0, 0, 0}, grid.cells});
}

} // namespace

Stepper::Stepper(const heddle::StaggeredGrid& grid, double viscosity)
    : grid_(grid), viscosity_(viscosity), projection_(grid), u_(block(grid)), v_(block(grid)),
      w_(block(grid)), q_u_(block(grid)), q_v_(block(grid)), q_w_(block(grid)),
      momentum_(q_u_, u_, v_, w_, q_v_, q_w_,
                {.per_x = 1 / grid.width_x,
                 .per_y = 1 / grid.width_y,
                 .per_z = 1 / grid.heights.at(0),
                 .viscosity = viscosity}),
      advance_(q_u_, u_, q_v_, v_, q_w_, w_, {}) {}

double Stepper::longest_step(double speed) const {
  const double per_x = 1 / grid_.width_x, per_y = grid_.cells[1] > 1 ? 1 / grid_.width_y : 0;
  const double per_z = 1 / grid_.heights[0];
  // The scheme is stable up to 1.7 along the imaginary axis (advection) and 2.5 along the negative one
  // (diffusion).
  const double advection = speed * (per_x + per_y + per_z) / 1.7;
  const double diffusion = 4 * viscosity_ * (per_x * per_x + per_y * per_y + per_z * per_z) / 2.5;
  return 0.8 / (advection + diffusion);
}

void Stepper::start() {
  projection_(velocity(), 1, stream_);
  projection_.operators().fill(velocity(), heddle::Rim::ghosts, stream_);
}

void Stepper::step(double time_step, double bulk) {
  for (const auto& [carry, share] : stages) {
    momentum_.parameters.carry = carry;
    momentum_.parameters.step = time_step;
    advance_.parameters.share = share;
    momentum_(stream_);
    advance_(stream_);
    if (bulk != 0) keep(bulk);
    projection_.operators().fill(velocity(), heddle::Rim::faces, stream_);
    projection_(velocity(), share * time_step, stream_);
    projection_.operators().fill(velocity(), heddle::Rim::ghosts, stream_);
  }
}

/// A force that is the same everywhere, just as large as the mean flow needs.
void Stepper::keep(double bulk) {
  const double mean = projection_.operators().mean(u_.view(), 0, stream_);
  projection_.operators().add(u_.view(), bulk - mean, stream_);
}

double Stepper::divergence() {
  return projection_.operators().norms(velocity(), stream_).largest;
}

double Stepper::energy() {
  double sum = 0;
  for (heddle::Field<double>* field : {&u_, &v_, &w_})
    for (const double value : field->read())
      sum += value * value / 2;
  return sum / static_cast<double>(grid_.cells[0] * grid_.cells[1] * grid_.cells[2]);
}

} // namespace pressure_projection
