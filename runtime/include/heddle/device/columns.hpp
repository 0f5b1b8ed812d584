// SPDX-License-Identifier: MIT-0
// Tridiagonal columns in registers: each column is split into segments, one thread per segment, and
// only the ends of the segments are coupled, in shared memory. A field is read once and written
// once. The elimination has no subtraction (see heddle/poisson/poisson_problem.hpp).
#ifndef HEDDLE_DEVICE_COLUMNS_HPP
#define HEDDLE_DEVICE_COLUMNS_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/opaque.hpp"
#include "heddle/device/shared.hpp"

namespace heddle {

/// One level of all columns: -lower p[k-1] + (lower + upper + v) p[k] - upper p[k+1] = -right,
/// v = density * lambda + excess, all of them >= 0.
template <typename Real>
struct alignas(4 * sizeof(Real)) ColumnRow {
  Real lower, upper, density, excess;
};

/// Neighbouring reals with one lambda: the two parts of a complex amplitude, or a single real.
template <typename Real, int count>
struct alignas(count * sizeof(Real)) Amplitude {
  Real part[count];
};

/// Memory layout of columns: `rows` rows of `modes` amplitudes.
struct ColumnShape {
  std::int64_t modes;        // amplitudes of a row
  std::int64_t rows;         // rows of a plane
  std::int64_t row_pitch;    // amplitudes from row to row
  std::int64_t plane_pitch;  // amplitudes from level to level
  int levels;
};

/// Data that the segments of a block's columns exchange: first of the matrix, then of the
/// right-hand sides.
template <typename Real, int parts, int segments, int columns>
struct ColumnEnds {
  Real first_ratio[segments][columns];  // first unknown = ... + first_ratio * own end + ...
  Real first_excess[segments][columns];
  Real reach[segments]
            [columns];  // end = reach * end below + ratio * end above + value: the reduced system
  Real ratio[segments][columns];
  Real excess[segments][columns];
  Real inverse[segments][columns];  // of its pivots
  Amplitude<Real, parts> first[segments][columns];
  Amplitude<Real, parts> value[segments][columns];
};

namespace detail {

/// 1 / x for normal x, to the last bit but one: the hardware's estimate and Newton steps, without
/// the branch for subnormal numbers that a division has.
__device__ inline float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return fmaf(fmaf(-x, r, 1.0F), r, r);
#else
  return 1 / x;
#endif
}
__device__ inline double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  r = fma(fma(-x, r, 1.0), r, r);
  r = fma(fma(-x, r, 1.0), r, r);
  return fma(fma(-x, r, 1.0), r, r);
#else
  return 1 / x;
#endif
}

/// 1 / pivot; 0 for the last pivot of a singular system.
template <typename Real>
__device__ inline Real inverse_pivot(Real pivot) {
  return pivot > Real(0) ? reciprocal(pivot) : Real(0);
}

/// Eliminates the matrix of the reduced system of one column: `reach` and `ratio` become those of
/// the eliminated rows. Periodic: the last end stays an unknown of all rows; `first_ratio` becomes
/// what the first row has of row g, and so on.
template <bool periodic, typename Real, int parts, int segments, int columns>
__device__ inline void eliminate_ends(ColumnEnds<Real, parts, segments, columns>& ends,
                                      int column) {
  Real reach_below = 1, excess_below = 0, first_ratio = 1, first_excess = 0;
  HEDDLE_UNROLL
  for (int g = 0; g < segments; ++g) {
    const bool last = g == segments - 1;
    const Real lower = ends.reach[g][column], upper = ends.ratio[g][column];
    const Real excess = ends.excess[g][column] + lower * excess_below;
    Real kept = upper;
    if constexpr (periodic) {
      kept = last ? upper * first_excess : upper + lower * reach_below;
    }
    const Real inverse = inverse_pivot(excess + kept);
    excess_below = excess * inverse;
    const Real ratio = last ? Real(0) : upper * inverse;
    ends.inverse[g][column] = inverse;
    ends.excess[g][column] = ratio;  // what row g has of the row above
    if constexpr (periodic) {
      ends.first_ratio[g][column] = first_ratio;
      ends.first_excess[g][column] = reach_below = last ? Real(0) : lower * reach_below * inverse;
      first_excess += first_ratio * excess_below;
      first_ratio *= ratio;
    }
  }
}

