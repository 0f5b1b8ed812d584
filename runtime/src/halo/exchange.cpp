// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/exchange.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heddle/core/error.hpp"

namespace heddle {

Box HaloRegion::cells(const std::array<std::int64_t, 3>& extent) const noexcept {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t n = extent[d];
    box.lower[d] = anchor[d] == 0 ? near[d] : anchor[d] > 0 ? n + near[d] : -std::int64_t{far[d]};
    box.upper[d] = anchor[d] == 0 ? n - far[d] : anchor[d] > 0 ? n + far[d] : -std::int64_t{near[d]};
  }
  return box;
}

bool HaloRegion::within(const HaloRegion& other) const noexcept {
  if (component != other.component || anchor != other.anchor) return false;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool begins = near[d] >= other.near[d];
    const bool ends = anchor[d] == 0 ? far[d] >= other.far[d] : far[d] <= other.far[d];
    if (!begins || !ends) return false;
  }
  return true;
}

std::vector<HaloRegion> ghost_shell(int components, const std::array<int, 3>& layers) {
  std::vector<HaloRegion> shell;
  for (int component = 0; component < components; ++component) {
    for (int side = 0; side < 27; ++side) {
      HaloRegion region{0, component, {side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1}, {}, {}};
      bool empty = side == 13; // the interior
      for (std::size_t d = 0; d < 3; ++d) {
        region.far[d] = region.anchor[d] == 0 ? 0 : layers[d];
        empty = empty || (region.anchor[d] != 0 && layers[d] == 0);
      }
      if (!empty) shell.push_back(region);
    }
  }
  return shell;
}

void ExchangeBase::add(ExchangedField field, const BlockGrid& grid, int rank, Memory memory) {
  if (grid_ == nullptr) {
    grid_ = &grid;
    rank_ = rank;
    memory_ = memory;
  } else if (*grid_ != grid || rank_ != rank || memory_ != memory) {
    throw Error(name_,
                "fields '" + fields_.front().name + "' and '" + field.name +
                    "' differ in grid, rank or memory",
                "construct them with the same grid and options");
  }
  fields_.push_back(std::move(field));
}

void BoxExchange::add(ExchangedField field, const std::array<int, 3>& ghost_layers, const BlockGrid& grid,
                      int rank, Memory memory) {
  const auto number = static_cast<int>(fields().size());
  for (const HaloRegion& region : regions_) {
    if (region.field != number) continue;
    if (region.component < 0 || region.component >= field.components) {
      throw Error(name(), "component " + std::to_string(region.component) + " is exchanged, but field '" +
                              field.name + "' has " + std::to_string(field.components) + " components");
    }
    for (std::size_t d = 0; d < 3; ++d) {
      if (region.anchor[d] != 0 && region.far[d] > ghost_layers[d]) {
        throw Error(name(),
                    std::to_string(region.far[d]) + " ghost layers of '" + field.name +
                        "' are exchanged, but it has " + std::to_string(ghost_layers[d]),
                    "construct the field with more ghost layers");
      }
    }
  }
  ExchangeBase::add(std::move(field), grid, rank, memory);
}

void BoxExchange::leave_out(const void* object, std::span<const HaloRegion> known) {
  const auto is_known = [&](const HaloRegion& region) {
    return fields()[static_cast<std::size_t>(region.field)].object == object &&
           std::ranges::any_of(known, [&](const HaloRegion& other) { return region.within(other); });
  };
  std::vector<HaloRegion> left;
  std::ranges::remove_copy_if(regions_, std::back_inserter(left), is_known);
  if (left.size() == regions_.size()) return;
  left_ = std::make_shared<const std::vector<HaloRegion>>(std::move(left));
  regions_ = *left_;
  for (std::size_t number = 0; number < fields().size(); ++number) {
    const auto of_field = [&](const HaloRegion& region) {
      return static_cast<std::size_t>(region.field) == number;
    };
    if (fields()[number].object == object && std::ranges::none_of(regions_, of_field))
      leave_out_field(number);
  }
}

void SparseExchange::add(ExchangedField field, const IndexList& list) {
  if (list_ != nullptr && list_ != &list)
    throw Error(name(),
                "fields '" + fields().front().name + "' and '" + field.name + "' belong to different lists",
                "construct them over the same IndexList");
  list_ = &list;
  ExchangeBase::add(std::move(field), list.grid(), list.rank(), list.memory());
}

} // namespace heddle
