// SPDX-License-Identifier: Apache-2.0
// Steps on moments by heddle/device/moment_tile.hpp, each with the tile that was fastest on an H200 without spills.
#ifndef HEDDLE_BENCHMARKS_MOMENT_STEPS_HPP
#define HEDDLE_BENCHMARKS_MOMENT_STEPS_HPP

#include <cstdint>

#include "heddle/field_view.hpp"

namespace moments {

/// Density and momentum (4 components), stress (4) and shear (2), the components of a cell side by side.
template <typename Flow, typename Stress>
struct Views {
  heddle::FieldView<Flow> flow;
  heddle::FieldView<Stress> stress;
  heddle::FieldView<Stress> shear;
};

/// Puts a step into `stream` (a cudaStream_t); returns a status of heddle/device/preconditions.hpp.
int step_d3q19(const Views<float, float>& from, const Views<float, float>& to, float omega, void* stream);
int step_d3q27(const Views<float, float>& from, const Views<float, float>& to, float omega, void* stream);
int step_d3q19(const Views<float, std::uint16_t>& from, const Views<float, std::uint16_t>& to, float omega, void* stream);
int step_d3q19(const Views<std::uint16_t, std::uint16_t>& from, const Views<std::uint16_t, std::uint16_t>& to, float omega,
               void* stream);

}  // namespace moments

#endif
