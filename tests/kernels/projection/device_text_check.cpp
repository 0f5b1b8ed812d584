// SPDX-License-Identifier: Apache-2.0
// The CUDA text of the kernels of a projection, run on the CPU by tests/emulation, gives the bits of the
// CPU's text.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "flow.hpp"
#include "projection_flow.hpp"

namespace {

using heddle::Field;
using heddle::FieldView;

/// Fields full of noise, ghosts too; profiles and results beside them.
template <class T> struct Memory {
  explicit Memory(const std::array<std::int64_t, 3>& cells)
      : block({{0, 0, 0}, cells}), a(block), b(block), c(block), d(block),
        profiles(3, std::vector<T>(static_cast<std::size_t>(cells[2] + 2))), results(2),
        work(2, std::vector<T>(static_cast<std::size_t>(4 * cells[0] * cells[1] * cells[2] + 64))) {
    std::int64_t seed = 0;
    for (Field<T>* field : {&a, &b, &c, &d})
      scatter(field->view(), seed += 1000003);
    for (std::vector<T>& profile : profiles)
      for (T& value : profile)
        value = static_cast<T>(1.5 + test::noise(++seed));
  }

  static void scatter(const FieldView<T>& view, std::int64_t seed) {
    for (std::int64_t z = -1; z <= view.extent(2); ++z)
      for (std::int64_t y = -1; y <= view.extent(1); ++y)
        for (std::int64_t x = -1; x <= view.extent(0); ++x)
          view(x, y, z) = static_cast<T>(test::noise(seed + x + 64 * (y + 64 * z)));
  }

  [[nodiscard]] const T* profile(std::size_t i) const { return profiles[i].data() + 1; }
  [[nodiscard]] std::vector<double> all() {
    std::vector<double> values;
    for (Field<T>* field : {&a, &b, &c, &d})
      for (const T value : field->read())
        values.push_back(static_cast<double>(value));
    for (const T value : results)
      values.push_back(static_cast<double>(value));
    return values;
  }

  heddle::BlockGrid block;
  Field<T> a, b, c, d;
  std::vector<std::vector<T>> profiles;
  std::vector<T> results;
  std::vector<std::vector<T>> work;
};

template <class T> class DeviceText : public testing::Test {
protected:
  using Run = std::function<void(Memory<T>&)>;
  void same(const char* kernel, const Run& host, const Run& device) {
    for (const std::array<std::int64_t, 3>& cells :
         {std::array<std::int64_t, 3>{1, 1, 1}, {33, 5, 3}, {64, 2, 4}}) {
      Memory<T> one(cells), other(cells);
      const std::vector<double> before = one.all();
      host(one);
      device(other);
      EXPECT_EQ(one.all(), other.all()) << kernel << " " << cells[0];
      EXPECT_NE(one.all(), before) << kernel << " " << cells[0];
    }
  }
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(DeviceText, Precisions);

TYPED_TEST(DeviceText, OfProjections) {
  using M = Memory<TypeParam>;
  namespace flow = projection_flow;
  this->same(
      "divergence",
      [](M& m) {
        flow::divergence(m.a.view(), m.b.view(), m.c.view(), m.d.view(), m.profile(0), m.profile(1),
                         m.profile(2), 2, 3, 0.5);
      },
      [](M& m) {
        flow::divergence_cuda(m.a.view(), m.b.view(), m.c.view(), m.d.view(), m.profile(0), m.profile(1),
                              m.profile(2), 2, 3, 0.5, nullptr);
      });
  this->same(
      "norms",
      [](M& m) {
        flow::norms(m.a.view(), m.b.view(), m.c.view(), m.profile(0), m.profile(1), m.profile(2),
                    &m.results[0], m.work[0].data(), &m.results[1], m.work[1].data(), 2, 3);
      },
      [](M& m) {
        flow::norms_cuda(m.a.view(), m.b.view(), m.c.view(), m.profile(0), m.profile(1), m.profile(2),
                         &m.results[0], m.work[0].data(), &m.results[1], m.work[1].data(), 2, 3, nullptr);
      });
  for (const std::int64_t first_z : {0, 1}) {
    this->same(
        "correct",
        [=](M& m) {
          flow::correct(m.d.view(), m.a.view(), m.b.view(), m.c.view(), m.profile(0), first_z, 2, 3, 0.1);
          if (m.d.view().extent(0) == 1) m.results[0] = 1;
        },
        [=](M& m) {
          flow::correct_cuda(m.d.view(), m.a.view(), m.b.view(), m.c.view(), m.profile(0), first_z, 2, 3, 0.1,
                             nullptr);
          if (m.d.view().extent(0) == 1) m.results[0] = 1;
        });
  }
}

} // namespace
