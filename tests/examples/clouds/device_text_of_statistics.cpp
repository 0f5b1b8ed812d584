// SPDX-License-Identifier: Apache-2.0
// The CUDA text of the kernels of statistics gives the bits of the CPU's text.
#include "clouds_statistics.hpp"
#include "device_text.hpp"

namespace clouds {
namespace {

template <class T> class DeviceTextOfStatistics : public testing::Test {
protected:
  /// Sums of rows that a kernel leaves; run(air, rows, kernel).
  static void expect_same_sums(const char* kernel, int quantities, const auto& run, const auto& host,
                               const auto& device) {
    for (const std::int64_t row : {37, 300}) // a piece of a row, and three
      expect_same_sums_of(row, kernel, quantities, run, host, device);
  }

private:
  static void expect_same_sums_of(std::int64_t row, const char* kernel, int quantities, const auto& run,
                                  const auto& host, const auto& device) {
    const Place place{.blocks = heddle::BlockGrid({{0, 0, 0}, {row, 6, 11}}), .width_x = 100, .width_y = 90};
    Air<T> air(place);
    const auto sums = [&](const auto& call) {
      heddle::Field<double> rows(place.blocks,
                                 {.components = quantities, .ghost_layers = 0, .same_along = 0});
      run(air, rows.view(), call);
      std::vector<double> all;
      for (int c = 0; c < quantities; ++c)
        for (const double value : rows.read(0, c))
          all.push_back(value);
      return all;
    };
    const std::vector<double> one = sums(host), other = sums(device);
    EXPECT_EQ(one, other) << kernel << ", rows of " << row << " cells";
    for (const double value : one)
      ASSERT_TRUE(std::isfinite(value)) << kernel;
    EXPECT_NE(one.front(), 0) << kernel;
  }
};
TYPED_TEST_SUITE(DeviceTextOfStatistics, Precisions);

TYPED_TEST(DeviceTextOfStatistics, OfMeans) {
  using A = Air<TypeParam>;
  this->expect_same_sums(
      "means", 28,
      [](A& a, const auto& rows, const auto& kernel) {
        const auto& c = a.column;
        kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.cloud.view(), a.now.r->view(), a.K.view(),
               a.mid.view(), rows, a.now.th.view(), a.now.q.view(), a.level(c.rho_face),
               a.level(c.per_distance), a.level(c.order_z), a.level(c.exner), a.level(c.length2), 0.5, 3.0,
               1e-5, 0.01, 0.011);
      },
      [](const auto&... x) { clouds_statistics::means(x...); },
      [](const auto&... x) { clouds_statistics::means_cuda(x..., nullptr); });
}

TYPED_TEST(DeviceTextOfStatistics, OfDeviations) {
  using A = Air<TypeParam>;
  const std::vector<double> mean(13, 0.1);
  const auto run = [&](A& a, const auto& rows, const auto& kernel) {
    kernel(a.now.u.view(), a.now.v.view(), a.now.w.view(), a.mid.view(), a.now.r->view(), rows,
           a.now.th.view(), a.now.q.view(), a.level(a.column.exner), &mean[1], &mean[1], &mean[1], &mean[1],
           &mean[1], &mean[1], 1e-5);
  };
  this->expect_same_sums(
      "deviations", 11, run, [](const auto&... x) { clouds_statistics::deviations(x...); },
      [](const auto&... x) { clouds_statistics::deviations_cuda(x..., nullptr); });
}

} // namespace
} // namespace clouds
