// SPDX-License-Identifier: Apache-2.0
#include "packed_cells.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "heddle/core/for_each.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle::detail {
namespace {

/// Where the cells of a block lie, by their numbers, x fastest.
struct CellPlaces {
  std::int64_t stride[4];
  std::int64_t extent[2];

  template <class T>
  explicit CellPlaces(const FieldView<T>& view)
      : stride{view.stride(0), view.stride(1), view.stride(2), view.stride(3)},
        extent{view.extent(0), view.extent(1)} {}
  HEDDLE_HOST_DEVICE std::int64_t operator()(std::int64_t cell, std::int64_t component) const {
    const std::int64_t x = cell % extent[0];
    const std::int64_t y = cell / extent[0] % extent[1];
    const std::int64_t z = cell / extent[0] / extent[1];
    return x * stride[0] + y * stride[1] + z * stride[2] + component * stride[3];
  }
};

/// The key of a cell, from its attempts in the last call and its light then and now.
struct MakeKey {
  const std::int64_t* attempts;
  CellPlaces of_attempts;
  const double* input; // null where there is none
  CellPlaces of_input;
  std::int64_t inputs;
  double* light;
  std::int32_t* key;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t cell) const {
    double now = 0;
    for (std::int64_t q = 0; q < inputs; ++q) {
      const double value = input[of_input(cell, q)];
      now += value < 0 ? -value : value;
    }
    const double both = now + light[cell];
    const double difference = now < light[cell] ? light[cell] - now : now - light[cell];
    light[cell] = now;
    double change = both > 0 ? difference / both : 0; // 1 where it begins or ends
    std::int32_t halvings = 0;
    for (; halvings < most_halvings && change < 1; ++halvings)
      change *= 2;
    const std::int64_t made = attempts[of_attempts(cell, 0)];
    const auto counted = static_cast<std::int32_t>(made < attempt_keys ? made : attempt_keys - 1);
    key[cell] = counted * (most_halvings + 1) + most_halvings - halvings;
  }
};

/// One component of one cell: from its place in the block, or back. T is const where it only leaves.
template <class T> struct MoveCell {
  using Value = std::remove_const_t<T>;
  T* field;
  CellPlaces place;
  Value* packed;
  const std::int32_t* order;
  std::int64_t cells;
  bool back;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    T& value = field[place(order[i % cells], i / cells)];
    if constexpr (std::is_const_v<T>) {
      packed[i] = value;
    } else {
      if (back)
        value = packed[i];
      else
        packed[i] = value;
    }
  }
};

template <class T>
void move_cells(const FieldView<T>& view, std::remove_const_t<T>* packed, const std::int32_t* order,
                std::int64_t cells, bool back, Memory memory, Stream& stream) {
  for_each(cells * view.extent(3), memory, stream,
           MoveCell<T>{view.data(), CellPlaces(view), packed, order, cells, back});
}

template <class T>
FieldView<T> in_a_row(std::remove_const_t<T>* packed, std::int64_t cells, std::int64_t components) {
  return {packed, {cells, 1, 1, components}, {1, cells, cells, cells}};
}

} // namespace

std::vector<std::int32_t> by_keys(std::span<const std::int32_t> keys) {
  const auto place = [](std::int32_t key) {
    return static_cast<std::size_t>(cell_keys - 1 - std::clamp(key, 0, cell_keys - 1));
  };
  std::vector<std::int32_t> begin(static_cast<std::size_t>(cell_keys) + 1);
  for (const std::int32_t key : keys)
    ++begin[place(key) + 1];
  for (std::size_t n = 1; n < begin.size(); ++n)
    begin[n] += begin[n - 1];
  std::vector<std::int32_t> order(keys.size());
  for (std::size_t cell = 0; cell < keys.size(); ++cell)
    order[static_cast<std::size_t>(begin[place(keys[cell])]++)] = static_cast<std::int32_t>(cell);
  return order;
}

void CellKeys::find(const CellBlock& block, Stream& stream) {
  const auto& attempts = block.steps;
  const std::int64_t cells = attempts.extent(0) * attempts.extent(1) * attempts.extent(2);
  if (light_.size() != cells) { // once: blocks keep their extents
    light_ = Buffer<double>(cells, memory_);
    keys_ = Buffer<std::int32_t>(cells, memory_);
  }
  const bool any = block.rate_input.data() != nullptr;
  for_each(cells, memory_, stream,
           MakeKey{attempts.data(), CellPlaces(attempts), block.rate_input.data(),
                   CellPlaces(block.rate_input), any ? block.rate_input.extent(3) : 0, light_.data(),
                   keys_.data()});
}

std::vector<std::int32_t> CellKeys::get(Stream& stream) const {
  stream.synchronise();
  return keys_.to_host();
}

void PackedCells::resize(std::int64_t cells, std::int64_t species, std::int64_t inputs, Stream& stream) {
  cells_ = cells;
  const auto make = [&]<class T>(Buffer<T>& buffer, std::int64_t count) {
    if (buffer.size() >= count) return;
    stream.synchronise(); // work on the block before still has the old one
    buffer = Buffer<T>(count, memory_);
  };
  make(order_, cells);
  make(concentration_, cells * species);
  make(temperature_, cells);
  make(pressure_, cells);
  make(rate_input_, cells * inputs);
  make(step_, cells);
  make(outcome_, cells);
  make(steps_, cells);
}

CellBlock PackedCells::pack(const CellBlock& block, std::span<const std::int32_t> order, Stream& stream) {
  const auto cells = static_cast<std::int64_t>(order.size());
  const std::int64_t species = block.concentration.extent(3);
  const std::int64_t inputs = block.rate_input.data() != nullptr ? block.rate_input.extent(3) : 0;
  resize(cells, species, inputs, stream);
  copy_bytes(order_.data(), memory_, order.data(), Memory::host, order.size_bytes(), stream);
  const auto move = [&](const auto& view, auto& buffer) {
    move_cells(view, buffer.data(), order_.data(), cells, false, memory_, stream);
  };
  move(block.concentration, concentration_);
  move(block.temperature, temperature_);
  move(block.pressure, pressure_);
  if (inputs > 0) move(block.rate_input, rate_input_);
  move(block.step, step_);
  return {.concentration = in_a_row<double>(concentration_.data(), cells, species),
          .temperature = in_a_row<const double>(temperature_.data(), cells, 1),
          .pressure = in_a_row<const double>(pressure_.data(), cells, 1),
          .rate_input = inputs > 0 ? in_a_row<const double>(rate_input_.data(), cells, inputs)
                                   : FieldView<const double>(),
          .step = in_a_row<double>(step_.data(), cells, 1),
          .outcome = in_a_row<std::int32_t>(outcome_.data(), cells, 1),
          .steps = in_a_row<std::int64_t>(steps_.data(), cells, 1),
          .absolute_tolerance = block.absolute_tolerance,
          .interval = block.interval,
          .relative_tolerance = block.relative_tolerance};
}

void PackedCells::unpack(const CellBlock& block, Stream& stream) {
  const auto move = [&](const auto& view, auto& buffer) {
    move_cells(view, buffer.data(), order_.data(), cells_, true, memory_, stream);
  };
  move(block.concentration, concentration_);
  move(block.step, step_);
  move(block.outcome, outcome_);
  move(block.steps, steps_);
}

} // namespace heddle::detail
