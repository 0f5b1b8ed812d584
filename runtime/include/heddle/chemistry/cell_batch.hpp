// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CHEMISTRY_CELL_BATCH_HPP
#define HEDDLE_CHEMISTRY_CELL_BATCH_HPP

#include <cstdint>

#include "heddle/core/error.hpp"
#include "heddle/grid/field_view.hpp"

namespace heddle {

/// Values of cells side by side, each component in a row of its own: a view that emitted kernels of one
/// dimension take.
template <class T> class CellValues {
public:
  CellValues() = default;
  /// row: elements from one component to the next, at least `cells`.
  CellValues(T* data, std::int64_t cells, std::int64_t components, std::int64_t row)
      : data_(data), cells_(cells), components_(components), row_(row) {}

  [[nodiscard]] T* data() const { return data_; }
  /// d: 0 for the cells, 1 for the components.
  [[nodiscard]] std::int64_t extent(int d) const { return d == 0 ? cells_ : components_; }
  [[nodiscard]] std::int64_t stride(int d) const { return d == 0 ? 1 : row_; }
  [[nodiscard]] T& operator()(std::int64_t cell, std::int64_t component = 0) const {
    return data_[cell + component * row_];
  }

private:
  T* data_ = nullptr;
  std::int64_t cells_ = 0;
  std::int64_t components_ = 0;
  std::int64_t row_ = 0;
};

/// The absolute tolerance of a call (mol m-3): one number for all species, which it becomes where a kernel
/// takes a double; or one for each, which it becomes where a kernel takes a table.
class AbsoluteTolerance {
public:
  AbsoluteTolerance(double all) : all_(all) {} // NOLINT(google-explicit-constructor): as a double
  /// each: one per species, in the memory of the cells. differ: whether they are others than `all`.
  AbsoluteTolerance(double all, const double* each, bool differ) : all_(all), each_(each), differ_(differ) {}

  /// Throws Error where each species has its own.
  operator double() const { // NOLINT(google-explicit-constructor)
    if (differ_)
      throw Error("chemistry", "each species has its absolute tolerance, but the kernel takes one for all",
                  "generate it with chemistry.Rosenbrock(..., tolerance_per_species=True), or leave "
                  "ChemistryOptions::absolute_tolerances empty");
    return all_;
  }
  /// Throws Error where there is only one number, as in a batch that somebody else filled in.
  operator const double*() const { // NOLINT(google-explicit-constructor)
    if (each_ == nullptr)
      throw Error("chemistry", "the kernel takes an absolute tolerance per species, but the batch has one",
                  "give AbsoluteTolerance the address of one number per species");
    return each_;
  }
  /// Of a species, where the cells are in host memory.
  [[nodiscard]] double of(std::int64_t species) const { return each_ != nullptr ? each_[species] : all_; }

private:
  double all_;
  const double* each_ = nullptr;
  bool differ_ = false;
};

/// The arguments of one call of an integrator for chemistry, as heddle.chemistry.Rosenbrock(...,
/// dimensions=1).integrate() has them.
struct CellBatch {
  CellValues<double> concentration;     ///< mol m-3; read and written
  CellValues<const double> temperature; ///< K
  CellValues<const double> pressure;    ///< Pa
  CellValues<const double> rate_input;  ///< host values of the rates
  CellValues<double> step;              ///< s; 0 where a cell remembers none; read and written
  CellValues<std::int32_t> outcome;     ///< 0 where the cell is done, else why not
  CellValues<std::int64_t> steps;       ///< attempts of this call
  AbsoluteTolerance absolute_tolerance; ///< mol m-3
  double interval;                      ///< s
  double relative_tolerance;
};

/// The arguments of one call of an integrator that takes the cells of a block where they lie, as
/// heddle.chemistry.Rosenbrock(...).integrate() of three dimensions has them.
struct CellBlock {
  FieldView<double> concentration;      ///< mol m-3; read and written
  FieldView<const double> temperature;  ///< K
  FieldView<const double> pressure;     ///< Pa
  FieldView<const double> rate_input;   ///< host values of the rates; empty where there are none
  FieldView<double> step;               ///< s; 0 where a cell remembers none; read and written
  FieldView<std::int32_t> outcome;      ///< 0 where the cell is done, else why not
  FieldView<std::int64_t> steps;        ///< attempts of this call
  AbsoluteTolerance absolute_tolerance; ///< mol m-3
  double interval;                      ///< s
  double relative_tolerance;
};

} // namespace heddle

#endif
