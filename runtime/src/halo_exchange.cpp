// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo_exchange.hpp"

#include <span>
#include <utility>

#include "heddle/error.hpp"
#include "heddle/lane_shift.hpp"
#include "message_stamp.hpp"

namespace heddle {

HaloExchange::HaloExchange(Exchange exchange) : HaloExchange(std::move(exchange), nullptr, {}) {}

HaloExchange::HaloExchange(Exchange exchange, Transport& transport, HaloOptions options)
    : HaloExchange(std::move(exchange), &transport, options) {}

HaloExchange::HaloExchange(Exchange exchange, Transport* transport, HaloOptions options)
    : exchange_(std::move(exchange)), transport_(transport), options_(options), plan_(exchange_) {
  if (transport_ != nullptr) tag_ = transport_->enlist();
  if (exchange_.crossings().empty()) return;
  const int ranks = transport_ != nullptr ? transport_->ranks() : 1;
  const int rank = transport_ != nullptr ? transport_->rank() : 0;
  if (exchange_.grid()->ranks() != ranks || exchange_.rank() != rank) {
    throw Error(exchange_.name(),
                "its fields are those of rank " + std::to_string(exchange_.rank()) + " of " +
                    std::to_string(exchange_.grid()->ranks()) + ", but this is rank " + std::to_string(rank) +
                    " of " + std::to_string(ranks),
                "BlockGrid(..., transport.ranks()), {.rank = transport.rank()}");
  }
  if (!plan_.send().empty() && transport_->memory() != Memory::device &&
      exchange_.memory() == Memory::device) {
    throw Error(exchange_.name(), "its fields are on the device, but messages of '" +
                                      std::string(transport_->name()) + "' lie on the host");
  }
  const auto rows = [&](const std::vector<HaloPlan::Table>& tables) {
    std::vector<Buffer<std::int32_t>> buffers;
    for (const HaloPlan::Table& table : tables)
      buffers.emplace_back(std::span<const std::int32_t>(table.rows), exchange_.memory());
    return buffers;
  };
  pack_rows_ = rows(plan_.pack());
  unpack_rows_ = rows(plan_.unpack());
  for (const HaloPlan::Shift& shift : plan_.shifts())
    shift_rows_.emplace_back(std::span<const std::int32_t>(shift.table.rows), exchange_.memory());
  wire_ = Buffer<std::byte>(static_cast<std::int64_t>(plan_.bytes()), exchange_.memory());
  send_ = messages(plan_.send());
  receive_ = messages(plan_.receive());
}

std::vector<Message> HaloExchange::messages(const std::vector<HaloPlan::Segment>& segments) {
  const std::size_t head = options_.stamped ? HaloPlan::stamp_bytes : 0;
  std::vector<Message> result;
  for (const HaloPlan::Segment& segment : segments)
    result.push_back({segment.peer, wire_.data() + segment.begin - head, segment.bytes + head});
  return result;
}

std::vector<FieldAccess> HaloExchange::accesses() const {
  std::vector<FieldAccess> result;
  for (const Exchange::Side& field : exchange_.fields()) {
    result.push_back({field.object, field.name, AccessMode::read});
    result.push_back({field.object, field.name, AccessMode::write});
  }
  return result;
}

Memory HaloExchange::memory() const noexcept {
  return send_.empty() && receive_.empty() ? exchange_.memory() : Memory::host;
}

WireBoxes HaloExchange::boxes(const Buffer<std::int32_t>& rows, const HaloPlan::Table& table) const {
  return {rows.data(), rows.size() / WireBoxes::columns, table.longest};
}

Traffic HaloExchange::traffic() const noexcept {
  return {exchange_.name(), tag_, step_, send_, receive_};
}

void HaloExchange::start(Stream& stream) {
  for (std::size_t block = 0; block < pack_rows_.size(); ++block) {
    const WireBoxes packed = boxes(pack_rows_[block], plan_.pack()[block]);
    if (packed.count > 0) exchange_.pack(static_cast<int>(block), packed, wire_.data(), stream);
  }
  if (send_.empty() && receive_.empty()) return;
  stream.synchronise();
  if (options_.stamped) {
    for (const Message& message : send_)
      stamp(message, transport_->rank(), plan_.hash(), step_);
  }
  transport_->start(traffic(), stream);
}

void HaloExchange::finish(Stream& stream) {
  if (!send_.empty() || !receive_.empty()) {
    transport_->finish(traffic(), stream);
    for (const Message& message : receive_) {
      if (!options_.stamped) break;
      const std::string wrong = fault(message, transport_->rank(), plan_.hash(), step_);
      if (!wrong.empty()) throw Error("HaloExchange", traffic().on(transport_->rank()) + ": " + wrong);
    }
  }
  for (std::size_t block = 0; block < unpack_rows_.size(); ++block) {
    const WireBoxes arrived = boxes(unpack_rows_[block], plan_.unpack()[block]);
    if (arrived.count > 0) exchange_.unpack(static_cast<int>(block), arrived, wire_.data(), stream);
  }
  for (std::size_t i = 0; i < shift_rows_.size(); ++i) {
    const HaloPlan::Shift& shift = plan_.shifts()[i];
    const Buffer<std::int32_t>& rows = shift_rows_[i];
    shift_lanes(exchange_.fields()[static_cast<std::size_t>(shift.field)].group(shift.group),
                {rows.data(), rows.size() / LaneShiftRows::columns, shift.table.longest}, exchange_.memory(), stream);
  }
  ++step_;
}

std::size_t HaloExchange::sent_bytes() const noexcept {
  std::size_t sum = 0;
  for (const HaloPlan::Segment& segment : plan_.send())
    sum += segment.bytes;
  return sum;
}

} // namespace heddle
