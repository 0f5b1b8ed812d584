// SPDX-License-Identifier: Apache-2.0
#include "device_launch.hpp"
#include "heddle/device/columns.hpp"
#include "heddle/device/launch.hpp"

namespace heddle::device {

namespace {

/// Columns of a block: a warp reads them together; half as many where a block's registers or shared memory
/// end.
template <int segments, class Real, int parts>
inline constexpr int side_by_side = segments == 32 || (segments >= 8 && parts * sizeof(Real) == 16) ? 16 : 32;

/// Blocks of an SM that registers must allow: what was quickest on an H200. (Pairs of doubles: 3 need no
/// spills, 4 cost a quarter more time.)
template <int length, int segments, class Real, int parts>
inline constexpr int blocks = length * segments != 128          ? 1
                              : sizeof(Real) == 4 || parts == 2 ? 3
                                                                : 2;

template <bool periodic, bool whole, int length, int segments, class Real, int parts>
__global__ void __launch_bounds__(side_by_side<segments, Real, parts>* segments,
                                  blocks<length, segments, Real, parts>)
    columns(Amplitude<Real, parts>* field, ColumnShape shape, const Real* lambda_x, const Real* lambda_y,
            const ColumnRow<Real>* level) {
  heddle::solve_columns<periodic, whole, false, length, segments, side_by_side<segments, Real, parts>>(
      field, shape, lambda_x, lambda_y, level);
}

template <int length, int segments, class Real, int parts>
__global__ void __launch_bounds__(side_by_side<segments, Real, parts>* segments,
                                  blocks<length, segments, Real, parts>)
    ends_of_columns(Amplitude<Real, parts>* field, ColumnShape shape, const Real* lambda_x,
                    const Real* lambda_y, const ColumnRow<Real>* level, Amplitude<Real, parts>* lowest,
                    Amplitude<Real, parts>* highest) {
  heddle::solve_columns<false, false, true, length, segments, side_by_side<segments, Real, parts>>(
      field, shape, lambda_x, lambda_y, level, lowest, highest);
}

template <bool periodic, int length, int segments, int parts, class Real>
int launch_columns(const ColumnArguments<Real>& a, void* stream) {
  const ColumnShape shape{a.places / parts, a.rows, a.row_pitch / parts, a.plane_pitch / parts, a.levels};
  const Cells threads{shape.modes * shape.rows, segments, 1};
  if (a.lowest != nullptr) {
    return launch(ends_of_columns<length, segments, Real, parts>, threads,
                  dim3(side_by_side<segments, Real, parts>, segments, 1), stream,
                  reinterpret_cast<Amplitude<Real, parts>*>(a.field), shape, a.lambda_x, a.lambda_y,
                  reinterpret_cast<const ColumnRow<Real>*>(a.levels_table),
                  reinterpret_cast<Amplitude<Real, parts>*>(a.lowest),
                  reinterpret_cast<Amplitude<Real, parts>*>(a.highest));
  }
  const auto kernel = a.levels == length * segments ? columns<periodic, true, length, segments, Real, parts>
                                                    : columns<periodic, false, length, segments, Real, parts>;
  return launch(kernel, threads, dim3(side_by_side<segments, Real, parts>, segments, 1), stream,
                reinterpret_cast<Amplitude<Real, parts>*>(a.field), shape, a.lambda_x, a.lambda_y,
                reinterpret_cast<const ColumnRow<Real>*>(a.levels_table));
}

/// Long segments have few ends, short ones few registers.
template <bool periodic, int parts, class Real> int by_levels(const ColumnArguments<Real>& a, void* stream) {
  if (a.levels <= 8) return launch_columns<periodic, 8, 1, parts>(a, stream);
  if (a.levels <= 64) return launch_columns<periodic, 8, 8, parts>(a, stream);
  if (a.levels <= 128) return launch_columns<periodic, 16, 8, parts>(a, stream);
  if (a.levels <= 256) return launch_columns<periodic, 16, 16, parts>(a, stream);
  return launch_columns<periodic, 16, 32, parts>(a, stream);
}

template <bool periodic, class Real> int by_parts(const ColumnArguments<Real>& a, void* stream) {
  return a.paired ? by_levels<periodic, 2>(a, stream) : by_levels<periodic, 1>(a, stream);
}

} // namespace

template <class Real> int solve_columns(const ColumnArguments<Real>& arguments, void* stream) {
  if (arguments.levels > most_levels) return launch_failed;
  return arguments.periodic ? by_parts<true>(arguments, stream) : by_parts<false>(arguments, stream);
}

template int solve_columns(const ColumnArguments<float>&, void*);
template int solve_columns(const ColumnArguments<double>&, void*);

} // namespace heddle::device
