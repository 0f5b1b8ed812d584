// SPDX-License-Identifier: Apache-2.0
// The same bits on the device as on the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "statistics.hpp"
#include "stepper.hpp"

namespace clouds {
namespace {

template <class T> Snapshot after_steps(const Case& what, Scheme scheme, heddle::Memory memory) {
  heddle::LocalTransport alone;
  const BaseState base = make_base_state(what, 32);
  Stepper<T> stepper(what, base, {48, 40, 32}, scheme, alone, memory);
  stepper.start(3);
  stepper.set_last_step(5);
  (void)stepper.survey();
  for (int n = 0; n < 3; ++n)
    EXPECT_GT(stepper.advance(60), 5);
  return snapshot(stepper, alone, 0);
}

template <class T> class Device : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Device, Precisions);

TYPED_TEST(Device, HasTheBitsOfTheHost) {
  for (const Case& what : {bomex(), convective_layer()})
    for (const Scheme scheme : {Scheme::fifth, Scheme::second}) {
      const Snapshot host = after_steps<TypeParam>(what, scheme, heddle::Memory::host);
      const Snapshot device = after_steps<TypeParam>(what, scheme, heddle::Memory::device);
      EXPECT_EQ(host.u, device.u) << what.name;
      EXPECT_EQ(host.v, device.v) << what.name;
      EXPECT_EQ(host.w, device.w) << what.name;
      EXPECT_EQ(host.th, device.th) << what.name;
      EXPECT_EQ(host.q, device.q) << what.name;
      EXPECT_EQ(host.cloud, device.cloud) << what.name;
      EXPECT_EQ(host.viscosity, device.viscosity) << what.name;
      EXPECT_EQ(host.stress_u, device.stress_u) << what.name;
      EXPECT_EQ(host.stress_v, device.stress_v) << what.name;
      EXPECT_GT(*std::ranges::max_element(host.w), 0.01) << what.name;
    }
}

} // namespace
} // namespace clouds
