// SPDX-License-Identifier: Apache-2.0
// The kernels for the device, on memory of the host: for the emulation.
#ifndef HEDDLE_MULTIGRID_EMULATED_HPP
#define HEDDLE_MULTIGRID_EMULATED_HPP

#include "multigrid_sweeps.hpp"

namespace test {

struct Emulated {
  static constexpr bool split = multigrid::Solver::split;
  static void first(const heddle::Stream&, const auto&... a) { multigrid::first_cuda(a..., nullptr); }
  static void smooth(const heddle::Stream&, const auto&... a) { multigrid::smooth_cuda(a..., nullptr); }
  static void remains(const heddle::Stream&, const auto&... a) { multigrid::remains_cuda(a..., nullptr); }
  static void smooth_product(const heddle::Stream&, const auto&... a) {
    multigrid::smooth_product_cuda(a..., nullptr);
  }
  static void direction(const heddle::Stream&, const auto&... a) { multigrid::direction_cuda(a..., nullptr); }
  static void curvature(const heddle::Stream&, const auto&... a) { multigrid::curvature_cuda(a..., nullptr); }
  static void advance(const heddle::Stream&, const auto&... a) { multigrid::advance_cuda(a..., nullptr); }
  static void remainder(const heddle::Stream&, const auto&... a) { multigrid::remainder_cuda(a..., nullptr); }
  static void renew(const heddle::Stream&, const auto&... a) { multigrid::renew_cuda(a..., nullptr); }
  static void lower_faces(const heddle::Stream&, const auto&... a) {
    multigrid::lower_faces_cuda(a..., nullptr);
  }
  static void upper_faces(const heddle::Stream&, const auto&... a) {
    multigrid::upper_faces_cuda(a..., nullptr);
  }
  static void coarse_first(const heddle::Stream&, const auto&... a) {
    multigrid::coarse_first_cuda(a..., nullptr);
  }
  static void coarse_smooth(const heddle::Stream&, const auto&... a) {
    multigrid::coarse_smooth_cuda(a..., nullptr);
  }
  static void coarse_remains(const heddle::Stream&, const auto&... a) {
    multigrid::coarse_remains_cuda(a..., nullptr);
  }
  static void restrict_left(const heddle::Stream&, const auto&... a) {
    multigrid::restrict_left_cuda(a..., nullptr);
  }
  static void prolong(const heddle::Stream&, const auto&... a) { multigrid::prolong_cuda(a..., nullptr); }
  static void restrict_one(const heddle::Stream&, const auto&... a) {
    multigrid::restrict_one_cuda(a..., nullptr);
  }
  static void prolong_one(const heddle::Stream&, const auto&... a) {
    multigrid::prolong_one_cuda(a..., nullptr);
  }
  static void merge_faces(const heddle::Stream&, const auto&... a) {
    multigrid::merge_faces_cuda(a..., nullptr);
  }
  static void clear(const heddle::Stream&, const auto&... a) { multigrid::clear_cuda(a..., nullptr); }
};

} // namespace test

#endif
