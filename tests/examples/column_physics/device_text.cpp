// SPDX-License-Identifier: Apache-2.0
// The CUDA text of the kernels of radiation, nest and limiter, run on the CPU by tests/emulation, gives the
// bits of the CPU's text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "../../support/noise.hpp"
#include "column_physics.hpp"
#include "column_physics_sweeps.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

using Columns = example::longwave::Columns<float>;
using Numbers = std::vector<float>;

constexpr std::int64_t n_x = 9, n_y = 5, n_z = 11;

/// Warm moist air with clouds here and there, and room for what the kernels write.
struct Cells {
  Cells() : c(n_x, n_y, n_z, 301, heddle::Memory::host), q(4 * cells), exner(cells), heating(cells) {
    for (std::size_t n = 0; n < cells; ++n) {
      const auto noise = [&](std::size_t seed) { return static_cast<float>(test::noise(n + 10000 * seed)); };
      const float z = static_cast<float>(n / (n_x * n_y)) / n_z;
      exner[n] = 1 - 0.4F * z;
      q[n] = 300 + 40 * z + noise(1);
      q[n + cells] = 1e-2F * (1 - z) * (1 + 0.1F * noise(2));
      q[n + 2 * cells] = std::max(0.0F, 1e-3F * noise(3));
    }
  }
  heddle::FieldView<float> view(Numbers& values) const {
    return {values.data(), {n_x, n_y, n_z, 4}, {1, n_x, n_x * n_y, n_x * n_y * n_z}};
  }
  heddle::FieldView<float> of(heddle::Buffer<float>& buffer) { return c.cells(buffer, n_x, n_y, n_z); }
  [[nodiscard]] Numbers all() const {
    Numbers values = heating;
    for (const auto* buffer :
         {&c.moisture, &c.temperature, &c.face_temperature, &c.cover, &c.cloud_depth, &c.up, &c.down})
      for (const float value : buffer->span())
        values.push_back(value);
    return values;
  }

  static constexpr std::size_t cells = n_x * n_y * n_z;
  Columns c;
  Numbers q, exner, heating;
  Numbers mass = Numbers(n_z + 2, 400);
};

void expect_same(const std::function<Numbers(bool device)>& run) {
  const Numbers host = run(false);
  EXPECT_EQ(run(true), host);
  for (const float value : host)
    ASSERT_TRUE(std::isfinite(value));
}

TEST(DeviceText, OfRadiation) {
  expect_same([](bool device) {
    Cells a;
    const float* const mass = a.mass.data() + 1;
    const auto layers_of = [&](const auto& kernel) {
      kernel(a.view(a.q), a.view(a.exner), a.of(a.c.moisture), a.of(a.c.temperature),
             a.of(a.c.face_temperature), a.of(a.c.cover), a.of(a.c.cloud_depth), mass);
    };
    const auto fluxes_of = [&](const auto& kernel) {
      const Columns::Arguments b = a.c.arguments(n_x * n_y);
      kernel(b.moisture, b.temperature, b.face_temperature, b.cloud_depth, b.fraction, b.cover, b.down,
             b.ground, b.emissivity, b.up, b.outgoing, mass, b.part, b.band, b.planck, b.width);
    };
    const auto warming_of = [&](const auto& kernel) {
      kernel(a.view(a.heating), a.view(a.exner), a.of(a.c.up), a.of(a.c.down), mass);
    };
    if (device) {
      layers_of([](const auto&... x) { column_physics::layers_cuda(x..., nullptr); });
      fluxes_of([](const auto&... x) { column_physics::fluxes_cuda(x..., nullptr); });
      warming_of([](const auto&... x) { column_physics::warming_cuda(x..., nullptr); });
    } else {
      layers_of([](const auto&... x) { column_physics::layers(x...); });
      fluxes_of([](const auto&... x) { column_physics::fluxes(x...); });
      warming_of([](const auto&... x) { column_physics::warming(x...); });
    }
    const std::vector<double> up = a.c.column(a.c.up, 17);
    EXPECT_GT(up.back(), 150); // W m-2
    EXPECT_LT(up.back(), up.front());
    return a.all();
  });
}

