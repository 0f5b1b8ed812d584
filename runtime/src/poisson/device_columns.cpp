// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "columns.hpp"
#include "device_launch.hpp"
#include "device_tables.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

namespace {

/// Whether places 2i and 2i + 1 are the parts of one wave everywhere.
bool is_paired(const ColumnTables& tables) {
  const std::vector<double>& lambda = tables.lambda_x;
  bool paired = lambda.size() % 2 == 0 && tables.row_pitch % 2 == 0;
  for (std::size_t i = 0; paired && i < lambda.size(); i += 2)
    paired = lambda[i] == lambda[i + 1];
  return paired;
}

/// The tables with the padding of a row as modes of its own, where it is less than a sector of the cache: a
/// warp's columns then begin at whole sectors in every row, which costs less than the few columns more.
template <class Real> ColumnTables with_padding(ColumnTables tables) {
  const std::int64_t padding = tables.row_pitch - static_cast<std::int64_t>(tables.lambda_x.size());
  if (padding * std::int64_t{sizeof(Real)} < 32)
    tables.lambda_x.resize(static_cast<std::size_t>(tables.row_pitch), tables.lambda_x.back());
  return tables;
}

template <class Real> class DeviceColumns final : public Columns<Real> {
public:
  explicit DeviceColumns(const ColumnTables& tables)
      : places_(static_cast<std::int64_t>(tables.lambda_x.size())), row_pitch_(tables.row_pitch),
        periodic_(tables.rows.periodic), paired_(is_paired(tables)),
        lambda_x_(on_device<Real>(tables.lambda_x, paired_ ? 2 : 1)),
        lambda_y_(on_device<Real>(tables.lambda_y)), levels_(level_table<Real>(tables.rows)) {
    if (levels() > device::most_levels) {
      throw Error("PoissonSolver",
                  std::to_string(levels()) + " levels are too many: columns of up to " +
                      std::to_string(device::most_levels) + " levels fit into the registers of a block",
                  "split the domain into slabs, or solve on the host");
    }
  }

  void solve(Real* field, std::int64_t plane_pitch, Stream& stream) override {
    launch(arguments(field, plane_pitch), stream);
  }

  void ends(const Real* field, std::int64_t plane_pitch, Real* first, Real* last, Stream& stream) override {
    device::ColumnArguments<Real> some = arguments(const_cast<Real*>(field), plane_pitch); // only read
    some.lowest = first;
    some.highest = last;
    launch(some, stream);
  }

  [[nodiscard]] std::int64_t workspace_bytes() const override {
    return static_cast<std::int64_t>(lambda_x_.bytes() + lambda_y_.bytes() + levels_.bytes());
  }
  [[nodiscard]] std::string description() const override {
    return std::string("columns in registers, ") + (paired_ ? "two parts of a wave" : "one real") +
           " a thread";
  }

private:
  [[nodiscard]] std::int64_t levels() const { return levels_.size() / 4; }

  [[nodiscard]] device::ColumnArguments<Real> arguments(Real* field, std::int64_t plane_pitch) const {
    return {.field = field,
            .places = places_,
            .rows = lambda_y_.size(),
            .row_pitch = row_pitch_,
            .plane_pitch = plane_pitch,
            .levels = static_cast<int>(levels()),
            .periodic = periodic_,
            .paired = paired_,
            .lambda_x = lambda_x_.data(),
            .lambda_y = lambda_y_.data(),
            .levels_table = levels_.data()};
  }
  static void launch(const device::ColumnArguments<Real>& arguments, Stream& stream) {
    if (device::solve_columns(arguments, stream.native()) != 0)
      throw Error("PoissonSolver::columns", "the kernel launch failed");
  }

  std::int64_t places_, row_pitch_;
  bool periodic_, paired_;
  Buffer<Real> lambda_x_, lambda_y_, levels_;
};

} // namespace

template <class Real> std::unique_ptr<Columns<Real>> device_columns(const ColumnTables& tables) {
  return std::make_unique<DeviceColumns<Real>>(with_padding<Real>(tables));
}

template std::unique_ptr<Columns<float>> device_columns<float>(const ColumnTables&);
template std::unique_ptr<Columns<double>> device_columns<double>(const ColumnTables&);

} // namespace heddle
