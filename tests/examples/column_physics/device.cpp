// SPDX-License-Identifier: Apache-2.0
// On a device: the bits of the host, whether steps are recorded or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "heddle/core/trace.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

test::Values after(std::int64_t steps, const Options& options, heddle::Trace* trace = nullptr) {
  test::Run run(options, trace);
  run.solver.step(0, steps / 2);
  run.solver.step(steps / 2, steps - steps / 2);
  run.solver.finish();
  return test::result(run.solver, options.all_tracers());
}

TEST(Device, HasTheBitsOfTheHost) {
  for (const Scheme scheme : {Scheme::kessler, Scheme::wsm3, Scheme::wsm5})
    for (const int lag : {0, 1}) {
      Options options = test::small_options();
      options.scheme = scheme;
      options.radiation_lag = lag;
      const test::Values host = after(24, options);
      options.gpu = true;
      const test::Values device = after(24, options);
      for (std::size_t n = 0; n < host.size(); ++n)
        EXPECT_EQ(device[n], host[n]) << n << ", lag " << lag;
      EXPECT_GT(*std::ranges::max_element(host[2 + Tracer::cloud]), 1e-5F);
    }
}

TEST(Device, BlocksBesideEachOtherHaveTheBitsOfTheHost) {
  for (const bool apart : {false, true})
    for (const Scheme scheme : {Scheme::wsm3, Scheme::wsm5}) {
      Options options = test::small_options();
      options.scheme = scheme;
      options.cells_apart = apart;
      const test::Values host = after(24, options);
      options.gpu = true;
      options.limits_at_once = true; // by default where the domain is large
      options.blocks = {2, 2};
      EXPECT_EQ(after(24, options), host) << apart;
    }
}

TEST(Device, StepsThatAreRecordedHaveTheBitsOfThoseThatAreNot) {
  Options options = test::small_options();
  options.gpu = true;
  options.radiation_every = 12;
  heddle::Trace trace;
  EXPECT_EQ(after(36, options), after(36, options, &trace));
  EXPECT_GT(trace.spans().size(), 100U);
}

} // namespace
} // namespace front
