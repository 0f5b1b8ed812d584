// SPDX-License-Identifier: Apache-2.0
// The first and the last pass of a projection: rows of the divergence become waves, and waves become rows of
// the pressure, from which the velocities are corrected. Neither divergence nor pressure goes through memory.
#ifndef HEDDLE_SRC_POISSON_FLOW_KERNELS_CUH
#define HEDDLE_SRC_POISSON_FLOW_KERNELS_CUH

#include "transform_kernels.cuh"

namespace heddle::device {

/// Row j of a level of a velocity, as pairs.
template <class Real>
__device__ inline Complex<Real>* row_of(const typename PeriodicFlow<Real>::Component& component,
                                        std::int64_t level, std::int64_t j) {
  return reinterpret_cast<Complex<Real>*>(component.first + level * component.plane + j * component.row);
}

/// Products that are rounded before something is added, as those of generated kernels are: a flow on several
/// ranks, which has its divergence and its correction from these, then has the same bits.
__device__ inline float product(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ inline double product(double a, double b) {
  return __dmul_rn(a, b);
}

/// Shared memory of correct_rows.
template <class L, class Real>
inline constexpr std::size_t corrected_bytes =
    L::template shared_bytes<Real> + std::size_t{L::count} * L::block * sizeof(Complex<Real>);

/// Rows L::lines * blockIdx.x ... of level blockIdx.y of the field become waves of the divergence.
template <class L, int blocks, class Real>
__global__ void __launch_bounds__(L::block, blocks)
    divergence_rows(PlaneArguments<Real> a, PeriodicFlow<Real> flow) {
  const int t = static_cast<int>(threadIdx.x) % L::threads, line = static_cast<int>(threadIdx.x) / L::threads;
  const int number = static_cast<int>(blockIdx.x) * L::lines + line;
  const bool here = number < a.ny;
  const int j = here ? number : 0;
  const int level = static_cast<int>(blockIdx.y), top = static_cast<int>(a.planes) - 1;
  const Complex<Real>* const u = row_of<Real>(flow.u, level, j);
  const Complex<Real>* const v = row_of<Real>(flow.v, level, j);
  const Complex<Real>* const v_n = row_of<Real>(flow.v, level, j + 1 < a.ny ? j + 1 : 0);
  const Complex<Real>* const w = row_of<Real>(flow.w, level, j);
  const Complex<Real>* const w_t = row_of<Real>(flow.w, level + 1, j);
  const Real rho = flow.density[level], per_height = flow.per_height[level];
  const Real lower = flow.face_density[level], upper = flow.face_density[level + 1];
  const auto divergence = [&](Real to_x, Real to_y, Real above, Real below) {
    const Real along = product(upper, above) - product(lower, below);
    const Real across = product(flow.per_x, to_x) + product(flow.per_y, to_y);
    return product(flow.per_step, product(per_height, along) + product(rho, across));
  };
  const bool inner_below = level > 0 || flow.neighbour_below,
             inner_above = level < top || flow.neighbour_above;
  Complex<Real> z[L::count];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e) {
    const int pair = t + e * L::threads;
    const Complex<Real> at_u = u[pair], at_v = v[pair], at_n = v_n[pair];
    const Complex<Real> at_w = inner_below ? w[pair] : Complex<Real>{flow.below, flow.below};
    const Complex<Real> at_t = inner_above ? w_t[pair] : Complex<Real>{flow.above, flow.above};
    const Real next = u[pair + 1 < L::points ? pair + 1 : 0].re;
    z[e] = {divergence(at_u.im - at_u.re, at_n.re - at_v.re, at_t.re, at_w.re),
            divergence(next - at_u.im, at_n.im - at_v.im, at_t.im, at_w.im)};
  }
  Complex<Real>* const row = row_of(a, level, j);
  waves_of_reals<L>(z, dynamic_shared<Complex<Real>>() + line * L::of_line, t,
                    reinterpret_cast<const Complex<Real>*>(a.wave_x), [&](int e, Complex<Real> value) {
                      if (here) row[t + e * L::threads] = value;
                    });
}

/// Stores a pair of a velocity, and its copies beyond the sides.
template <class L, class Real>
__device__ inline void put_periodic(const PeriodicFlow<Real>& flow,
                                    const typename PeriodicFlow<Real>::Component& component, int level, int j,
                                    int ny, int e, int pair, Complex<Real> value) {
  constexpr int nx = 2 * L::points;
  const auto in_row = [&](int at) {
    Complex<Real>* const row = row_of<Real>(component, level, at);
    row[pair] = value;
    if (e * L::threads < 2) { // known when compiled
      if (2 * pair < flow.upper) row[L::points + pair].re = value.re;
      if (2 * pair + 1 < flow.upper) row[L::points + pair].im = value.im;
    }
    if ((e + 1) * L::threads > L::points - 2) {
      if (2 * pair >= nx - flow.lower) row[pair - L::points].re = value.re;
      if (2 * pair + 1 >= nx - flow.lower) row[pair - L::points].im = value.im;
    }
  };
  in_row(j);
  if (j < flow.upper) in_row(ny + j);
  if (j >= ny - flow.lower) in_row(j - ny);
}

/// The way back on `levels` levels from levels * blockIdx.y on, and the level below for its pressure. The
/// first line of a block has the row before those that the block corrects.
template <class L, int blocks, class Real>
__global__ void __launch_bounds__(L::block, blocks)
    correct_rows(PlaneArguments<Real> a, PeriodicFlow<Real> flow, int levels) {
  const int t = static_cast<int>(threadIdx.x) % L::threads, line = static_cast<int>(threadIdx.x) / L::threads;
  const int number = static_cast<int>(blockIdx.x) * (L::lines - 1) + line - 1, ny = static_cast<int>(a.ny);
  const bool here = line > 0 && number < ny;
  const int j = number < 0 ? ny - 1 : number < ny ? number : 0;
  const int first = static_cast<int>(blockIdx.y) * levels, all = static_cast<int>(a.planes);
  const int last = first + levels < all ? first + levels : all;
  const Real half = a.scale / 2, step = flow.step, per_x = flow.per_x, per_y = flow.per_y;
  Complex<Real>* const shared = dynamic_shared<Complex<Real>>() + line * L::of_line;
  // What the thread has of the level below: registers are for the transform.
  Complex<Real>* const below = dynamic_shared<Complex<Real>>() + L::lines * L::of_line + threadIdx.x;
  for (int level = first > 0 || flow.neighbour_below ? first - 1 : 0; level < last; ++level) {
    const Complex<Real>* const row = row_of(a, level, j);
    Complex<Real> p[L::count];
    HEDDLE_UNROLL
    for (int e = 0; e < L::count; ++e)
      p[e] = row[t + e * L::threads];
    const Complex<Real> nyquist = t == 0 ? row[L::points] : Complex<Real>{};
    reals_of_waves<L>(p, nyquist, shared, t, reinterpret_cast<const Complex<Real>*>(a.wave_x));
    HEDDLE_UNROLL
    for (int e = 0; e < L::count; ++e)
      p[e] = {product(half, p[e].re), product(half, p[e].im)};
    if (level >= first) {
      HEDDLE_UNROLL
      for (int e = 0; e < L::count; ++e)
        shared[t + e * L::threads] = p[e];
      __syncthreads();
      if (here) {
        const Complex<Real>* const u = row_of<Real>(flow.u, level, j);
        const Complex<Real>* const v = row_of<Real>(flow.v, level, j);
        const Complex<Real>* const w = row_of<Real>(flow.w, level, j);
        const bool inner = level > 0 || flow.neighbour_below;
        const Real per_z = inner ? flow.per_distance[level] : 0;
        HEDDLE_UNROLL
        for (int e = 0; e < L::count; ++e) {
          const int pair = t + e * L::threads;
          const Real west = shared[pair > 0 ? pair - 1 : L::points - 1].im;
          const Complex<Real> south = shared[pair - L::of_line];
          Complex<Real> at_u = u[pair], at_v = v[pair];
          Complex<Real> at_w = inner ? w[pair] : Complex<Real>{flow.below, flow.below};
          const Complex<Real> under = inner ? below[e * L::block] : p[e];
          const auto corrected = [&](Real face, Real per, Real to) {
            return face - product(step, product(per, to));
          };
          at_u = {corrected(at_u.re, per_x, p[e].re - west), corrected(at_u.im, per_x, p[e].im - p[e].re)};
          at_v = {corrected(at_v.re, per_y, p[e].re - south.re),
                  corrected(at_v.im, per_y, p[e].im - south.im)};
          at_w = {corrected(at_w.re, per_z, p[e].re - under.re),
                  corrected(at_w.im, per_z, p[e].im - under.im)};
          put_periodic<L>(flow, flow.u, level, j, ny, e, pair, at_u);
          put_periodic<L>(flow, flow.v, level, j, ny, e, pair, at_v);
          put_periodic<L>(flow, flow.w, level, j, ny, e, pair, at_w);
          if (level == all - 1 && !flow.neighbour_above)
            put_periodic<L>(flow, flow.w, all, j, ny, e, pair, {flow.above, flow.above});
        }
      }
    }
    __syncthreads(); // the next level's transform writes where the neighbours have read
    HEDDLE_UNROLL
    for (int e = 0; e < L::count; ++e)
      below[e * L::block] = p[e];
  }
}

} // namespace heddle::device

#endif
