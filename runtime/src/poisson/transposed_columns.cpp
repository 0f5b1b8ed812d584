// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "heddle/poisson/staged_buffer.hpp"
#include "heddle/transport/message_round.hpp"
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
        packed_(static_cast<std::size_t>(levels_.size() * all_rows_ * places_)) {
    if (shape.memory == Memory::device)
      copy_ = Buffer<Real>(levels_.size() * shape.plane_pitch, Memory::pinned);
    if (rows_.size() == 0) return; // more ranks than rows
    const ColumnTables own = some_rows(tables, rows_);
    solver_ = columns_in<Real>(shape.memory, own);
  }

  void solve(Real* field, Stream& stream) override {
    Real* const levels = on_host(field, stream);
    for_pieces([&](int, const Share& rows, const Share&, Real* piece) {
      for_rows(rows, [&](std::int64_t k, std::int64_t j, std::int64_t at) {
        std::copy_n(levels + k * shape_.plane_pitch + j * row_pitch_, places_, piece + at);
      });
    });
    for_pieces([&](int r, const Share& rows, const Share& their_levels, Real* piece) {
      exchange(there_, r, piece, levels_.size() * rows.size(), gathered(their_levels),
               their_levels.size() * rows_.size());
    });
    there_.run();
    if (solver_) {
      columns_.put();
      solver_->solve(columns_.data(), rows_.size() * places_, stream);
      columns_.fetch(stream);
    }
    for_pieces([&](int r, const Share& rows, const Share& their_levels, Real* piece) {
      exchange(back_, r, gathered(their_levels), their_levels.size() * rows_.size(), piece,
               levels_.size() * rows.size());
    });
    back_.run();
    for_pieces([&](int, const Share& rows, const Share&, Real* piece) {
      for_rows(rows, [&](std::int64_t k, std::int64_t j, std::int64_t at) {
        std::copy_n(piece + at, places_, levels + k * shape_.plane_pitch + j * row_pitch_);
      });
    });
    if (levels != field) copy_bytes(field, shape_.memory, levels, copy_.memory(), copy_.bytes());
  }

  [[nodiscard]] std::int64_t sent_bytes() const override {
    const std::int64_t there = levels_.size() * (all_rows_ - rows_.size());
    const std::int64_t back = (all_levels_ - levels_.size()) * rows_.size();
    return (there + back) * places_ * std::int64_t{sizeof(Real)};
  }

private:
  /// This rank's levels where messages can be packed from: the field itself, or a copy of one on a device.
  Real* on_host(Real* field, Stream& stream) {
    if (shape_.memory != Memory::device) return field;
    stream.synchronise();
    copy_bytes(copy_.data(), copy_.memory(), field, shape_.memory, copy_.bytes());
    return copy_.data();
  }

  /// f(rank, its rows, its levels, where the part of this rank's levels that belongs to its rows is packed).
  template <class F> void for_pieces(F&& f) {
    Real* piece = packed_.data();
    for (int r = 0; r < ranks_; ++r) {
      const Share rows(all_rows_, r, ranks_);
      f(r, rows, Share(all_levels_, r, ranks_), piece);
      piece += levels_.size() * rows.size() * places_;
    }
  }

  /// f(level of this rank, row, place in a piece) for some rows.
  template <class F> void for_rows(const Share& rows, F&& f) const {
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < levels_.size(); ++k)
      for (std::int64_t j = rows.first; j < rows.last; ++j, at += places_)
        f(k, j, at);
  }

  /// Some levels of this rank's rows.
  Real* gathered(const Share& levels) { return columns_.host() + levels.first * rows_.size() * places_; }

  /// Sends and receives rows; those that stay here are copied.
  void exchange(MessageRound<Real>& round, int with, Real* from, std::int64_t sent, Real* to,
                std::int64_t received) {
    if (with == rank_) {
      std::copy_n(from, sent * places_, to);
      return;
    }
    round.send(with, from, sent * places_);
    round.receive(with, to, received * places_);
  }

  SlabShape shape_;
  int rank_, ranks_;
  std::int64_t all_levels_;
  Share levels_;
  std::int64_t row_pitch_, places_, all_rows_;
  Share rows_; // that this rank solves
  MessageRound<Real> there_, back_;
  StagedBuffer<Real> columns_;            // all levels of rows_
  std::vector<Real> packed_;              // this rank's levels, rows of rank 0 first
  Buffer<Real> copy_;                     // of a field on a device
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
