// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/poisson.hpp"

#include <utility>
#include <vector>

#include "columns.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/graph_cache.hpp"
#include "heddle/core/with_cuda.hpp"
#include "heddle/poisson/boundary_lift.hpp"
#include "register_transform.hpp"

namespace heddle {

namespace {

/// Eigenvalues by place, up to the last one with a mode. A place without a mode (the imaginary part of a wave
/// that has none) takes that of the place before, so that the two parts of a wave have one.
std::vector<double> eigenvalues(const PoissonDirection& direction, const std::vector<std::int64_t>& modes) {
  std::vector<double> values;
  std::size_t used = 0;
  for (const std::int64_t mode : modes) {
    if (mode >= direction.unknowns) {
      throw Error("PoissonSolver",
                  "the transform has a mode " + std::to_string(mode) + " in a direction of " +
                      std::to_string(direction.unknowns) + " unknowns",
                  "construct it from transform_of(direction) and direction.unknowns");
    }
    values.push_back(mode >= 0 ? eigenvalue(direction, mode) : values.empty() ? 1 : values.back());
    if (mode >= 0) used = values.size();
  }
  values.resize(used);
  return values;
}

/// Reals of a row on the host: whole vectors, and not a multiple of 512 bytes, at which columns would meet in
/// few sets of a cache. 0 (the transform decides) on a device.
std::int64_t pitch_for(const PoissonProblem& problem, Memory memory) {
  if (memory == Memory::device) return 0;
  const std::int64_t pitch = (problem.x.unknowns + 2 + 7) / 8 * 8;
  return pitch % 64 == 0 ? pitch + 8 : pitch;
}

/// The transform for `automatic`: our own on a device, too, where it has kernels.
TransformBackEnd chosen(const PoissonProblem& problem, Memory memory, TransformBackEnd back_end) {
  if constexpr (with_cuda) {
    const bool own = transform_of(problem.x) == TransformKind::dft &&
                     transform_of(problem.y) == TransformKind::dft &&
                     has_register_transform(problem.x.unknowns, problem.y.unknowns);
    if (back_end == TransformBackEnd::automatic && memory == Memory::device && own)
      return TransformBackEnd::generated;
  }
  return back_end;
}

} // namespace

template <class Real>
std::unique_ptr<PlaneTransform<Real>> solver_transform(const PoissonProblem& problem, Memory memory,
                                                       TransformBackEnd back_end) {
  return make_plane_transform<Real>({transform_of(problem.x), problem.x.unknowns, transform_of(problem.y),
                                     problem.y.unknowns, pitch_for(problem, memory), true},
                                    memory, chosen(problem, memory, back_end));
}

template std::unique_ptr<PlaneTransform<float>> solver_transform(const PoissonProblem&, Memory,
                                                                 TransformBackEnd);
template std::unique_ptr<PlaneTransform<double>> solver_transform(const PoissonProblem&, Memory,
                                                                  TransformBackEnd);

template <class Real>
ColumnTables column_tables(const PoissonProblem& problem, const PlaneTransform<Real>& transform) {
  ColumnTables tables{eigenvalues(problem.x, transform.positions_x()),
                      eigenvalues(problem.y, transform.positions_y()), transform.row_pitch(),
                      column_coefficients(problem.z, problem.shift)};
  // What the transforms leave as a factor goes into the matrix.
  ColumnCoefficients& rows = tables.rows;
  for (auto* profile : {&rows.lower, &rows.upper, &rows.density, &rows.excess})
    for (double& value : *profile)
      value *= transform.gain();
  return tables;
}

template ColumnTables column_tables(const PoissonProblem&, const PlaneTransform<float>&);
template ColumnTables column_tables(const PoissonProblem&, const PlaneTransform<double>&);

template <class Real> struct PoissonSolver<Real>::Parts {
  std::unique_ptr<PlaneTransform<Real>> transform;
  std::unique_ptr<Columns<Real>> columns;
  BoundaryLift<Real> lift;
  std::int64_t planes;
  Memory memory;
  GraphCache<const Real*> captured; // the launches of solve, for one field
};

template <class Real>
PoissonSolver<Real>::PoissonSolver(const PoissonProblem& problem,
                                   std::unique_ptr<PlaneTransform<Real>> transform, Memory memory) {
  if (!transform)
    throw Error("PoissonSolver", "the transform is null", "create one with make_plane_transform");
  const ColumnTables tables = column_tables(problem, *transform);
  auto columns = columns_in<Real>(memory, tables);
  parts_ = std::make_unique<Parts>(Parts{std::move(transform),
                                         std::move(columns),
                                         BoundaryLift<Real>(problem, 0, problem.z.unknowns(), memory),
                                         problem.z.unknowns(),
                                         memory,
                                         {}});
}

template <class Real>
PoissonSolver<Real>::PoissonSolver(const PoissonProblem& problem, Memory memory, TransformBackEnd back_end)
    : PoissonSolver(problem, solver_transform<Real>(problem, memory, back_end), memory) {}

template <class Real> PoissonSolver<Real>::~PoissonSolver() = default;
template <class Real> PoissonSolver<Real>::PoissonSolver(PoissonSolver&&) noexcept = default;
template <class Real> PoissonSolver<Real>& PoissonSolver<Real>::operator=(PoissonSolver&&) noexcept = default;

template <class Real> std::int64_t PoissonSolver<Real>::row_pitch() const {
  return parts_->transform->row_pitch();
}
template <class Real> std::int64_t PoissonSolver<Real>::rows() const {
  return parts_->transform->rows();
}
template <class Real> std::int64_t PoissonSolver<Real>::plane_pitch() const {
  return row_pitch() * rows();
}
template <class Real> std::int64_t PoissonSolver<Real>::size() const {
  return plane_pitch() * parts_->planes;
}

template <class Real> void PoissonSolver<Real>::forward(Real* field, Stream& stream) {
  parts_->transform->forward(field, parts_->planes, plane_pitch(), stream);
}
template <class Real> void PoissonSolver<Real>::columns(Real* field, Stream& stream) {
  parts_->columns->solve(field, plane_pitch(), stream);
}
template <class Real> void PoissonSolver<Real>::inverse(Real* field, Stream& stream) {
  parts_->transform->inverse(field, parts_->planes, plane_pitch(), stream);
}

template <class Real> void PoissonSolver<Real>::solve(Real* field, Stream& stream) {
  parts_->captured.run(field, stream, [&] {
    parts_->lift(field, row_pitch(), plane_pitch(), stream);
    forward(field, stream);
    columns(field, stream);
    inverse(field, stream);
  });
}

template <class Real>
void PoissonSolver<Real>::solve(const PlaneWork& source, const PlaneWork& use, Real* field, Stream& stream) {
  const PlaneWork lifted = [&](std::int64_t first, std::int64_t last) {
    source(first, last);
    parts_->lift(field, first, last, row_pitch(), plane_pitch(), stream);
  };
  parts_->transform->forward_of(lifted, field, parts_->planes, plane_pitch(), stream);
  columns(field, stream);
  parts_->transform->inverse_for(use, field, parts_->planes, plane_pitch(), stream);
}

template <class Real> bool PoissonSolver<Real>::takes_flow() const {
  return parts_->transform->takes_flow();
}

template <class Real>
void PoissonSolver<Real>::project(const PeriodicFlow<Real>& flow, Real* field, Stream& stream) {
  parts_->transform->forward_of_flow(flow, field, parts_->planes, plane_pitch(), stream);
  columns(field, stream);
  parts_->transform->inverse_into_flow(flow, field, parts_->planes, plane_pitch(), stream);
}

template <class Real> void PoissonSolver<Real>::solve(Real* field) {
  Stream stream(parts_->memory);
  solve(field, stream);
  stream.synchronise();
}

template <class Real> std::int64_t PoissonSolver<Real>::workspace_bytes() const {
  return parts_->columns->workspace_bytes() + parts_->transform->workspace_bytes();
}

template <class Real> std::string PoissonSolver<Real>::description() const {
  return parts_->transform->description() + "; " + parts_->columns->description();
}

template class PoissonSolver<float>;
template class PoissonSolver<double>;

} // namespace heddle
