// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_COLUMNS_HPP
#define HEDDLE_SRC_POISSON_COLUMNS_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// The column systems of all modes of a transformed field.
template <class Real> class Columns {
public:
  virtual ~Columns() = default;
  /// Replaces transformed right-hand sides by transformed solutions. plane_pitch: reals from level to level.
  virtual void solve(Real* field, std::int64_t plane_pitch, Stream& stream) = 0;
  /// The first and the last level of what solve() would leave: two planes like the field's, which stays as it
  /// is. Of columns that are not periodic.
  virtual void ends(const Real* field, std::int64_t plane_pitch, Real* first, Real* last, Stream& stream) = 0;
  [[nodiscard]] virtual std::int64_t workspace_bytes() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
};

/// One-dimensional tables from which both kinds of columns are made.
struct ColumnTables {
  std::vector<double> lambda_x,
      lambda_y; // one entry a place of a row that has a mode or lies before one; one a row
  std::int64_t row_pitch = 0;
  ColumnCoefficients rows; // one entry a level
};

/// Throws Error where a place of the transform belongs to a mode that the direction does not have.
template <class Real>
[[nodiscard]] ColumnTables column_tables(const PoissonProblem& problem,
                                         const PlaneTransform<Real>& transform);

/// With generated kernels, on the host: rows of columns over the threads.
template <class Real> [[nodiscard]] std::unique_ptr<Columns<Real>> host_columns(const ColumnTables& tables);

/// The transform of a problem that nobody chose another one for, with the pitch of rows that suits columns.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>>
solver_transform(const PoissonProblem& problem, Memory memory, TransformBackEnd back_end);

/// In registers, on the device. With CUDA.
template <class Real> [[nodiscard]] std::unique_ptr<Columns<Real>> device_columns(const ColumnTables& tables);

/// Where `memory` is. Throws Error for a device without CUDA.
template <class Real>
[[nodiscard]] std::unique_ptr<Columns<Real>> columns_in(Memory memory, const ColumnTables& tables) {
  if (memory != Memory::device) return host_columns<Real>(tables);
  if constexpr (with_cuda)
    return device_columns<Real>(tables);
  else
    throw Error("PoissonSolver", "this heddle::poisson was built without CUDA",
                "configure with -DHEDDLE_CUDA=ON");
}

} // namespace heddle

#endif
