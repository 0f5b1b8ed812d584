// SPDX-License-Identifier: Apache-2.0
// Steps on moments by heddle/device/moment_tile.hpp, each with the tile that was fastest on an H200 without
// spills.
#ifndef HEDDLE_BENCHMARKS_MOMENT_STEPS_HPP
#define HEDDLE_BENCHMARKS_MOMENT_STEPS_HPP

#include <cstdint>

#include "heddle/grid/field_view.hpp"

namespace moments {

/// Density and momentum (4 components), stress (4) and shear (2), the components of a cell side by side.
template <typename Flow, typename Stress> struct Views {
  heddle::FieldView<Flow> flow;
  heddle::FieldView<Stress> stress;
  heddle::FieldView<Stress> shear;
};
using Floats = Views<float, float>;
using Mixed = Views<float, std::uint16_t>;
using Halves = Views<std::uint16_t, std::uint16_t>;

/// Puts a step into `stream` (a cudaStream_t); returns a status of heddle/device/preconditions.hpp.
int step_d3q19(const Floats& from, const Floats& to, float omega, void* stream);
int step_d3q27(const Floats& from, const Floats& to, float omega, void* stream);
int step_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream);
int step_d3q19(const Halves& from, const Halves& to, float omega, void* stream);

/// The same in a box with six walls, of which the top moves.
int box_d3q19(const Floats& from, const Floats& to, float omega, void* stream);
int box_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream);
int box_d3q19(const Halves& from, const Halves& to, float omega, void* stream);
int box_d3q27(const Floats& from, const Floats& to, float omega, void* stream);
int box_d3q27(const Mixed& from, const Mixed& to, float omega, void* stream);
int box_d3q27(const Halves& from, const Halves& to, float omega, void* stream);

/// And with a force and the rate 1 of the trace of the stress.
int driven_d3q19(const Floats& from, const Floats& to, float omega, void* stream);
int driven_d3q19(const Mixed& from, const Mixed& to, float omega, void* stream);
int driven_d3q19(const Halves& from, const Halves& to, float omega, void* stream);

} // namespace moments

#endif