/// The right-hand sides of the reduced system of one column; they become the ends.
template <bool periodic, typename Real, int parts, int segments, int columns>
__device__ inline void solve_ends(ColumnEnds<Real, parts, segments, columns>& ends, int column) {
  Amplitude<Real, parts> value[segments], first{};
  HEDDLE_UNROLL
  for (int g = 0; g < segments; ++g) {
    value[g] = ends.value[g][column];
    const Real lower = ends.reach[g][column], inverse = ends.inverse[g][column];
    HEDDLE_UNROLL
    for (int q = 0; q < parts; ++q) {
      if (g > 0) {
        value[g].part[q] += lower * value[g - 1].part[q];
      }
      if constexpr (periodic) {
        if (g == segments - 1) {
          value[g].part[q] += ends.ratio[g][column] * first.part[q];
        }
      }
      value[g].part[q] *= inverse;
      if constexpr (periodic) {
        first.part[q] += ends.first_ratio[g][column] * value[g].part[q];
      }
    }
  }
  ends.value[segments - 1][column] = value[segments - 1];
  HEDDLE_UNROLL
  for (int g = segments - 2; g >= 0; --g) {
    HEDDLE_UNROLL
    for (int q = 0; q < parts; ++q) {
      value[g].part[q] += ends.excess[g][column] * value[g + 1].part[q];
      if constexpr (periodic) {
        value[g].part[q] += ends.first_excess[g][column] * value[segments - 1].part[q];
      }
    }
    ends.value[g][column] = value[g];
  }
}

}  // namespace detail

/// Solves the columns of a block in place. blockDim = (columns, segments); a thread has up to
/// `length` levels of one column; with `whole`, all threads have `length`. levels <= length *
/// segments, with at least one level per segment. lambda_x: one entry per amplitude of a row;
/// lambda_y: one per row; level: one per level. With `ends_only` the field does not change, and
/// only the lowest and the highest unknowns are stored, in two planes with the layout of the field.
template <bool periodic, bool whole, bool ends_only, int length, int segments, int columns,
          typename Real, int parts>
