// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/halo_calls.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "batched_pack.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"
#include "heddle/halo/interleaved/remote_halo.hpp"
#include "local_copies.hpp"

namespace heddle {

namespace {

/// A table where the fields are, shared by the copies of a call.
template <class T> std::shared_ptr<const Buffer<T>> table_of(const std::vector<T>& rows, Memory memory) {
  return std::make_shared<const Buffer<T>>(std::span<const T>(rows), memory);
}

class Maker {
public:
  Maker(const ExchangeBase& exchange, const HaloPlan& plan, const DirectStore* stores, int tag)
      : plan_(plan), stores_(stores), tag_(tag), memory_(exchange.memory()),
        value_bytes_(exchange.value_bytes()) {}

  [[nodiscard]] HaloCalls of(const SparseExchange& exchange) const {
    HaloCalls calls;
    const std::size_t sent = plan_.send().size();
    const std::size_t received = plan_.receive().size();
    if (stores_ != nullptr) {
      for (std::size_t segment = 0; segment < sent; ++segment) {
        calls.start.push_back(elements(plan_.send(), plan_.sent(), segment, segment + 1, exchange.pack, 0));
        calls.start.back().segment = segment;
      }
    } else if (sent != 0) {
      calls.start.push_back(
          elements(plan_.send(), plan_.sent(), 0, sent, exchange.pack, plan_.send().front().begin));
    }
    if (received != 0)
      calls.finish.push_back(elements(plan_.receive(), plan_.received(), 0, received, exchange.unpack,
                                      plan_.receive().front().begin));
    return calls;
  }

  [[nodiscard]] HaloCalls of(const DenseExchange& exchange) const {
    HaloCalls calls;
    if (plan_.as_on_device()) calls.places = places_of(exchange);
    add_remote(calls.start, exchange, plan_.sent_vectors(), Way::out);
    if (stores_ == nullptr) add_remote(calls.finish, exchange, plan_.received_vectors(), Way::in);
    add_boxes_of_messages(calls, exchange);
    add_wrap(calls, exchange);
    add_local(calls.wrap, exchange, plan_.wrap().shifts);
    // These write whole vectors, so after what has come into lanes of them.
    add_local(calls.finish, exchange, plan_.borders().shifts);
    return calls;
  }

  [[nodiscard]] HaloCalls of(const BoundExchange& exchange) const {
    HaloCalls calls;
    add_boxes_of_messages(calls, exchange);
    add_boxes_of_wrap(calls, exchange);
    return calls;
  }

private:
  /// The elements of messages first <= segment < last, and entries of no field between them.
  template <class Kernel>
  [[nodiscard]] HaloCall elements(const std::vector<HaloPlan::Segment>& segments,
                                  const std::vector<HaloPlan::Elements>& all, std::size_t first,
                                  std::size_t last, const Kernel& kernel, std::size_t offset) const {
    std::vector<std::uint8_t> fields;
    std::vector<std::uint32_t> numbers;
    for (std::size_t segment = first; segment < last; ++segment) {
      const std::size_t place = (segments[segment].begin - segments[first].begin) / value_bytes_;
      fields.resize(place, MessageElements::none);
      numbers.resize(place, 0);
      const HaloPlan::Elements& part = all[segment];
      fields.insert(fields.end(), part.fields.begin(), part.fields.end());
      numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
    }
    return {[kernel, offset, of_field = table_of(fields, memory_),
             number = table_of(numbers, memory_)](std::byte* buffer, Stream& stream) {
      kernel({of_field->data(), number->data(), number->size()}, buffer + offset, stream);
    }};
  }

  /// A table for each block: its rows in all of `tables`.
  [[nodiscard]] std::vector<HaloPlan::Table> merged(const std::vector<const HaloPlan::Tables*>& tables,
                                                    std::size_t segment = HaloCall::own_buffer) const {
    std::vector<HaloPlan::Table> result(tables.front()->size());
    for (std::size_t block = 0; block < result.size(); ++block) {
      auto& [rows, longest] = result[block];
      for (const HaloPlan::Tables* one : tables) {
        const HaloPlan::Table& table = (*one)[block];
        rows.insert(rows.end(), table.rows.begin(), table.rows.end());
        longest = std::max(longest, table.longest);
      }
      if (segment != HaloCall::own_buffer) { // values count from the begin of the message there
        const auto begin = static_cast<std::int32_t>(plan_.send()[segment].begin / value_bytes_);
        for (std::size_t row = MessageBoxes::columns - 1; row < rows.size(); row += MessageBoxes::columns)
          rows[row] -= begin;
      }
    }
    return result;
  }

  /// A call for each block that has rows, or for all blocks of one layout.
  template <class Kernel>
  void add_boxes(std::vector<HaloCall>& calls, const DenseExchange& exchange, const Kernel& kernel,
                 std::vector<HaloPlan::Table> tables, std::size_t segment = HaloCall::own_buffer) const {
    BatchedPack batched(exchange, plan_.as_on_device());
    for (std::size_t block = 0; block < tables.size(); ++block) {
      if (!tables[block].rows.empty()) batched.add(static_cast<int>(block), std::move(tables[block]));
    }
    for (const auto& [block, table] : batched.calls()) {
      calls.push_back({[kernel, block = block, longest = table.longest,
                        rows = table_of(table.rows, memory_)](std::byte* buffer, Stream& stream) {
                         kernel(block, {rows->data(), rows->size() / MessageBoxes::columns, longest}, buffer,
                                stream);
                       },
                       segment});
    }
  }

