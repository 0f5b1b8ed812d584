// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "heddle/core/dispatch.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/poisson/staged_buffer.hpp"
#include "heddle/transport/message_round.hpp"
#include "poisson_planes.hpp"
#include "segment_rows.hpp"
#include "slab_columns.hpp"

namespace heddle {
namespace {

/// The levels of a segment but the highest, as columns of their own whose neighbours beyond both ends are
/// known: what couples to them is part of the excess.
ColumnTables inner_tables(const ColumnTables& tables, const Share& levels) {
  const auto cut = [&](const std::vector<double>& profile) {
    return std::vector<double>(profile.begin() + levels.first, profile.begin() + levels.last - 1);
  };
  const ColumnCoefficients& all = tables.rows;
  ColumnTables inner{tables.lambda_x, tables.lambda_y, tables.row_pitch, {}};
  ColumnCoefficients& rows = inner.rows;
  rows.lower = cut(all.lower);
  rows.upper = cut(all.upper);
  rows.density = cut(all.density);
  rows.excess = cut(all.excess);
  rows.excess.front() += rows.lower.front();
  rows.excess.back() += rows.upper.back();
  rows.lower.front() = 0;
  rows.upper.back() = 0;
  return inner;
}

/// Partition method (H. H. Wang, ACM Trans. Math. Software 7 (1981) 170). A plane here is compact: `places`
/// reals per row, without padding; what belongs to all columns is shared out to the ranks by place.
template <class Real> class PartitionedColumns final : public SlabColumns<Real> {
public:
  PartitionedColumns(const ColumnTables& tables, const SlabShape& shape)
      : shape_(shape), rank_(shape.transport->rank()), ranks_(shape.transport->ranks()),
        periodic_(tables.rows.periodic), levels_(shape.levels(tables)), row_pitch_(tables.row_pitch),
        places_(static_cast<std::int64_t>(tables.lambda_x.size())),
        rows_(static_cast<std::int64_t>(tables.lambda_y.size())), mine_(places_ * rows_, rank_, ranks_),
        lowest_lower_(tables.rows.lower[at(levels_.first)]),
        highest_lower_(tables.rows.lower[at(levels_.last - 1)]),
        highest_upper_(tables.rows.upper[at(levels_.last - 1)]),
        next_upper_(levels_.size() > 1 ? tables.rows.upper[at(levels_.last - 2)] : 0),
        heads_(*shape.transport, "heads of columns"), reduced_(*shape.transport, "reduced rows"),
        ends_(*shape.transport, "ends of columns"), first_(row_pitch_ * rows_, shape.memory),
        last_(row_pitch_ * rows_, shape.memory), head_(plane_size(), shape.memory),
        right_(plane_size(), shape.memory), below_(plane_size(), shape.memory),
        own_(plane_size(), shape.memory), above_(static_cast<std::size_t>(plane_size()), Real(0)),
        received_(static_cast<std::size_t>(2 * plane_size())),
        unknown_(static_cast<std::size_t>((ranks_ + 1) * mine_.size())), systems_(set_up(tables)) {
    if (levels_.size() > 1) {
      const ColumnTables inner = inner_tables(tables, levels_);
      inner_ = columns_in<Real>(shape.memory, inner);
    }
  }

  void solve(Real* field, Stream& stream, bool) override {
    eliminate(field, stream);
    send_down(head_.host(), above_.data(), 1);
    Real* const right = right_.host();
    const Real upper = static_cast<Real>(highest_upper_);
    parallel_ranges(plane_size(), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        right[i] += upper * above_[at(i)];
    });
    Real* const unknown = unknown_.data() + mine_.size();
    gather(right, unknown);
    parallel_ranges(mine_.size(), [&](std::int64_t first, std::int64_t last) {
      systems_.solve(unknown, at(first), at(last));
    });
    give_back();
    substitute(field, stream);
  }

