// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_PACKING_HPP
#define HEDDLE_TESTS_PACKING_HPP

#include <cstdint>
#include <span>
#include <string>

#include "heddle/grid/field.hpp"
#include "heddle/halo/exchange.hpp"

namespace packing {

/// Calls f(element, place) for each cell of the boxes: element is a reference into the field.
template <class T, class F>
void for_cells(heddle::FieldView<T> view, const heddle::MessageBoxes& boxes, F&& f) {
  for (std::int64_t b = 0; b < boxes.count; ++b) {
    const std::int32_t* row = boxes.rows + b * heddle::MessageBoxes::columns;
    std::int64_t place = row[8];
    for (std::int64_t z = row[4]; z < row[4] + row[7]; ++z) {
      for (std::int64_t y = row[3]; y < row[3] + row[6]; ++y) {
        for (std::int64_t x = row[2]; x < row[2] + row[5]; ++x)
          f(view(x, y, z, row[1]), place++);
      }
    }
  }
}

/// An exchange of one field on the host with pack kernels written by hand.
template <class T>
heddle::DenseExchange exchange(heddle::Field<T>& field, std::span<const heddle::HaloRegion> regions,
                               heddle::Direction direction, std::string name = "exchange") {
  heddle::DenseExchange result(std::move(name), direction, regions, 1, sizeof(T));
  result.add(field);
  result.pack = [&field](int block, const heddle::MessageBoxes& boxes, void* buffer, heddle::Stream&) {
    for_cells(field.view(block), boxes,
              [&](T& value, std::int64_t at) { static_cast<T*>(buffer)[at] = value; });
  };
  result.unpack = [&field](int block, const heddle::MessageBoxes& boxes, const void* buffer,
                           heddle::Stream&) {
    for_cells(field.view(block), boxes,
              [&](T& value, std::int64_t at) { value = static_cast<const T*>(buffer)[at]; });
  };
  return result;
}

} // namespace packing

#endif
