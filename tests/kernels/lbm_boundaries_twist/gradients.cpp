// SPDX-License-Identifier: Apache-2.0
// Vorticity, and a step with WALE, over lists that hold cells behind walls (EsoTwist): with the numbers of
// the cells beside, on every target, the bits of a list with two arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "channel.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/neighbour_indices.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/sparse/wall_masks.hpp"
#include "lbm_boundaries_pull_sweeps.hpp"
#include "lbm_twist_gradients.hpp"
#include "lbm_twist_gradients_sweeps.hpp"
#include "list_array.hpp"

namespace {

using boundaries::Cell;
using boundaries::d2q9;
using boundaries::magic;
using boundaries::omega;
using boundaries::opposite;

constexpr std::int64_t n_x = 12, n_y = 9;
constexpr double constant = 0.5;
constexpr std::array<bool, 3> periodic{true, true, false};
const heddle::Box box{{0, 0, 0}, {n_x, n_y, 1}};

std::vector<std::uint8_t> among_bodies() {
  test::Random random(2);
  std::vector<std::uint8_t> fluid(static_cast<std::size_t>(n_x * n_y));
  for (std::uint8_t& cell : fluid)
    cell = random.below(10) > 2;
  return fluid;
}

double start(std::int64_t x, std::int64_t y, int q) {
  return 1e-4 * static_cast<double>((x * 37 + y * 101 + q * 53) % 211 - 105);
}

/// The number of the cell in which EsoTwist reads population q of a cell (lbm.md, section 5).
std::int64_t place(const heddle::IndexList& list, std::int64_t n, int q) {
  for (std::size_t a = 0; a < 2; ++a) {
    if (d2q9[static_cast<std::size_t>(q)][a] < 0)
      n = list.neighbour()[static_cast<std::int64_t>(a) * list.neighbour_stride() + n];
  }
  return n;
}

enum class Target { cpu, reference, cuda };
template <class Cpu, class Reference, class Cuda, class... Arguments>
int call(Target target, Cpu cpu, Reference reference, Cuda cuda, Arguments... arguments) {
  if (target == Target::cuda) return cuda(arguments..., static_cast<void*>(nullptr));
  return target == Target::cpu ? cpu(arguments...) : reference(arguments...);
}
#define HEDDLE_CALL(kernel, ...)                                                                             \
  ASSERT_EQ(call(target, lbm_twist_gradients_##kernel##_f64, lbm_twist_gradients_##kernel##_f64_reference,   \
                 lbm_twist_gradients_##kernel##_f64_cuda, __VA_ARGS__),                                      \
            0)

class Gradients : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(TwistLists, Gradients,
                         testing::Values(Target::cpu, Target::reference, Target::cuda));

TEST_P(Gradients, EqualThoseThroughLinksBitForBit) {
  const Target target = GetParam();
  const std::vector<std::uint8_t> fluid = among_bodies();
  const heddle::IndexList pull_list(box, fluid, periodic, lbm_boundaries_pull::links);
  const heddle::IndexList list(box, fluid, periodic, lbm_twist_gradients::links);
  heddle::SparseField<double> pull(pull_list, 9), next(pull_list, 9), pull_u(pull_list, 2),
      pull_curl(pull_list, 1);
  heddle::SparseField<double> twist(list, 9), u_field(list, 2), curl_field(list, 1);
  heddle::SparseField<std::uint32_t> marks(list, 1), east(list, 1), west(list, 1), north(list, 1),
      south(list, 1);
  heddle::neighbour_indices(east, {1, 0, 0}, periodic);
  heddle::neighbour_indices(west, {-1, 0, 0}, periodic);
  heddle::neighbour_indices(north, {0, 1, 0}, periodic);
  heddle::neighbour_indices(south, {0, -1, 0}, periodic);
  std::vector<std::array<int, 3>> velocities;
  for (const auto& c : d2q9)
    velocities.push_back({c[0], c[1], 0});
  heddle::mark_walls(marks, velocities, periodic);
  pull.fill([](std::int64_t x, std::int64_t y, std::int64_t, int q) { return start(x, y, q); });
  for (heddle::SparseField<double>* u : {&pull_u, &u_field})
    u->fill([](std::int64_t x, std::int64_t y, std::int64_t, int a) { return 10 * start(y, x, 4 + a); });
  const auto arrived = [&](std::int64_t n, int q) { // where pull reads it
    const std::int64_t entry = q == 0 ? n : pull_list.neighbour()[(q - 1) * pull_list.neighbour_stride() + n];
    return pull.view()(entry % pull_list.slot_stride(), entry / pull_list.slot_stride());
  };
  for (std::int64_t n = 0; n < list.count(); ++n) {
    for (int q = 0; q < 9; ++q)
      twist.view()(place(list, n, q), q) = arrived(n, q);
  }
  const auto f = twist.view();
  const auto cell_e = std::as_const(east).view(), cell_w = std::as_const(west).view(),
             cell_n = std::as_const(north).view(), cell_s = std::as_const(south).view(),
             walls = std::as_const(marks).view();
  const auto u = std::as_const(u_field).view();
  const auto curl = curl_field.view();
  const std::int64_t first = 0, last = list.count(), stride = list.neighbour_stride();
  HEDDLE_CALL(curl, HEDDLE_ARRAY(cell_e), HEDDLE_ARRAY(cell_w), HEDDLE_ARRAY(cell_n), HEDDLE_ARRAY(cell_s),
              HEDDLE_ARRAY(u), HEDDLE_ARRAY(curl), first, last);
  const std::uint32_t *const table = list.neighbour(), *const links = pull_list.neighbour();
  lbm_boundaries_pull::curl(std::as_const(pull).view(), std::as_const(pull_u).view(), pull_curl.view(), links,
                            pull_list.neighbour_stride(), 0, last);
  double largest = 0;
  for (std::int64_t n = 0; n < last; ++n) {
    ASSERT_EQ(curl_field.view()(n, 0), pull_curl.view()(n, 0)) << "cell " << n;
    largest = std::max(largest, pull_curl.view()(n, 0));
  }
  EXPECT_GT(largest, 0.1);
  for (int t = 0; t < 4; ++t) {
    lbm_boundaries_pull::gradients(std::as_const(pull).view(), next.view(), std::as_const(pull_u).view(),
                                   links, pull_list.neighbour_stride(), 0, last, constant, magic, omega);
    std::swap(pull, next);
    if (t % 2 == 0) {
      HEDDLE_CALL(step_even, HEDDLE_ARRAY(f), HEDDLE_ARRAY(cell_e), HEDDLE_ARRAY(cell_w),
                  HEDDLE_ARRAY(cell_n), HEDDLE_ARRAY(cell_s), HEDDLE_ARRAY(u), HEDDLE_ARRAY(walls), table,
                  stride, first, last, constant, magic, omega);
    } else {
      HEDDLE_CALL(step_odd, HEDDLE_ARRAY(f), HEDDLE_ARRAY(cell_e), HEDDLE_ARRAY(cell_w), HEDDLE_ARRAY(cell_n),
                  HEDDLE_ARRAY(cell_s), HEDDLE_ARRAY(u), HEDDLE_ARRAY(walls), table, stride, first, last,
                  constant, magic, omega);
    }
    for (std::int64_t n = 0; n < last; ++n) {
      for (int q = 0; q < 9; ++q) {
        const int slot = t % 2 == 0 ? opposite(q) : q; // as the next step reads it
        ASSERT_EQ(twist.view()(place(list, n, q), slot), arrived(n, q)) << "step " << t << ", q " << q;
      }
    }
  }
}

} // namespace