  [[nodiscard]] std::int64_t sent_bytes() const override {
    const std::int64_t head = below_rank() >= 0 ? plane_size() : 0;
    const std::int64_t right = plane_size() - mine_.size();
    const std::int64_t unknowns = 2 * (ranks_ - 1) * mine_.size();
    return (head + right + unknowns) * std::int64_t{sizeof(Real)};
  }

private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] std::int64_t plane_size() const { return places_ * rows_; }
  [[nodiscard]] int below_rank() const { return rank_ > 0 ? rank_ - 1 : periodic_ ? ranks_ - 1 : -1; }
  [[nodiscard]] int above_rank() const { return rank_ + 1 < ranks_ ? rank_ + 1 : periodic_ ? 0 : -1; }

  [[nodiscard]] PlaneView<Real> compact(StagedBuffer<Real>& plane) const {
    return {plane.data(), {places_, rows_, 1}, {1, places_, 1}};
  }
  [[nodiscard]] PlaneView<Real> level(Real* field, std::int64_t k) const {
    return {field + k * shape_.plane_pitch, {places_, rows_, 1}, {1, row_pitch_, 1}};
  }

  /// A plane as the only one of a box.
  static FieldView<Real> one_level(const PlaneView<Real>& plane) {
    return {plane.data(),
            {plane.extent(0), plane.extent(1), 1, 1},
            {plane.stride(0), plane.stride(1), plane.stride(1) * plane.extent(1), 1}};
  }

  /// The systems of the highest levels of all ranks, for the columns that are this rank's to solve.
  ReducedSystems<Real> set_up(const ColumnTables& tables) {
    const ColumnCoefficients& all = tables.rows;
    const std::size_t count = at(plane_size()), top = at(levels_.last - 1);
    std::vector<Real> head(2 * count), above(2 * count, 0), lower(count), upper(count), v(count);
    parallel_ranges(rows_, [&](std::int64_t begin, std::int64_t end) {
      for (std::size_t i = at(begin * places_); i < at(end * places_); ++i) {
        const double lambda = tables.lambda_x[i % at(places_)] + tables.lambda_y[i / at(places_)];
        const SegmentEnds ends = segment_ends(all, at(levels_.first), at(levels_.last), lambda);
        head[i] = static_cast<Real>(ends.head_gamma);
        head[count + i] = static_cast<Real>(ends.head_slack);
        lower[i] = static_cast<Real>(all.lower[top] * ends.alpha);
        v[i] = static_cast<Real>(all.density[top] * lambda + all.excess[top] + all.lower[top] * ends.slack);
      }
    });
    send_down(head.data(), above.data(), 2);
    for (std::size_t i = 0; i < count; ++i) {
      upper[i] = static_cast<Real>(all.upper[top]) * above[i];
      v[i] += static_cast<Real>(all.upper[top]) * above[count + i];
    }
    const std::size_t mine = at(ranks_ * mine_.size());
    std::vector<Real> all_lower(mine), all_upper(mine), all_v(mine);
    gather(lower.data(), all_lower.data());
    gather(upper.data(), all_upper.data());
    gather(v.data(), all_v.data());
    return {all_lower, all_upper, all_v, static_cast<std::size_t>(ranks_)};
  }

  /// Right-hand sides of the reduced systems without what the rank above knows: into right_; and what the
  /// rank below has to know: into head_.
  void eliminate(Real* field, Stream& stream) {
    if (inner_) inner_->ends(field, shape_.plane_pitch, first_.data(), last_.data(), stream);
    const auto highest = level(field, levels_.size() - 1), first = level(first_.data(), 0),
               last = level(last_.data(), 0);
    const auto head = compact(head_), right = compact(right_);
    dispatch(
        stream,
        [&] {
          poisson_planes::copy(one_level(head), one_level(first));
          poisson_planes::top_row(last, highest, right, highest_lower_);
        },
        [&](void* native) {
          poisson_planes::copy_cuda(one_level(head), one_level(first), native);
          poisson_planes::top_row_cuda(last, highest, right, highest_lower_, native);
        });
    head_.fetch(stream);
    right_.fetch(stream);
  }

  /// `planes` planes of each rank to the one below.
  void send_down(Real* own, Real* from_above, std::int64_t planes) {
    if (below_rank() >= 0) heads_.send(below_rank(), own, planes * plane_size());
    if (above_rank() >= 0) heads_.receive(above_rank(), from_above, planes * plane_size());
    heads_.run();
  }