  /// One call for all blocks that have rows.
  void add_boxes(std::vector<HaloCall>& calls, const BoundExchange& /*exchange*/,
                 const BoundExchange::Bind& bind, const std::vector<HaloPlan::Table>& tables,
                 std::size_t segment = HaloCall::own_buffer) const {
    std::vector<BoundExchange::BlockBoxes> bound;
    for (std::size_t block = 0; block < tables.size(); ++block) {
      const auto& [rows, longest] = tables[block];
      const auto count = static_cast<std::int64_t>(rows.size()) / MessageBoxes::columns;
      if (count != 0) bound.push_back({static_cast<int>(block), {rows.data(), count, longest}});
    }
    if (!bound.empty()) calls.push_back({bind(bound), segment});
  }

  /// Boxes of messages, and of borders, which are packed and unpacked with them. exchange: dense or bound.
  template <class Boxes> void add_boxes_of_messages(HaloCalls& calls, const Boxes& exchange) const {
    std::vector<const HaloPlan::Tables*> packed{&plan_.borders().pack};
    std::vector<const HaloPlan::Tables*> unpacked{&plan_.borders().unpack};
    for (std::size_t segment = 0; segment < plan_.send().size(); ++segment) {
      const HaloPlan::Tables& tables = plan_.pack()[segment];
      if (stores_ != nullptr)
        add_boxes(calls.start, exchange, exchange.pack, merged({&tables}, segment), segment);
      else
        packed.push_back(&tables);
    }
    for (const HaloPlan::Tables& tables : plan_.unpack())
      unpacked.push_back(&tables);
    add_boxes(calls.start, exchange, exchange.pack, merged(packed));
    add_boxes(calls.finish, exchange, exchange.unpack, merged(unpacked));
  }

  /// Boxes that cross between own blocks with no message beside them. exchange: dense or bound.
  template <class Boxes> void add_boxes_of_wrap(HaloCalls& calls, const Boxes& exchange) const {
    add_boxes(calls.wrap, exchange, exchange.pack, merged({&plan_.wrap().pack}));
    add_boxes(calls.wrap, exchange, exchange.unpack, merged({&plan_.wrap().unpack}));
  }

  /// On a host these boxes need no buffer: they are copied at once. Those of borders are packed all the
  /// same, before a step that may change them.
  void add_wrap(HaloCalls& calls, const DenseExchange& exchange) const {
    std::optional<LocalCopies> copies;
    if (memory_ != Memory::device && !plan_.as_on_device()) copies = LocalCopies::of(exchange, plan_.wrap());
    if (!copies)
      add_boxes_of_wrap(calls, exchange);
    else if (!copies->empty())
      calls.wrap.push_back(
          {[copies = std::move(*copies)](std::byte* /*buffer*/, Stream& /*stream*/) { copies.run(); }});
  }

  void add_local(std::vector<HaloCall>& calls, const DenseExchange& exchange,
                 const std::vector<HaloPlan::Shift>& shifts) const {
    for (const HaloPlan::Shift& shift : shifts) {
      calls.push_back(
          {[group_of = group_of(exchange, shift.field), group = shift.group, longest = shift.longest,
            memory = memory_, rows = table_of(shift.rows, memory_)](std::byte* buffer, Stream& stream) {
            copy_local_halo(group_of(group), {rows->data(), rows->size(), longest}, buffer, memory, stream);
          }});
    }
  }

  enum class Way { out, in };
  void add_remote(std::vector<HaloCall>& calls, const DenseExchange& exchange,
                  const std::vector<HaloPlan::Vectors>& vectors, Way way) const {
    for (const HaloPlan::Vectors& one : vectors) {
      const auto& all = plan_.targets();
      const std::vector<HaloPlan::Target> targets(
          all.begin() + static_cast<std::ptrdiff_t>(one.first_target),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(one.first_target + most_targets, all.size())));
      calls.push_back({[group_of = group_of(exchange, one.field), group = one.group, memory = memory_,
                        stores = stores_, tag = tag_, way, targets, rows = table_of(one.rows, memory_),
                        of_block = table_of(one.of_block, memory_)](std::byte* buffer, Stream& stream) {
        const RemoteHaloRows table{rows->data(), rows->size(), of_block->data(), of_block->size()};
        const LaneArray array = group_of(group);
        if (way == Way::in) return unpack_vectors(array, table, buffer, memory, stream);
        if (stores == nullptr) return pack_vectors(array, table, buffer, memory, stream);
        MoveTargets there;
        for (std::size_t t = 0; t < targets.size(); ++t) {
          const auto& [peer, of_field, of_group] = targets[t];
          const ExchangedArrays& arrays = stores->published(tag, peer);
          there[t] = arrays.fields[static_cast<std::size_t>(of_field)][static_cast<std::size_t>(of_group)];
        }
        store_vectors(array, table, there, memory, stream);
      }});
    }
  }

  [[nodiscard]] static const std::function<LaneArray(int)>& group_of(const DenseExchange& exchange,
                                                                     int field) {
    return exchange.locations()[static_cast<std::size_t>(field)].group;
  }

  const HaloPlan& plan_;
  const DirectStore* stores_;
  int tag_;
  Memory memory_;
  std::size_t value_bytes_;
};

} // namespace

HaloCalls halo_calls(const Exchange& exchange, const HaloPlan& plan, const DirectStore* stores, int tag) {
  return std::visit([&](const auto& kind) { return Maker(kind, plan, stores, tag).of(kind); }, exchange);
}

} // namespace heddle
