// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_LONGWAVE_COLUMNS_HPP
#define HEDDLE_EXAMPLES_LONGWAVE_COLUMNS_HPP

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/grid/field_view.hpp"
#include "longwave_bands.hpp"

namespace example::longwave {

/// What lies between the kernels of a call of radiation, for some rows of columns along x: their cells one
/// after the other, level by level, so that one launch of longwave.fluxes("grey") takes all of them. Ranges
/// and units: heddle.atmosphere.longwave.
template <class T> class Columns {
public:
  /// For blocks of n_x x n_y columns and less, of n_z layers.
  Columns(std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, T ground_temperature, heddle::Memory memory)
      : rows_(std::clamp<std::int64_t>(most_columns(memory) / n_x, 1, n_y)), n_z_(n_z), columns_(n_x * rows_),
        moisture(columns_ * n_z, memory), temperature(columns_ * n_z, memory),
        face_temperature(columns_ * (n_z + 1), memory), cover(columns_ * n_z, memory),
        cloud_depth(columns_ * n_z, memory), up(columns_ * (n_z + 1), memory),
        down(columns_ * (n_z + 1), memory), planck_(in(memory, planck_tables<T>().planck)),
        width_(in(memory, planck_tables<T>().width)), part_(in(memory, parts_of_absorption<T>())),
        ones_(in(memory, std::vector<T>(bands, T(1)))),
        ground_(in(memory, std::vector<T>{ground_temperature})) {
    std::vector<std::int32_t> numbers(bands);
    std::iota(numbers.begin(), numbers.end(), 0);
    band_ = in(memory, numbers);
  }

  /// Rows of `view` that are computed together: f(first row, how many).
  template <class F> void in_rows(std::int64_t n_y, F&& f) const {
    for (std::int64_t j = 0; j < n_y; j += rows_)
      f(j, std::min(rows_, n_y - j));
  }
  /// Rows of a block of the model.
  static heddle::FieldView<T> rows(const heddle::FieldView<T>& view, std::int64_t first, std::int64_t count) {
    return {&view(0, first, 0), {view.extent(0), count, view.extent(2), view.extent(3)}, view.strides()};
  }
  /// So many rows of a buffer as kernels of the model see them: axes x, y, level.
  heddle::FieldView<T> cells(heddle::Buffer<T>& buffer, std::int64_t n_x, std::int64_t rows,
                             std::int64_t levels) const {
    return {buffer.data(), {n_x, rows, levels, 1}, {1, n_x, columns_, 0}};
  }
  /// What longwave.fluxes takes of the first so many columns, beside the mass of the layers.
  struct Arguments {
    heddle::FieldView<T> moisture, temperature, face_temperature, cover, cloud_depth, fraction, down, up;
    heddle::PlaneView<T> ground, emissivity, outgoing;
    const T *part, *planck, *width;
    const std::int32_t* band;
  };
  [[nodiscard]] Arguments arguments(std::int64_t columns) {
    const auto per_layer = [&](heddle::Buffer<T>& buffer) { // the same for all g-points
      return heddle::FieldView<T>(buffer.data(), {bands, columns, n_z_, 1}, {0, 1, columns_, 0});
    };
    return {.moisture = per_layer(moisture),
            .temperature = per_layer(temperature),
            .face_temperature = per_layer(face_temperature),
            .cover = per_layer(cover),
            .cloud_depth = per_layer(cloud_depth),
            .fraction = {ones_.data(), {bands, columns, n_z_, 1}, {1, 0, 0, 0}},
            .down = per_layer(down),
            .up = per_layer(up),
            .ground = {ground_.data(), {bands, columns, 1}, {0, 0, 0}},
            .emissivity = {ones_.data(), {bands, columns, bands}, {0, 0, 1}},
            .outgoing = {up.data() + columns_ * n_z_, {bands, columns, 1}, {0, 1, 0}},
            .part = part_.data(),
            .planck = planck_.data(),
            .width = width_.data(),
            .band = band_.data()};
  }
  /// A buffer in one column of a block whose columns were computed together: all its levels.
  [[nodiscard]] std::vector<double> column(const heddle::Buffer<T>& buffer, std::int64_t number) const {
    const std::vector<T> all = buffer.to_host();
    std::vector<double> values;
    for (std::int64_t n = number; n < std::ssize(all); n += columns_)
      values.push_back(static_cast<double>(all[static_cast<std::size_t>(n)]));
    return values;
  }
  [[nodiscard]] std::int64_t columns() const { return columns_; } ///< at once

private:
  /// On a GPU a call fills the chip, and a grid of threads has 65535 blocks at most along its second axis,
  /// each of them with four columns or more; on a processor a call stays in the cache.
  static std::int64_t most_columns(heddle::Memory memory) {
    return memory == heddle::Memory::device ? 4 * 65535 : 4096;
  }
  template <class V> static heddle::Buffer<V> in(heddle::Memory memory, const std::vector<V>& values) {
    return heddle::Buffer<V>(std::span<const V>(values), memory);
  }

  std::int64_t rows_, n_z_, columns_;

public:
  heddle::Buffer<T> moisture, temperature, face_temperature, cover, cloud_depth, up, down;

private:
  heddle::Buffer<T> planck_, width_, part_, ones_, ground_;
  heddle::Buffer<std::int32_t> band_;
};

} // namespace example::longwave

#endif
