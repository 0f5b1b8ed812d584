// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_CASE_HPP
#define LBM_VALIDATION_CASE_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heddle/core/memory.hpp"

/// The validation table of the lattice Boltzmann family: flows whose solution is known, in every precision.
namespace validation {

/// How a case stores its state: populations in f64, f32 or f16; moments in f32; mixed: moments, the stress in
/// f16 and the rest in f32.
enum class Precision { f64, f32, moments, mixed, f16 };

inline constexpr std::array every_precision{Precision::f64, Precision::f32, Precision::moments,
                                            Precision::mixed, Precision::f16};

[[nodiscard]] constexpr bool in_moments(Precision precision) {
  return precision == Precision::moments || precision == Precision::mixed;
}

[[nodiscard]] const char* name_of(Precision precision);

/// small: what each test run can afford. full: what the report takes on CPUs. large: on a machine with a GPU,
/// where flows in space converge further.
enum class Size { small, full, large };

/// A number that a case computes and what it should be.
struct Quantity {
  std::string name;
  double value = 0;
  double reference = 0;
  double tolerance = 0;      ///< largest |value - reference|, for f64, f32 and moments
  double tolerance_f32 = -1; ///< the same for f32 and moments where rounding shows; negative: as for f64

  [[nodiscard]] double allowed(Precision precision) const {
    if (tolerance == 0) return 0; // the same numbers, in every precision
    if (precision == Precision::f16) return std::numeric_limits<double>::infinity(); // its error is printed
    return precision == Precision::f64 || tolerance_f32 < 0 ? tolerance : tolerance_f32;
  }
};

/// The larger error of two; not a number where one is none.
[[nodiscard]] inline double worse(double one, double other) {
  return std::isnan(one) || one > other ? one : other;
}

/// A line of a picture, or points.
struct Curve {
  std::string name;
  std::vector<double> x, y;
  bool points = false;
};

/// What to draw of a case.
struct Graph {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
};

struct Outcome {
  std::vector<Quantity> quantities;
  std::vector<Graph> graphs;
};

/// A part of a case in one precision. seconds: about what it takes on one core, for the order of work.
/// threads: what it can use. device_seconds: about what it takes on an H200; 0: it has no form for a device.
struct Run {
  Precision precision;
  double seconds;
  int threads;
  std::function<Outcome(heddle::Memory)> compute;
  double device_seconds = 0;
};

/// A flow. setting: lattice, operator, walls. source: of the reference values. without: which precisions have
/// no row, and why; empty where all have one.
struct Case {
  std::string name, setting, source;
  std::vector<Run> runs;
  std::string without = {};

  /// A run in each precision; seconds: of f64.
  Case& add(const std::vector<Precision>& precisions, double seconds, int threads,
            const std::function<Outcome(Precision)>& compute);
  /// The same of a flow that a device can compute, too.
  Case& add_anywhere(const std::vector<Precision>& precisions, double seconds, int threads,
                     double device_seconds, const std::function<Outcome(Precision, heddle::Memory)>& compute);
};

inline const std::vector<Precision> populations{Precision::f64, Precision::f32, Precision::f16};
inline const std::vector<Precision> with_moments(every_precision.begin(), every_precision.end());

/// Calls f(T{}) with the type in which populations are stored or, of moments, the stress.
template <class F> auto with_storage(Precision precision, F&& f) {
  if (precision == Precision::f64) return f(double{});
  if (precision == Precision::f32) return f(float{});
  return f(std::uint16_t{});
}
template <class F> auto with_stress(Precision precision, F&& f) {
  if (precision == Precision::moments) return f(float{});
  return f(std::uint16_t{});
}

std::vector<Case> channel_cases(Size size);
std::vector<Case> wave_cases(Size size);
std::vector<Case> vortex_cases(Size size);
std::vector<Case> cavity_cases(Size size);
std::vector<Case> cylinder_cases(Size size);
std::vector<Case> sphere_cases(Size size);
std::vector<Case> convection_cases(Size size);
std::vector<Case> equivalence_cases();

/// All of them.
std::vector<Case> cases(Size size);

} // namespace validation

#endif
