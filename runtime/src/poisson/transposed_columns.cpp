// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "heddle/core/buffer.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/transport/message_round.hpp"
#include "poisson_planes.hpp"
#include "slab_columns.hpp"

namespace heddle {
namespace {

/// The columns of some rows of a plane.
ColumnTables some_rows(const ColumnTables& tables, const Share& rows) {
  ColumnTables part = tables;
  part.lambda_y.assign(tables.lambda_y.begin() + rows.first, tables.lambda_y.begin() + rows.last);
  part.row_pitch = static_cast<std::int64_t>(tables.lambda_x.size());
  return part;
}

/// Each rank gathers all levels of its share of rows, solves them, and sends them back. Messages and gathered
/// columns are compact: `places` reals per row, without padding.
template <class Real> class TransposedColumns final : public SlabColumns<Real> {
public:
  TransposedColumns(const ColumnTables& tables, const SlabShape& shape)
      : shape_(shape), rank_(shape.transport->rank()), ranks_(shape.transport->ranks()),
        all_levels_(static_cast<std::int64_t>(tables.rows.lower.size())), levels_(shape.levels(tables)),
        row_pitch_(tables.row_pitch), places_(static_cast<std::int64_t>(tables.lambda_x.size())),
        all_rows_(static_cast<std::int64_t>(tables.lambda_y.size())), rows_(all_rows_, rank_, ranks_),
        there_(*shape.transport, "columns, there"), back_(*shape.transport, "columns, back"),
        columns_(all_levels_ * rows_.size() * places_, shape.memory),
        packed_((levels_.size() + 1) * (all_rows_ - rows_.size()) * places_, shape.memory) {
    if (rows_.size() == 0) return; // more ranks than rows
    const ColumnTables own = some_rows(tables, rows_);
    solver_ = columns_in<Real>(shape.memory, own);
  }

  void solve(Real* field, Stream& stream, bool level_below) override {
    for_pieces(false, [&](int, const Share& rows, const Share& levels, Real* piece) {
      copy(packed(piece, rows, levels), part(field, rows, levels), stream);
    });
    for_pieces(false, [&](int r, const Share& rows, const Share&, Real* piece) {
      const Share their_levels = levels_of(r, false);
      if (r == rank_) return;
      there_.send(r, piece, levels_.size() * rows.size() * places_);
      there_.receive(r, gathered(their_levels), their_levels.size() * rows_.size() * places_);
    });
    there_.run(shape_.memory, stream);
    if (solver_) solver_->solve(columns_.data(), rows_.size() * places_, stream);
    for_pieces(level_below, [&](int r, const Share& rows, const Share& levels, Real* piece) {
      if (r == rank_) return;
      const Share their_levels = levels_of(r, level_below);
      back_.send(r, gathered(their_levels), their_levels.size() * rows_.size() * places_);
      back_.receive(r, piece, levels.size() * rows.size() * places_);
    });
    back_.run(shape_.memory, stream);
    for_pieces(level_below, [&](int, const Share& rows, const Share& levels, Real* piece) {
      copy(part(field, rows, levels), packed(piece, rows, levels), stream);
    });
  }

  [[nodiscard]] std::int64_t sent_bytes() const override {
    const std::int64_t there = levels_.size() * (all_rows_ - rows_.size());
    const std::int64_t back = (all_levels_ - levels_.size()) * rows_.size();
    return (there + back) * places_ * std::int64_t{sizeof(Real)};
  }

private:
  /// Levels of a rank, and the one below where that is asked for and there is one.
  [[nodiscard]] Share levels_of(int r, bool and_below) const {
    Share levels(all_levels_, r, ranks_);
    if (and_below && r > 0) --levels.first;
    return levels;
  }

  /// f(rank, its rows, this rank's levels, where these of its rows are packed: those of this rank's rows
  /// among the gathered columns).
  template <class F> void for_pieces(bool and_below, F&& f) {
    const Share levels = levels_of(rank_, and_below);
    Real* piece = packed_.data();
    for (int r = 0; r < ranks_; ++r) {
      const Share rows(all_rows_, r, ranks_);
      f(r, rows, levels, r == rank_ ? gathered(levels) : piece);
      if (r != rank_) piece += levels.size() * rows.size() * places_;
    }
  }

  /// Some rows of these levels, in a field of this rank's levels and in a piece.
  [[nodiscard]] FieldView<Real> part(Real* field, const Share& rows, const Share& levels) const {
    Real* const lowest = field + (levels.first - levels_.first) * shape_.plane_pitch;
    return {lowest + rows.first * row_pitch_,
            {places_, rows.size(), levels.size(), 1},
            {1, row_pitch_, shape_.plane_pitch, 1}};
  }
  [[nodiscard]] FieldView<Real> packed(Real* piece, const Share& rows, const Share& levels) const {
    return {piece, {places_, rows.size(), levels.size(), 1}, {1, places_, rows.size() * places_, 1}};
  }

  static void copy(const FieldView<Real>& to, const FieldView<Real>& from, Stream& stream) {
    if (to.extent(1) == 0) return;
    dispatch(
        stream, [&] { poisson_planes::copy(to, from); },
        [&](void* native) { poisson_planes::copy_cuda(to, from, native); });
  }

  /// Some levels of this rank's rows.
  Real* gathered(const Share& levels) { return columns_.data() + levels.first * rows_.size() * places_; }

  SlabShape shape_;
  int rank_, ranks_;
  std::int64_t all_levels_;
  Share levels_;
  std::int64_t row_pitch_, places_, all_rows_;
  Share rows_; // that this rank solves
  MessageRound<Real> there_, back_;
  Buffer<Real> columns_;                  // all levels of rows_
  Buffer<Real> packed_;                   // this rank's levels of other ranks' rows, rank by rank
  std::unique_ptr<Columns<Real>> solver_; // null without rows
};

} // namespace

template <class Real>
std::unique_ptr<SlabColumns<Real>> transposed_columns(const ColumnTables& tables, const SlabShape& shape) {
  return std::make_unique<TransposedColumns<Real>>(tables, shape);
}

template std::unique_ptr<SlabColumns<float>> transposed_columns(const ColumnTables&, const SlabShape&);
template std::unique_ptr<SlabColumns<double>> transposed_columns(const ColumnTables&, const SlabShape&);

} // namespace heddle
