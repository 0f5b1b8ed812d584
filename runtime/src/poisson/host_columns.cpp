// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "columns.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/parallel.hpp"
#include "poisson_columns.hpp"

namespace heddle {

namespace {

constexpr std::int64_t cache_bytes = 640 * 1024; // of a core, for the columns of one call and their scratch
constexpr std::int64_t widest = 320;             // columns that the kernel takes side by side

/// What the generated wrappers take.
template <class Real> struct View {
  using Extents = std::array<std::int64_t, 3>;
  Real* first;
  Extents extents, strides;
  [[nodiscard]] Real* data() const { return first; }
  [[nodiscard]] std::int64_t extent(std::size_t d) const { return extents[d]; }
  [[nodiscard]] std::int64_t stride(std::size_t d) const { return strides[d]; }
};

template <class Real> std::vector<Real> rounded(const std::vector<double>& values) {
  std::vector<Real> result;
  for (const double value : values)
    result.push_back(static_cast<Real>(value));
  return result;
}

template <class Real> class HostColumns final : public Columns<Real> {
public:
  explicit HostColumns(const ColumnTables& tables)
      : lambda_x_(rounded<Real>(tables.lambda_x)), lambda_y_(rounded<Real>(tables.lambda_y)),
        lower_(rounded<Real>(tables.rows.lower)), upper_(rounded<Real>(tables.rows.upper)),
        density_(rounded<Real>(tables.rows.density)), excess_(rounded<Real>(tables.rows.excess)),
        row_pitch_(tables.row_pitch), periodic_(tables.rows.periodic) {
    const std::int64_t arrays = periodic_ ? 3 : 2; // the field and its scratch
    const std::int64_t fitting = cache_bytes / (arrays * levels() * std::int64_t{sizeof(Real)});
    const std::int64_t most = std::clamp<std::int64_t>(fitting, 16, widest);
    const std::int64_t tiles = (places() + most - 1) / most;
    const std::int64_t even = (places() + tiles - 1) / tiles; // tiles of one size, of whole vectors
    tile_ = std::min((even + 15) / 16 * 16, most);
  }

  void solve(Real* field, std::int64_t plane_pitch, Stream&) override {
    parallel_ranges(static_cast<std::int64_t>(lambda_y_.size()), [&](std::int64_t first, std::int64_t last) {
      Buffer<Real> scratch(scratch_size(), Memory::host, Buffer<Real>::Contents::undefined);
      for (std::int64_t j = first; j < last; ++j)
        for (std::int64_t i = 0; i < places(); i += tile_)
          solve_tile(field + j * row_pitch_ + i, plane_pitch, i, j, scratch.data());
    });
  }

  void ends(const Real* field, std::int64_t plane_pitch, Real* first, Real* last, Stream&) override {
    parallel_ranges(static_cast<std::int64_t>(lambda_y_.size()), [&](std::int64_t begin, std::int64_t end) {
      Buffer<Real> scratch(scratch_size(), Memory::host, Buffer<Real>::Contents::undefined);
      Buffer<Real> copy(tile_ * levels(), Memory::host, Buffer<Real>::Contents::undefined);
      for (std::int64_t j = begin; j < end; ++j) {
        for (std::int64_t i = 0; i < places(); i += tile_) {
          const std::int64_t width = std::min(tile_, places() - i);
          for (std::int64_t k = 0; k < levels(); ++k)
            std::copy_n(field + k * plane_pitch + j * row_pitch_ + i, width, copy.data() + k * tile_);
          solve_tile(copy.data(), tile_, i, j, scratch.data());
          std::copy_n(copy.data(), width, first + j * row_pitch_ + i);
          std::copy_n(copy.data() + (levels() - 1) * tile_, width, last + j * row_pitch_ + i);
        }
      }
    });
  }

  [[nodiscard]] std::int64_t workspace_bytes() const override {
    const std::size_t tables = lambda_x_.size() + lambda_y_.size() + 4 * lower_.size();
    const std::int64_t scratch = std::int64_t{thread_count()} * scratch_size();
    return (static_cast<std::int64_t>(tables) + scratch) * std::int64_t{sizeof(Real)};
  }
  [[nodiscard]] std::string description() const override {
    return "generated columns, " + std::to_string(tile_) + " side by side";
  }

private:
  [[nodiscard]] std::int64_t places() const { return static_cast<std::int64_t>(lambda_x_.size()); }
  [[nodiscard]] std::int64_t levels() const { return static_cast<std::int64_t>(lower_.size()); }
  [[nodiscard]] std::int64_t scratch_size() const { return (periodic_ ? 2 : 1) * tile_ * levels(); }

  /// Columns i, i + 1, ... of row j.
  void solve_tile(Real* p, std::int64_t plane_pitch, std::int64_t i, std::int64_t j, Real* scratch) const {
    const std::array<std::int64_t, 3> extents{std::min(tile_, places() - i), 1, levels()};
    const std::array<std::int64_t, 3> strides{1, tile_, tile_};
    const View<Real> field{p, extents, {1, row_pitch_, plane_pitch}};
    const View<Real> ratio{scratch, extents, strides};
    const Real* const lambda_x = lambda_x_.data() + i;
    const Real* const lambda_y = lambda_y_.data() + j;
    if (periodic_) {
      const View<Real> reach{scratch + tile_ * levels(), extents, strides};
      poisson_columns::periodic(reach, ratio, field, density_.data(), excess_.data(), lambda_x, lambda_y,
                                lower_.data(), upper_.data());
    } else {
      poisson_columns::walls(ratio, field, density_.data(), excess_.data(), lambda_x, lambda_y, lower_.data(),
                             upper_.data());
    }
  }

  std::vector<Real> lambda_x_, lambda_y_, lower_, upper_, density_, excess_;
  std::int64_t row_pitch_;
  bool periodic_;
  std::int64_t tile_;
};

} // namespace

template <class Real> std::unique_ptr<Columns<Real>> host_columns(const ColumnTables& tables) {
  return std::make_unique<HostColumns<Real>>(tables);
}

template std::unique_ptr<Columns<float>> host_columns<float>(const ColumnTables&);
template std::unique_ptr<Columns<double>> host_columns<double>(const ColumnTables&);

} // namespace heddle
