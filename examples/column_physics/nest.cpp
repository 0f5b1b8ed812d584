// SPDX-License-Identifier: Apache-2.0
#include "nest.hpp"

#include <algorithm>
#include <array>

#include "column_physics.hpp"
#include "heddle/core/dispatch.hpp"

namespace front {
namespace {

using heddle::FieldView;

constexpr std::int64_t reach = 2; // coarse cells that the interpolation needs around
constexpr std::array<double, zone> shares{1, 0.1, 0.075, 0.05, 0.025};

struct Boundary {
  static void host(const auto&... a) { column_physics::boundary(a...); }
  static void device(const auto&... a) { column_physics::boundary_cuda(a...); }
};
struct Settle {
  static void host(const auto&... a) { column_physics::settle(a...); }
  static void device(const auto&... a) { column_physics::settle_cuda(a...); }
};
struct SettleTracers {
  static void host(const auto&... a) { column_physics::settle_tracers(a...); }
  static void device(const auto&... a) { column_physics::settle_tracers_cuda(a...); }
};

/// Coarse cells under a range of cells, with those around.
struct CoarseCells {
  std::int64_t first, count;

  CoarseCells(std::int64_t lower, std::int64_t upper)
      : first(lower / ratio), count((upper - 1) / ratio - first + 1 + 2 * reach) {}
};

/// Where a column lies in the zones.
struct Column {
  std::int64_t depth, along; // from the boundary; in the strips of its block
};

Column column(std::int64_t x, std::int64_t y, const heddle::Box& block, const heddle::Box& domain) {
  const std::int64_t n_x = block.extent(0), n_y = block.extent(1);
  const std::int64_t i = x - block.lower[0], j = y - block.lower[1];
  const std::array<Column, 4> sides{{{x - domain.lower[0], j},
                                     {domain.upper[0] - 1 - x, n_y + j},
                                     {y - domain.lower[1], 2 * n_y + i},
                                     {domain.upper[1] - 1 - y, 2 * n_y + n_x + i}}};
  return *std::ranges::min_element(sides, {}, &Column::depth);
}

std::int64_t strip_values(const heddle::Box& block) {
  return 2 * (block.extent(0) + block.extent(1)) * zone * block.extent(2) * tracers;
}

/// The first tracers, from values of all cells of the domain.
void start(const heddle::Box& domain, const std::vector<std::vector<float>>& values, Air& air) {
  for (std::size_t n = 0; n < air.groups(); ++n)
    for (int b = 0; b < air.q.blocks(); ++b) {
      heddle::Field<float>& q = air.group(n).q;
      const heddle::Box& box = q.box(b);
      for (int c = 0; c < tracers; ++c) {
        const std::size_t number = n * tracers + static_cast<std::size_t>(c);
        if (number >= values.size()) continue;
        std::vector<float> here;
        for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k)
          for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y)
            for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
              here.push_back(values[number][static_cast<std::size_t>(x + domain.extent(0) *
                                                                             (y + domain.extent(1) * k))]);
        q.write(b, c, here);
      }
    }
}

} // namespace

Nest::Nest(const Place& place, const Weather& weather, const Clock& clock, Air& air, const Options& options)
    : clock_(&clock), air_(&air), outer_(place, weather, options), time_step_(options.time_step),
      spacing_(place.spacing), share_(place.field("share", 1, 0, 2)),
      along_(place.field<std::int32_t>("along", 1, 0, 2)),
      depth_(place.field<std::int32_t>("depth", 1, 0, 2)) {
  const heddle::BlockGrid& grid = place.grid;
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return column(x, y, grid.block(grid.owner({x, y, 0})), grid.domain());
  };
  share_.fill([&](auto x, auto y, auto, int) {
    const std::int64_t depth = at(x, y).depth;
    return depth < zone ? shares[static_cast<std::size_t>(depth)] : 0;
  });
  along_.fill([&](auto x, auto y, auto, int) { return at(x, y).along; });
  depth_.fill([&](auto x, auto y, auto, int) { return std::min<std::int64_t>(at(x, y).depth, zone - 1); });
  for (std::size_t group = 0; group < air.groups(); ++group)
    for (int b = 0; b < air.q.blocks(); ++b) {
      const heddle::Box& box = air.q.box(b);
      const CoarseCells x(box.lower[0], box.upper[0]), y(box.lower[1], box.upper[1]);
      zones_.push_back({group, b,
                        heddle::Buffer<float>(x.count * y.count * box.extent(2) * tracers, place.memory),
                        heddle::Buffer<float>(2 * strip_values(box), place.memory)});
    }
  outer_.start(place, air);
  if (!weather.start().empty()) start(grid.domain(), weather.start(), air);
}

