// SPDX-License-Identifier: Apache-2.0
// The columns of a transformed field whose levels lie on several ranks.
#ifndef HEDDLE_SRC_POISSON_SLAB_COLUMNS_HPP
#define HEDDLE_SRC_POISSON_SLAB_COLUMNS_HPP

#include <cstdint>
#include <memory>

#include "columns.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// Part r of `count` things that are shared out to `ranks`.
struct Share {
  std::int64_t first, last;
  Share(std::int64_t count, int rank, int ranks)
      : first(count * rank / ranks), last(count * (rank + 1) / ranks) {}
  [[nodiscard]] std::int64_t size() const { return last - first; }
};

/// What is the same for both ways of solving.
struct SlabShape {
  Transport* transport;
  Memory memory;
  std::int64_t plane_pitch; // reals from level to level of a field
  [[nodiscard]] Share levels(const ColumnTables& tables) const {
    return {static_cast<std::int64_t>(tables.rows.lower.size()), transport->rank(), transport->ranks()};
  }
};

/// All ranks call each function together.
template <class Real> class SlabColumns {
public:
  virtual ~SlabColumns() = default;
  /// Replaces transformed right-hand sides of this rank's levels by transformed solutions; waits for the
  /// stream in between, but where messages of transposed columns lie on its device.
  /// level_below: solutions of the level below this rank's, too, where there is one. Of transposed columns.
  virtual void solve(Real* field, Stream& stream, bool level_below = false) = 0;
  /// Bytes that this rank sends in a solve.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

/// tables: of all levels. Each rank eliminates all of its levels but the highest.
template <class Real>
[[nodiscard]] std::unique_ptr<SlabColumns<Real>> partitioned_columns(const ColumnTables& tables,
                                                                     const SlabShape& shape);

/// Each rank gets some rows of columns as a whole.
template <class Real>
[[nodiscard]] std::unique_ptr<SlabColumns<Real>> transposed_columns(const ColumnTables& tables,
                                                                    const SlabShape& shape);

} // namespace heddle

#endif
