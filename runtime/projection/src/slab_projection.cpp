// SPDX-License-Identifier: Apache-2.0
#include "heddle/slab_projection.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace heddle {

template <class Real>
SlabProjection<Real>::SlabProjection(const StaggeredGrid& grid, Transport& transport, SlabMethod method)
    : transport_(transport), solver_(pressure_problem(grid), transport, Memory::host, nullptr, method),
      operators_(grid, solver_.first_level(), solver_.last_level(), Memory::host),
      values_(static_cast<std::size_t>(solver_.plane_pitch() * (last_level() - first_level() + 1))),
      down_(transport.enlist()), up_(transport.enlist()) {}

template <class Real>
void SlabProjection<Real>::pass(const std::vector<Real>& level, std::vector<Real>& received, int by) {
  const int to = transport_.rank() + by;
  const int from = transport_.rank() - by;
  std::vector<Real> copy(level);
  const auto bytes = [](std::vector<Real>& values) {
    return std::as_writable_bytes(std::span<Real>(values));
  };
  const std::array<Message, 1> send{{{to, bytes(copy).data(), bytes(copy).size()}}};
  const std::array<Message, 1> receive{{{from, bytes(received).data(), bytes(received).size()}}};
  const auto exists = [&](int rank) { return rank >= 0 && rank < transport_.ranks() ? 1U : 0U; };
  const Traffic traffic{by < 0 ? "faces between levels" : "pressure between levels", by < 0 ? down_ : up_,
                        step_, std::span<const Message>(send.data(), exists(to)),
                        std::span<const Message>(receive.data(), exists(from))};
  Stream stream;
  transport_.start(traffic, stream);
  transport_.finish(traffic, stream);
}

template <class Real> void SlabProjection<Real>::fill(const Velocity<Real>& velocity) {
  Stream stream;
  operators_.fill(velocity, Rim::faces, stream);
  const FieldView<Real>& w = velocity.w;
  std::vector<Real> lowest, above(static_cast<std::size_t>(w.extent(0) * w.extent(1)));
  for (std::int64_t y = 0; y < w.extent(1); ++y)
    for (std::int64_t x = 0; x < w.extent(0); ++x)
      lowest.push_back(w(x, y, 0));
  pass(lowest, above, -1);
  ++step_;
  if (operators_.at_top()) return;
  for (std::int64_t y = 0; y < w.extent(1); ++y)
    for (std::int64_t x = 0; x < w.extent(0); ++x)
      w(x, y, w.extent(2)) = above[static_cast<std::size_t>(x + y * w.extent(0))];
}

template <class Real> void SlabProjection<Real>::operator()(const Velocity<Real>& velocity, double step) {
  Stream stream;
  const auto& cells = operators_.grid().cells;
  const std::int64_t levels = last_level() - first_level();
  const auto pitch = static_cast<std::ptrdiff_t>(solver_.plane_pitch());
  Real* const field = values_.data() + pitch;
  const FieldView<Real> p(field, {cells[0], cells[1], levels, 1},
                          {1, solver_.row_pitch(), solver_.plane_pitch(), solver_.plane_pitch() * levels});
  fill(velocity);
  operators_.divergence(velocity, p, 1 / step, stream);
  solver_.solve(field);
  const std::vector<Real> highest(values_.end() - pitch, values_.end());
  std::vector<Real> below(highest.size());
  pass(highest, below, 1);
  std::copy(below.begin(), below.end(), values_.begin());
  operators_.correct(p, velocity, step, !operators_.at_bottom(), stream);
  fill(velocity);
}

template class SlabProjection<double>;
template class SlabProjection<float>;

} // namespace heddle