FieldView<float> Nest::strip(Zones& zones, int which) const {
  const heddle::Box& box = air_->q.box(zones.block);
  const std::int64_t along = 2 * (box.extent(0) + box.extent(1));
  const std::int64_t levels = box.extent(2) * tracers;
  return {zones.strips.data() + which * strip_values(box),
          {along, zone, levels, 1},
          {1, along, along * zone, along * zone * levels}};
}

void Nest::add_begin(heddle::TaskGraph& graph) {
  using enum heddle::AccessMode;
  for (Zones& zones : zones_)
    graph.add(
        "boundary values",
        {{&clock_->begins(), "begins", read},
         {&clock_->until(), "until", read},
         {&air_->group(zones.group).q, "q", read, 0},
         {&zones.strips, "strips", write}},
        [this, &zones](heddle::Stream& stream) { interpolate(zones, stream); }, air_->q.memory());
}

void Nest::add_end(heddle::TaskGraph& graph) {
  using enum heddle::AccessMode;
  for (Zones& zones : zones_) {
    Tracers& group = air_->group(zones.group);
    std::vector<heddle::FieldAccess> accesses{{&group.q_a, "q_a", read, 0},
                                              {&clock_->since(), "since", read},
                                              {&zones.strips, "strips", read},
                                              {&group.q, "q", write, 0}};
    if (zones.group == 0) accesses.push_back({&air_->heating, "heating", read, 0});
    graph.add(
        "boundary", accesses, [this, &zones](heddle::Stream& stream) { settle(zones, stream); },
        air_->q.memory());
  }
}

void Nest::interpolate(Zones& zones, heddle::Stream& stream) {
  const FieldView<float> q = air_->group(zones.group).q.view(zones.block);
  const heddle::Box& box = air_->q.box(zones.block);
  const CoarseCells x(box.lower[0], box.upper[0]), y(box.lower[1], box.upper[1]);
  const std::int64_t levels = box.extent(2);
  float* const coarse = zones.coarse.data();
  const std::array<std::int64_t, 4> strides{1, x.count, x.count * y.count, x.count * y.count * levels};
  outer_(stream, zones.group, {coarse, {x.count, y.count, levels, tracers}, strides}, box,
         {{x.first - reach, y.first - reach}, ratio * spacing_}, clock_->begins(), clock_->until());
  const FieldView<float> inner(coarse + reach * (1 + x.count),
                               {x.count - 2 * reach, y.count - 2 * reach, levels, tracers}, strides);
  heddle::call_kernel<Boundary>(stream, inner, q, strip(zones, 0), strip(zones, 1), clock_->begins().data(),
                                box.lower[0] - ratio * x.first, box.lower[1] - ratio * y.first, levels,
                                box.extent(0), box.extent(1), ratio * time_step_);
}

void Nest::settle(Zones& zones, heddle::Stream& stream) {
  Tracers& group = air_->group(zones.group);
  const int b = zones.block;
  if (zones.group == 0)
    heddle::call_kernel<Settle>(stream, group.q.view(b), group.q_a.view(b), air_->heating.view(b),
                                share_.view(b).plane(), along_.view(b).plane(), depth_.view(b).plane(),
                                strip(zones, 0), strip(zones, 1), clock_->since().data(), time_step_);
  else
    heddle::call_kernel<SettleTracers>(stream, group.q.view(b), group.q_a.view(b), share_.view(b).plane(),
                                       along_.view(b).plane(), depth_.view(b).plane(), strip(zones, 0),
                                       strip(zones, 1), clock_->since().data());
}

} // namespace front
