// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_KERNEL_EXCHANGE_HPP
#define HEDDLE_HALO_KERNEL_EXCHANGE_HPP

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/dispatch.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Makes the exchange of a kernel, with this name, for one direction.
template <class Kind> using MakeExchange = std::function<Kind(const std::string& name, Direction direction)>;

namespace detail {

/// The rank of field `number`: one stands for all.
template <int... ranks> constexpr int rank_of(std::size_t number) {
  constexpr std::array all{ranks...};
  return all[all.size() == 1 ? 0 : number];
}

} // namespace detail

/// The exchange of a kernel over dense fields, packed and unpacked by the kernels `Pack` and `Unpack` (see
/// heddle::call_kernel). MessageValue: the type of a value in a message. ranks: dimensions of the kernel; or
/// one number per field, where 2 is a plane of a kernel of three dimensions. min_block_extent: cells that a
/// block needs at least along each axis. walls: see DenseExchange::add. The tables and fields must outlive
/// the exchange; making it throws Error for fields that do not fit together.
template <class Pack, class Unpack, class MessageValue, int... ranks, class... T>
[[nodiscard]] MakeExchange<DenseExchange>
dense_exchange(std::span<const HaloRegion> regions, int min_block_extent,
               std::initializer_list<WallLinks> walls, Field<T>&... fields) {
  static_assert(sizeof...(ranks) == 1 || sizeof...(ranks) == sizeof...(T));
  const std::vector<WallLinks> links(walls);
  const auto make = [&]<std::size_t... n>(std::index_sequence<n...>) -> MakeExchange<DenseExchange> {
    return [=, ... field = &fields](const std::string& name, Direction direction) {
      DenseExchange exchange(name, direction, regions, min_block_extent, sizeof(MessageValue));
      (exchange.add(*field), ...);
      for (const WallLinks& wall : links)
        exchange.add(wall);
      exchange.pack = [=](int block, const MessageBoxes& boxes, void* buffer, Stream& stream) {
        call_kernel<Pack>(stream, view_for<detail::rank_of<ranks...>(n)>(field->view(block))..., boxes.rows,
                          static_cast<MessageValue*>(buffer), boxes.count, boxes.longest);
      };
      exchange.unpack = [=](int block, const MessageBoxes& boxes, const void* buffer, Stream& stream) {
        call_kernel<Unpack>(stream, view_for<detail::rank_of<ranks...>(n)>(field->view(block))..., boxes.rows,
                            static_cast<const MessageValue*>(buffer), boxes.count, boxes.longest);
      };
      return exchange;
    };
  };
  return make(std::index_sequence_for<T...>{});
}

/// The same for a kernel over a list, which all fields are over.
template <class Pack, class Unpack, class MessageValue, class... T>
[[nodiscard]] MakeExchange<SparseExchange> list_exchange(std::span<const HaloLink> links,
                                                         SparseField<T>&... fields) {
  return [=, ... field = &fields](const std::string& name, Direction direction) {
    SparseExchange exchange(name, direction, links, sizeof(MessageValue));
    (exchange.add(*field), ...);
    exchange.pack = [=](const MessageElements& elements, void* buffer, Stream& stream) {
      call_kernel<Pack>(stream, field->flat()..., elements.fields, static_cast<MessageValue*>(buffer),
                        elements.numbers, elements.count);
    };
    exchange.unpack = [=](const MessageElements& elements, const void* buffer, Stream& stream) {
      call_kernel<Unpack>(stream, field->flat()..., elements.fields, static_cast<const MessageValue*>(buffer),
                          elements.numbers, elements.count);
    };
    return exchange;
  };
}

namespace detail {

/// Links through each of the first `count` rows to elements of field 0.
template <std::size_t count>
inline constexpr std::array<HaloLink, count> each_row = [] {
  std::array<HaloLink, count> links;
  for (int row = 0; HaloLink & link : links) {
    link.row = row++;
  }
  return links;
}();

} // namespace detail

/// The same for a kernel that reaches its field through each of the first `rows` rows, which lead to
/// elements.
template <class Pack, class Unpack, class MessageValue, std::size_t rows, class T>
[[nodiscard]] MakeExchange<SparseExchange> list_exchange(SparseField<T>& field) {
  return list_exchange<Pack, Unpack, MessageValue>(detail::each_row<rows>, field);
}

} // namespace heddle

#endif