  /// Of a plane on each rank, this rank gets its own places: segment s at to + s * mine_.size().
  void gather(Real* from, Real* to) {
    for (int r = 0; r < ranks_; ++r) {
      const Share theirs(plane_size(), r, ranks_);
      if (r == rank_) {
        std::copy_n(from + mine_.first, mine_.size(), to + r * mine_.size());
      } else {
        reduced_.send(r, from + theirs.first, theirs.size());
        reduced_.receive(r, to + r * mine_.size(), mine_.size());
      }
    }
    reduced_.run();
  }

  /// To each rank its highest unknowns (into own_) and those of the rank below (into below_).
  void give_back() {
    const std::int64_t columns = mine_.size();
    // Segments s - 1 and s lie one behind the other; before the first one lies the last (of periodic
    // columns).
    std::copy_n(unknown_.data() + ranks_ * columns, columns, unknown_.data());
    for (int r = 0; r < ranks_; ++r) {
      const Share theirs(plane_size(), r, ranks_);
      if (r == rank_) continue;
      ends_.send(r, unknown_.data() + r * columns, 2 * columns);
      ends_.receive(r, received_.data() + 2 * theirs.first, 2 * theirs.size());
    }
    ends_.run();
    for (int r = 0; r < ranks_; ++r) {
      const Share theirs(plane_size(), r, ranks_);
      const Real* const from =
          r == rank_ ? unknown_.data() + r * columns : received_.data() + 2 * theirs.first;
      std::copy_n(from, theirs.size(), below_.host() + theirs.first);
      std::copy_n(from + theirs.size(), theirs.size(), own_.host() + theirs.first);
    }
    below_.put();
    own_.put();
  }

  /// All levels of this rank from its highest unknowns and those of the rank below.
  void substitute(Real* field, Stream& stream) {
    const std::int64_t top = levels_.size() - 1;
    const auto highest = level(field, top);
    const auto own = compact(own_), below = compact(below_);
    dispatch(
        stream, [&] { poisson_planes::copy(one_level(highest), one_level(own)); },
        [&](void* native) { poisson_planes::copy_cuda(one_level(highest), one_level(own), native); });
    if (!inner_) return;
    const auto lowest = level(field, 0), next = level(field, top - 1);
    dispatch(
        stream,
        [&] {
          poisson_planes::couple(lowest, below, lowest_lower_);
          poisson_planes::couple(next, own, next_upper_);
        },
        [&](void* native) {
          poisson_planes::couple_cuda(lowest, below, lowest_lower_, native);
          poisson_planes::couple_cuda(next, own, next_upper_, native);
        });
    inner_->solve(field, shape_.plane_pitch, stream);
  }

  SlabShape shape_;
  int rank_, ranks_;
  bool periodic_;
  Share levels_;
  std::int64_t row_pitch_, places_, rows_;
  Share mine_; // places of a compact plane whose reduced systems this rank solves
  double lowest_lower_, highest_lower_, highest_upper_, next_upper_; // rows of this rank's levels
  MessageRound<Real> heads_, reduced_, ends_;
  Buffer<Real> first_, last_;      // levels of the inner ones, as if all neighbours beyond them were 0
  StagedBuffer<Real> head_;        // first_, for the rank below
  StagedBuffer<Real> right_;       // of the reduced systems
  StagedBuffer<Real> below_, own_; // highest unknowns of the rank below and of this one
  std::vector<Real> above_;        // head_ of the rank above
  std::vector<Real> received_;     // unknowns of my segment and the one below, from the ranks that solve them
  std::vector<Real> unknown_;      // of my places: the last segment, then all one behind the other
  ReducedSystems<Real> systems_;
  std::unique_ptr<Columns<Real>> inner_; // null for a single level
};

} // namespace

template <class Real>
std::unique_ptr<SlabColumns<Real>> partitioned_columns(const ColumnTables& tables, const SlabShape& shape) {
  return std::make_unique<PartitionedColumns<Real>>(tables, shape);
}

template std::unique_ptr<SlabColumns<float>> partitioned_columns(const ColumnTables&, const SlabShape&);
template std::unique_ptr<SlabColumns<double>> partitioned_columns(const ColumnTables&, const SlabShape&);

} // namespace heddle
