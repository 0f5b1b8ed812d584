// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/slab_poisson.hpp"

#include <optional>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/poisson/boundary_lift.hpp"
#include "heddle/poisson/poisson.hpp"
#include "slab_columns.hpp"

namespace heddle {
namespace {

constexpr std::int64_t fewest_levels_to_partition = 4; // of a rank

SlabMethod chosen(SlabMethod wanted, std::int64_t levels, int ranks) {
  if (wanted != SlabMethod::automatic) return wanted;
  return levels / ranks < fewest_levels_to_partition ? SlabMethod::transposed : SlabMethod::partitioned;
}

/// This rank's levels. Throws Error where a rank would have none.
Share levels_of(const PoissonProblem& problem, const Transport& transport) {
  const std::int64_t levels = problem.z.unknowns();
  if (levels < transport.ranks()) {
    throw Error("SlabPoisson",
                std::to_string(levels) + " levels are too few for " + std::to_string(transport.ranks()) +
                    " ranks",
                "use fewer ranks");
  }
  return {levels, transport.rank(), transport.ranks()};
}

} // namespace

template <class Real> struct SlabPoisson<Real>::Parts {
  Parts(const PoissonProblem& problem, Transport& transport, Memory where,
        std::unique_ptr<PlaneTransform<Real>> planes, SlabMethod wanted)
      : levels(levels_of(problem, transport)), memory(where),
        method(chosen(wanted, problem.z.unknowns(), transport.ranks())) {
    if (!planes) planes = solver_transform<Real>(problem, memory, TransformBackEnd::automatic);
    pitch = planes->row_pitch();
    height = planes->rows();
    if (transport.ranks() == 1) {
      alone.emplace(problem, std::move(planes), memory);
      return;
    }
    const ColumnTables tables = column_tables(problem, *planes);
    const SlabShape shape{&transport, memory, pitch * height};
    columns = method == SlabMethod::partitioned ? partitioned_columns<Real>(tables, shape)
                                                : transposed_columns<Real>(tables, shape);
    transform = std::move(planes);
    lift.emplace(problem, levels.first, levels.last, memory);
  }

  Share levels;
  Memory memory;
  SlabMethod method;
  std::int64_t pitch = 0, height = 0;
  std::optional<PoissonSolver<Real>> alone; // for one rank; else what follows
  std::unique_ptr<PlaneTransform<Real>> transform;
  std::unique_ptr<SlabColumns<Real>> columns;
  std::optional<BoundaryLift<Real>> lift;
};

template <class Real>
SlabPoisson<Real>::SlabPoisson(const PoissonProblem& problem, Transport& transport, Memory memory,
                               std::unique_ptr<PlaneTransform<Real>> transform, SlabMethod method)
    : parts_(std::make_unique<Parts>(problem, transport, memory, std::move(transform), method)) {}

template <class Real> SlabPoisson<Real>::~SlabPoisson() = default;
template <class Real> SlabPoisson<Real>::SlabPoisson(SlabPoisson&&) noexcept = default;
template <class Real> SlabPoisson<Real>& SlabPoisson<Real>::operator=(SlabPoisson&&) noexcept = default;

template <class Real> std::int64_t SlabPoisson<Real>::first_level() const {
  return parts_->levels.first;
}
template <class Real> std::int64_t SlabPoisson<Real>::last_level() const {
  return parts_->levels.last;
}
template <class Real> std::int64_t SlabPoisson<Real>::row_pitch() const {
  return parts_->pitch;
}
template <class Real> std::int64_t SlabPoisson<Real>::rows() const {
  return parts_->height;
}
template <class Real> std::int64_t SlabPoisson<Real>::plane_pitch() const {
  return parts_->pitch * parts_->height;
}
template <class Real> std::int64_t SlabPoisson<Real>::size() const {
  return plane_pitch() * parts_->levels.size();
}
template <class Real> SlabMethod SlabPoisson<Real>::method() const {
  return parts_->method;
}

template <class Real> void SlabPoisson<Real>::solve(Real* field, Stream& stream) {
  Parts& p = *parts_;
  if (p.alone) {
    p.alone->solve(field, stream);
    return;
  }
  if (p.lift) (*p.lift)(field, row_pitch(), plane_pitch(), stream);
  p.transform->forward(field, p.levels.size(), plane_pitch(), stream);
  p.columns->solve(field, stream);
  p.transform->inverse(field, p.levels.size(), plane_pitch(), stream);
}

template <class Real> void SlabPoisson<Real>::solve(Real* field) {
  Stream stream(parts_->memory);
  solve(field, stream);
  stream.synchronise();
}

template <class Real> bool SlabPoisson<Real>::takes_flow() const {
  const Parts& p = *parts_;
  if (p.alone) return p.alone->takes_flow();
  return p.method == SlabMethod::transposed && p.transform->takes_flow();
}

template <class Real>
void SlabPoisson<Real>::project(const PeriodicFlow<Real>& flow, Real* field, Stream& stream) {
  Parts& p = *parts_;
  if (p.alone) {
    p.alone->project(flow, field, stream);
    return;
  }
  p.transform->forward_of_flow(flow, field, p.levels.size(), plane_pitch(), stream);
  p.columns->solve(field, stream, true);
  p.transform->inverse_into_flow(flow, field, p.levels.size(), plane_pitch(), stream);
}

template <class Real> std::int64_t SlabPoisson<Real>::sent_bytes() const {
  return parts_->columns ? parts_->columns->sent_bytes() : 0;
}

template <class Real> std::string SlabPoisson<Real>::description() const {
  const Parts& p = *parts_;
  if (p.alone) return p.alone->description();
  return p.transform->description() + "; levels " + std::to_string(p.levels.first) + " to " +
         std::to_string(p.levels.last - 1) + " of columns that are " +
         (p.method == SlabMethod::partitioned ? "partitioned" : "transposed");
}

template class SlabPoisson<double>;
template class SlabPoisson<float>;

} // namespace heddle