TEST(DeviceText, OfTheCoarserDomain) {
  for (const std::int32_t begins : {0, 1})
    expect_same([begins](bool device) {
      Cells a;
      const float until = 900;
      Numbers profile(n_z + 2, 0.01F);
      const auto outer = [&](const auto& kernel) {
        kernel(a.view(a.q), profile.data() + 1, profile.data() + 1, profile.data() + 1, &begins, &until,
               std::int64_t{-2}, std::int64_t{3}, 9000.0, 7e-5, 9e-5, 10.0, -3.0);
      };
      const Numbers before = a.q;
      if (device)
        outer([](const auto&... x) { column_physics::outer_air_cuda(x..., nullptr); });
      else
        outer([](const auto&... x) { column_physics::outer_air(x...); });
      EXPECT_EQ(a.q == before, begins == 0);
      return a.q;
    });
}

/// One kernel on the device, beside three on the host. What lies beyond the boundaries is NaN.
TEST(DeviceText, OfTheLimiter) {
  Options options = test::small_options();
  options.size = {37, 22, 7}; // two blocks of threads along both axes
  test::SmallDomain domain(options);
  Air& a = domain.part.air();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto stir = [&](heddle::Field<float>& field, double size, double mean) {
    field.fill(nan);
    field.fill([=](auto x, auto y, auto z, int c) {
      return std::max(mean - size, size * test::noise(x + 50 * (y + 50 * (z + 10 * c))));
    });
  };
  stir(a.ru, 2e6, 0);
  stir(a.rv, 2e6, 0);
  stir(a.om, 100, 0);
  stir(a.q, 1, 1); // half of the cells are empty
  stir(a.q_b, 1, 1);
  const double dt = options.time_step, per_spacing = 1 / options.spacing;
  const Place place{domain.grid, 0, heddle::Memory::host, options.spacing};
  heddle::Field<float> excess = place.field("excess", 3 * tracers, 1), keep = place.field("keep", tracers, 1);
  excess.fill(nan);
  keep.fill(nan);
  heddle::Stream stream(heddle::Memory::host);
  column_physics::Excess<float>(a.q_b, a.ru, a.rv, a.om, a.q, excess, a.own_weight, a.below_weight, a.order_x,
                                a.order_y, a.order_z, {.dt = dt})(stream);
  column_physics::Scale<float>(a.ru, a.rv, a.om, a.mu, a.q, keep, excess, a.rdnw, a.one, a.zero, a.order_x,
                               a.order_y, a.order_z,
                               {.dt = dt, .rdx = per_spacing, .rdy = per_spacing})(stream);
  column_physics::LimitedStage<float>(a.q_a, a.ru, a.rv, a.om, a.mu, a.mu, a.q, keep, excess, a.rdnw, a.one,
                                      a.zero, a.order_x, a.order_y, a.order_z,
                                      {.dt = dt, .rdx = per_spacing, .rdy = per_spacing})(stream);
  heddle::Field<float> found = a.q_a.like();
  const auto level = [&](const heddle::Profile<float>& one) { return one.first(domain.grid.block(0)); };
  column_physics::limited_at_once_cuda(a.ru.view(), a.rv.view(), a.om.view(), a.mu.view().plane(),
                                       a.mu.view().plane(), a.q_b.view(), a.q.view(), found.view(),
                                       level(a.one), level(a.zero), level(a.rdnw), level(a.own_weight),
                                       level(a.below_weight), level(a.order_x), level(a.order_y),
                                       level(a.order_z), dt, per_spacing, per_spacing, nullptr);
  for (int c = 0; c < tracers; ++c) {
    const Numbers expected = a.q_a.read(0, c);
    EXPECT_EQ(found.read(0, c), expected) << c;
    for (const float value : expected)
      ASSERT_TRUE(std::isfinite(value));
    EXPECT_NE(expected, a.q.read(0, c));
    const Numbers kept = keep.read(0, c);
    EXPECT_LT(*std::ranges::min_element(kept), 1); // the limiter acts
  }
}

} // namespace
} // namespace front
