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

/// The cells of this rank.
heddle::BlockGrid block(const heddle::StaggeredGrid& grid, const heddle::SlabProjection<double>& projection) {
  const heddle::Box cells{{0, 0, projection.first_level()},
                          {grid.cells[0], grid.cells[1], projection.last_level()}};
  return heddle::BlockGrid(cells);
}

} // namespace

Stepper::Stepper(const heddle::StaggeredGrid& grid, double viscosity, heddle::Transport& transport)
    : grid_(grid), viscosity_(viscosity), projection_(grid, transport), ranks_(transport),
      u_(block(grid, projection_)), v_(u_.grid()), w_(u_.grid()), q_u_(u_.grid()), q_v_(u_.grid()),
      q_w_(u_.grid()), momentum_(u_, v_, w_, q_u_, q_v_, q_w_,
                                 {.carry = 0,
                                  .step = 0,
                                  .force_x = 0,
                                  .per_x = 1 / grid.width_x,
                                  .per_y = 1 / grid.width_y,
                                  .per_z = 1 / grid.heights.at(0),
                                  .viscosity = viscosity}),
      advance_(u_, v_, w_, q_u_, q_v_, q_w_, {.share = 0}) {}

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
  projection_.fill(velocity(), heddle::Rim::ghosts, stream_);
}

void Stepper::step(double time_step, double bulk) {
  for (const auto& [carry, share] : stages) {
    momentum_.parameters.carry = carry;
    momentum_.parameters.step = time_step;
    advance_.parameters.share = share;
    momentum_(stream_);
    advance_(stream_);
    if (bulk != 0) keep(bulk);
    projection_(velocity(), share * time_step, stream_);
    projection_.fill(velocity(), heddle::Rim::ghosts, stream_);
  }
}

/// A force that is the same everywhere, just as large as the mean flow needs.
void Stepper::keep(double bulk) {
  const double mean = projection_.mean(u_.view(), 0, stream_);
  projection_.operators().add(u_.view(), bulk - mean, stream_);
}

double Stepper::divergence() {
  return projection_.norms(velocity(), stream_).largest;
}

double Stepper::energy() {
  double sum = 0;
  for (heddle::Field<double>* field : {&u_, &v_, &w_})
    for (const double value : field->read())
      sum += value * value / 2;
  return ranks_.sum(sum) / static_cast<double>(grid_.cells[0] * grid_.cells[1] * grid_.cells[2]);
}

std::vector<double> Stepper::plane(const std::function<double(std::int64_t x, std::int64_t z)>& value) {
  const std::int64_t nx = grid_.cells[0], first = projection_.first_level(), last = projection_.last_level();
  std::vector<double> own(static_cast<std::size_t>(nx * grid_.cells[2]), 0); // 0 on the levels of other ranks
  for (std::int64_t z = first; z < last; ++z)
    for (std::int64_t x = 0; x < nx; ++x)
      own[static_cast<std::size_t>(x + nx * z)] = value(x, z - first);
  std::vector<double> whole(own.size(), 0);
  const std::vector<double> all = ranks_.gather(own);
  for (std::size_t i = 0; i < all.size(); ++i)
    whole[i % own.size()] += all[i];
  return whole;
}

} // namespace pressure_projection