__device__ inline void solve_columns(Amplitude<Real, parts>* field, const ColumnShape& shape,
                                     const Real* lambda_x, const Real* lambda_y,
                                     const ColumnRow<Real>* level,
                                     Amplitude<Real, parts>* lowest = nullptr,
                                     Amplitude<Real, parts>* highest = nullptr) {
  __shared__ ColumnEnds<Real, parts, segments, columns> ends;
  const int column = static_cast<int>(threadIdx.x), g = static_cast<int>(threadIdx.y);
  const auto modes = static_cast<unsigned>(shape.modes);
  const auto mode = static_cast<unsigned>(blockIdx.x * columns) + threadIdx.x;
  const bool here = mode < modes * static_cast<unsigned>(shape.rows);
  const unsigned j = here ? mode / modes : 0U, i = here ? mode - j * modes : 0U;
  const int begin = whole ? g * length : g * shape.levels / segments;
  const int count = whole ? length : (g + 1) * shape.levels / segments - begin;
  Amplitude<Real, parts>* const p = field + j * shape.row_pitch + i + begin * shape.plane_pitch;

  // Load all levels first: the loads are in flight while the matrix, which does not need them, is
  // eliminated.
  Amplitude<Real, parts> value[length];
  HEDDLE_UNROLL
  for (int l = 0; l < length; ++l) {
    if (whole || l < count) {
      value[l] = p[l * shape.plane_pitch];
    }
  }
  const Real lambda = lambda_x[i] + lambda_y[j];

  // Upwards: p[l] = reach p[-1] + ratio p[l+1] + ...; alongside, p[0] = ... + first_ratio p[l+1] +
  // ....
  Real inverse[length];
  Real reach = 1, excess = 0, first_ratio = 1, first_excess = 0, end_ratio = 0;
  HEDDLE_UNROLL
  for (int l = 0; l < length; ++l) {
    if (whole || l < count) {
      const ColumnRow<Real> row = level[begin + l];
      const Real row_excess = row.excess + row.density * lambda + row.lower * excess;
      inverse[l] = detail::inverse_pivot(row_excess + row.upper + row.lower * reach);
      reach = row.lower * reach * inverse[l];
      excess = row_excess * inverse[l];
      end_ratio = row.upper * inverse[l];
      if (l + 1 < count) {
        first_excess += first_ratio * excess;
        first_ratio *= end_ratio;
      }
    }
  }
  ends.first_ratio[g][column] = first_ratio;
  ends.first_excess[g][column] = first_excess;
  __syncthreads();
  // The end's upper neighbour is the first unknown of the segment above.
  const int above = g + 1 < segments ? g + 1 : 0;  // periodic: around; else end_ratio is 0 there
  ends.reach[g][column] = reach;
  ends.ratio[g][column] = end_ratio * ends.first_ratio[above][column];
  ends.excess[g][column] = excess + end_ratio * ends.first_excess[above][column];
  __syncthreads();
  if (g == 0) {
    detail::eliminate_ends<periodic>(ends, column);
  }

  // The same for the right-hand sides.
  Amplitude<Real, parts> first{}, below{};
  first_ratio = 1;
  HEDDLE_UNROLL
  for (int l = 0; l < length; ++l) {
    if (whole || l < count) {
      const Real lower = level[begin + l].lower, ratio = level[begin + l].upper * inverse[l];
      HEDDLE_UNROLL
      for (int q = 0; q < parts; ++q) {
        value[l].part[q] = below.part[q] = (lower * below.part[q] - value[l].part[q]) * inverse[l];
        if (l + 1 < count) {
          first.part[q] += first_ratio * below.part[q];
        }
      }
      first_ratio *= ratio;
    }
  }
  ends.first[g][column] = first;
  __syncthreads();
  Amplitude<Real, parts> end = below;
  HEDDLE_UNROLL
  for (int q = 0; q < parts; ++q) {
    end.part[q] += end_ratio * ends.first[above][column].part[q];
  }
  ends.value[g][column] = end;
  __syncthreads();
  if (g == 0) {
    detail::solve_ends<periodic>(ends, column);
  }
  __syncthreads();

  // Both neighbours of the inner levels are known now.
  Amplitude<Real, parts> reached{};
  if (g > 0 || periodic) {
    reached = ends.value[g > 0 ? g - 1 : segments - 1][column];
  }
  end = ends.value[g][column];
  Amplitude<Real, parts>* const again =
      opaque(p);  // the addresses of the loads would keep registers until here
  HEDDLE_UNROLL
  for (int l = 0; l < length; ++l) {
    if (l + 1 < count) {
      const Real factor = level[begin + l].lower * inverse[l];
      HEDDLE_UNROLL
      for (int q = 0; q < parts; ++q) {
        reached.part[q] *= factor;
        value[l].part[q] += reached.part[q];
      }
    }
  }
  HEDDLE_UNROLL
  for (int l = length - 1; l >= 0; --l) {
    if (whole || l < count) {
      if (l + 1 < count) {
        const Real ratio = level[begin + l].upper * inverse[l];
        HEDDLE_UNROLL
        for (int q = 0; q < parts; ++q) {
          end.part[q] = value[l].part[q] + ratio * end.part[q];
        }
      }
      if (here && !ends_only) {
        again[l * shape.plane_pitch] = end;
      }
      if (here && ends_only && begin + l == 0) {
        lowest[j * shape.row_pitch + i] = end;
      }
      if (here && ends_only && begin + l == shape.levels - 1) {
        highest[j * shape.row_pitch + i] = end;
      }
    }
  }
}

}  // namespace heddle

#endif
