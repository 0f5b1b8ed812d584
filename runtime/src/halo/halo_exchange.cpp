// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/halo_exchange.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "batched_pack.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/cuda.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"
#include "message_stamp.hpp"

namespace heddle {

namespace {

/// A message in device memory, on the host.
std::vector<std::byte> copied(const Message& message) {
  std::vector<std::byte> bytes(message.bytes);
  copy_bytes(bytes.data(), Memory::host, message.data, Memory::device, message.bytes);
  return bytes;
}

} // namespace

HaloExchange::HaloExchange(Exchange exchange) : HaloExchange(std::move(exchange), nullptr, {}) {}

HaloExchange::HaloExchange(Exchange exchange, Transport& transport, HaloOptions options)
    : HaloExchange(std::move(exchange), &transport, options) {}

HaloExchange::HaloExchange(Exchange exchange, Transport* transport, HaloOptions options)
    : exchange_(std::move(exchange)), transport_(transport), options_(options), plan_(exchange_) {
  if (transport_ != nullptr) tag_ = transport_->allocate_tag();
  if (exchange_.empty()) return;
  check();
  const bool device = exchange_.memory() == Memory::device;
  if (!plan_.send().empty() || !plan_.receive().empty()) {
    direct_ = transport_->capability<DirectStore>();
    stores_ = direct_ != nullptr && direct_->stores();
    staged_ = device && transport_->memory() != Memory::device;
  }
  // Where a message is work in a stream it is not stamped: it cannot belong to another step, and to look at
  // it would wait.
  options_.stamped = options_.stamped && (!device || staged_ || !transport_->only_enqueues());
  wire_ = Buffer<std::byte>(static_cast<std::int64_t>(plan_.bytes()), exchange_.memory());
  if (staged_) staging_ = Buffer<std::byte>(wire_.size(), Memory::pinned);
  send_ = messages(plan_.send());
  receive_ = messages(plan_.receive());
  if (exchange_.list() != nullptr)
    add_list_calls();
  else
    add_box_calls();
  if (talks()) transport_->expect(traffic());
}

void HaloExchange::add_box_calls() {
  packs_.front() =
      packs_for(exchange_.packs_together() ? places_of(exchange_) : std::vector<Exchange::Place>());
  vector_pack_ = move_calls(plan_.sent_vectors());
  if (stores_)
    publish_arrays();
  else
    vector_unpack_ = move_calls(plan_.received_vectors());
  add_shifts(shifts_, plan_.borders().shifts);
  add_shifts(wrap_shifts_, plan_.wrap().shifts);
}

HaloExchange::Packs HaloExchange::packs_for(std::vector<Exchange::Place> places) const {
  Packs packs;
  packs.places = std::move(places);
  std::vector<const HaloPlan::Tables*> packed{&plan_.borders().pack};
  std::vector<const HaloPlan::Tables*> unpacked{&plan_.borders().unpack};
  for (std::size_t segment = 0; segment < plan_.send().size(); ++segment) {
    if (stores_)
      add_calls(packs.pack, exchange_.bind_pack, {&plan_.pack()[segment]}, segment);
    else
      packed.push_back(&plan_.pack()[segment]);
  }
  for (const HaloPlan::Tables& tables : plan_.unpack())
    unpacked.push_back(&tables);
  add_calls(packs.pack, exchange_.bind_pack, packed);
  add_calls(packs.unpack, exchange_.bind_unpack, unpacked);
  add_calls(packs.wrap_pack, exchange_.bind_pack, {&plan_.wrap().pack});
  add_calls(packs.wrap_unpack, exchange_.bind_unpack, {&plan_.wrap().unpack});
  return packs;
}

/// For where the fields lie now: those that have swapped their memory have blocks at other distances.
const HaloExchange::Packs& HaloExchange::packs() {
  if (packs_[now_].places.empty()) return packs_[now_];
  std::vector<Exchange::Place> places = places_of(exchange_);
  const auto known = std::ranges::find(packs_, places, &Packs::places);
  const auto number = static_cast<std::size_t>(known - packs_.begin());
  if (known == packs_.end()) packs_.push_back(packs_for(std::move(places)));
  now_ = number;
  return packs_[now_];
}

/// One call for all messages, or for each that is written straight into the memory of another rank.
void HaloExchange::add_list_calls() {
  const std::size_t sent = plan_.send().size();
  const std::size_t received = plan_.receive().size();
  if (stores_) {
    for (std::size_t segment = 0; segment < sent; ++segment) {
      list_pack_.push_back(list_call(plan_.send(), plan_.sent(), segment, segment + 1));
      list_pack_.back().begin = 0;
      list_pack_.back().segment = segment;
    }
  } else if (sent != 0) {
    list_pack_.push_back(list_call(plan_.send(), plan_.sent(), 0, sent));
  }
  if (received != 0) list_unpack_.push_back(list_call(plan_.receive(), plan_.received(), 0, received));
}

/// The elements of messages first <= segment < last, and entries of no field between them.
HaloExchange::ListCall HaloExchange::list_call(const std::vector<HaloPlan::Segment>& segments,
                                               const std::vector<HaloPlan::Elements>& elements,
                                               std::size_t first, std::size_t last) const {
  const std::size_t begin = segments[first].begin;
  std::vector<std::uint8_t> fields;
  std::vector<std::uint32_t> numbers;
  for (std::size_t segment = first; segment < last; ++segment) {
    const std::size_t place = (segments[segment].begin - begin) / exchange_.value_bytes();
    fields.resize(place, WireElements::none);
    numbers.resize(place, 0);
    const HaloPlan::Elements& part = elements[segment];
    fields.insert(fields.end(), part.fields.begin(), part.fields.end());
    numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
  }
  return {Buffer<std::uint8_t>(std::span<const std::uint8_t>(fields), exchange_.memory()),
          Buffer<std::uint32_t>(std::span<const std::uint32_t>(numbers), exchange_.memory()), begin, none};
}

void HaloExchange::check() const {
  const int ranks = transport_ != nullptr ? transport_->ranks() : 1;
  const int rank = transport_ != nullptr ? transport_->rank() : 0;
  if (exchange_.grid()->ranks() != ranks || exchange_.rank() != rank) {
    throw Error(exchange_.name(),
                "its fields are those of rank " + std::to_string(exchange_.rank()) + " of " +
                    std::to_string(exchange_.grid()->ranks()) + ", but this is rank " + std::to_string(rank) +
                    " of " + std::to_string(ranks),
                "BlockGrid(..., transport.ranks()), {.rank = transport.rank()}");
  }
}

/// Calls for the blocks that have rows in one of the tables: one for all where they are bound.
void HaloExchange::add_calls(std::vector<Call>& calls, const Exchange::Bind& bind,
                             const std::vector<const HaloPlan::Tables*>& tables, std::size_t segment) const {
  std::vector<HaloPlan::Table> merged(tables.front()->size());
  std::vector<Exchange::BlockBoxes> bound;
  BatchedPack together(exchange_);
  for (std::size_t block = 0; block < merged.size(); ++block) {
    std::vector<std::int32_t>& rows = merged[block].rows;
    std::int64_t& longest = merged[block].longest;
    for (const HaloPlan::Tables* one : tables) {
      const HaloPlan::Table& table = (*one)[block];
      rows.insert(rows.end(), table.rows.begin(), table.rows.end());
      longest = std::max(longest, table.longest);
    }
    if (rows.empty()) continue;
    if (segment != none) { // places count from the begin of the message there
      const auto begin = static_cast<std::int32_t>(plan_.send()[segment].begin / exchange_.value_bytes());
      for (std::size_t row = WireBoxes::columns - 1; row < rows.size(); row += WireBoxes::columns)
        rows[row] -= begin;
    }
    const int number = static_cast<int>(block);
    if (bind) {
      const auto count = static_cast<std::int64_t>(rows.size()) / WireBoxes::columns;
      bound.push_back({number, {rows.data(), count, longest}});
    } else {
      together.add(number, std::move(merged[block]));
    }
  }
  for (const auto& [block, table] : together.calls()) {
    calls.push_back({block,
                     table.longest,
                     Buffer<std::int32_t>(std::span<const std::int32_t>(table.rows), exchange_.memory()),
                     segment,
                     {}});
  }
  if (!bound.empty()) calls.push_back({0, 0, {}, segment, bind(bound)});
}

void HaloExchange::add_shifts(std::vector<ShiftCall>& calls,
                              const std::vector<HaloPlan::Shift>& shifts) const {
  for (const HaloPlan::Shift& shift : shifts) {
    calls.push_back({static_cast<std::size_t>(shift.field), shift.group, shift.longest,
                     Buffer<LocalHaloRow>(std::span<const LocalHaloRow>(shift.rows), exchange_.memory())});
  }
}

void HaloExchange::shift(const std::vector<ShiftCall>& calls, Stream& stream) const {
  for (const ShiftCall& call : calls) {
    copy_local_halo(exchange_.fields()[call.field].group(call.group),
                    {call.rows.data(), call.rows.size(), call.longest}, wire_.data(), exchange_.memory(),
                    stream);
  }
}

std::vector<HaloExchange::MoveCall>
HaloExchange::move_calls(const std::vector<HaloPlan::Vectors>& vectors) const {
  std::vector<MoveCall> calls;
  for (const HaloPlan::Vectors& one : vectors) {
    calls.push_back({static_cast<std::size_t>(one.field), one.group,
                     Buffer<RemoteHaloRow>(std::span<const RemoteHaloRow>(one.rows), exchange_.memory()),
                     Buffer<std::int32_t>(std::span<const std::int32_t>(one.of_block), exchange_.memory()),
                     one.first_target});
  }
  return calls;
}

/// Tells the other ranks of this process where the groups of the fields lie.
void HaloExchange::publish_arrays() {
  const BlockGrid& grid = *exchange_.grid();
  const int blocks = grid.first_block(exchange_.rank() + 1) - grid.first_block(exchange_.rank());
  ExchangedArrays arrays{plan_.hash(), {}};
  for (const Exchange::Side& field : exchange_.fields()) {
    arrays.fields.emplace_back();
    for (int group = 0; field.group && group < blocks / field.interleaved; ++group)
      arrays.fields.back().push_back(field.group(group));
  }
  direct_->publish(tag_, std::move(arrays));
}

/// Throws Error for groups that no longer lie where other ranks store to.
void HaloExchange::check_arrays() const {
  if (!stores_ || plan_.received_vectors().empty()) return;
  const ExchangedArrays& there = direct_->published(tag_, exchange_.rank());
  for (std::size_t field = 0; field < there.fields.size(); ++field) {
    const Exchange::Side& side = exchange_.fields()[field];
    for (std::size_t group = 0; group < there.fields[field].size(); ++group) {
      if (side.group(static_cast<int>(group)).data == there.fields[field][group].data) continue;
      throw Error(exchange_.name(),
                  "field '" + side.name +
                      "' has other memory than when the exchange was made, and other ranks store into that",
                  "a sweep and an exchange for each way between two fields, instead of swapping them");
    }
  }
}

/// The arrays of other ranks that a call stores to.
MoveTargets HaloExchange::targets_of(const MoveCall& call) const {
  MoveTargets targets;
  const std::vector<HaloPlan::Target>& all = plan_.targets();
  for (std::size_t t = 0; t < most_targets && call.first_target + t < all.size(); ++t) {
    const auto& [peer, field, group] = all[call.first_target + t];
    const ExchangedArrays& arrays = direct_->published(tag_, peer);
    targets[t] = arrays.fields[static_cast<std::size_t>(field)][static_cast<std::size_t>(group)];
  }
  return targets;
}

void HaloExchange::send_vectors(Stream& stream) {
  for (const MoveCall& call : vector_pack_) {
    const LaneArray array = exchange_.fields()[call.field].group(call.group);
    if (stores_)
      store_vectors(array, rows_of(call), targets_of(call), exchange_.memory(), stream);
    else
      pack_vectors(array, rows_of(call), wire_.data(), exchange_.memory(), stream);
  }
}

void HaloExchange::receive_vectors(Stream& stream) {
  for (const MoveCall& call : vector_unpack_) {
    unpack_vectors(exchange_.fields()[call.field].group(call.group), rows_of(call), wire_.data(),
                   exchange_.memory(), stream);
  }
}

RemoteHaloRows HaloExchange::rows_of(const MoveCall& call) {
  return {call.rows.data(), call.rows.size(), call.of_block.data(), call.of_block.size()};
}

std::vector<Message> HaloExchange::messages(const std::vector<HaloPlan::Segment>& segments) {
  const std::size_t head = options_.stamped ? HaloPlan::stamp_bytes : 0;
  std::byte* const wire = staged_ ? staging_.data() : wire_.data();
  std::vector<Message> result;
  for (const HaloPlan::Segment& segment : segments)
    result.push_back({segment.peer, wire + segment.begin - head, segment.bytes + head});
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
  if (exchange_.empty()) return Memory::device; // puts nothing anywhere, and holds up no recording
  return !talks() || transport_->only_enqueues() ? exchange_.memory() : Memory::host;
}

ExchangeRequest HaloExchange::traffic() const noexcept {
  return {exchange_.name(), tag_, step_, send_, receive_};
}

void HaloExchange::pack(const std::vector<Call>& calls, Stream& stream) {
  for (const Call& call : calls) {
    if (call.bound) {
      call.bound(wire_of(call.segment), stream);
      continue;
    }
    exchange_.pack(call.block, {call.rows.data(), call.rows.size() / WireBoxes::columns, call.longest},
                   wire_of(call.segment), stream);
  }
}

/// Where a message is packed: in another rank's memory, or on the own wire.
std::byte* HaloExchange::wire_of(std::size_t segment) {
  if (segment == none) return wire_.data();
  return direct_->place(tag_, send_[segment].peer) + (options_.stamped ? HaloPlan::stamp_bytes : 0);
}

void HaloExchange::unpack(const std::vector<Call>& calls, Stream& stream) {
  for (const Call& call : calls) {
    if (call.bound) {
      call.bound(wire_.data(), stream);
      continue;
    }
    exchange_.unpack(call.block, {call.rows.data(), call.rows.size() / WireBoxes::columns, call.longest},
                     wire_.data(), stream);
  }
}

bool HaloExchange::on_device() const noexcept {
  return exchange_.memory() == Memory::device && !staged_;
}

void HaloExchange::stamp_all() const {
  if (!options_.stamped) return;
  for (Message message : send_) {
    if (stores_) message.data = direct_->place(tag_, message.peer);
    if (!on_device()) {
      stamp(message, transport_->rank(), plan_.hash(), step_);
      continue;
    }
    std::vector<std::byte> copy = copied(message);
    stamp({message.peer, copy.data(), copy.size()}, transport_->rank(), plan_.hash(), step_);
    copy_bytes(message.data, Memory::device, copy.data(), Memory::host, HaloPlan::stamp_bytes);
  }
}

void HaloExchange::verify_all() const {
  if (!options_.stamped) return;
  for (const Message& message : receive_) {
    std::vector<std::byte> copy = on_device() ? copied(message) : std::vector<std::byte>();
    const Message here = on_device() ? Message{message.peer, copy.data(), copy.size()} : message;
    const std::string wrong = fault(here, transport_->rank(), plan_.hash(), step_);
    if (!wrong.empty()) throw Error("HaloExchange", traffic().on(transport_->rank()) + ": " + wrong);
  }
}

void HaloExchange::start(Stream& stream) {
  check_arrays();
  send_vectors(stream);
  pack(packs().pack, stream);
  for (const ListCall& call : list_pack_) {
    exchange_.list_pack({call.fields.data(), call.numbers.data(), call.numbers.size()},
                        wire_of(call.segment) + call.begin, stream);
  }
  if (!talks()) return;
  if (staged_) { // sent when the copy has arrived, see finish
    const std::size_t begin = plan_.send().empty() ? 0 : plan_.send().front().begin;
    const std::size_t end = plan_.send().empty() ? 0 : plan_.send().back().begin + plan_.send().back().bytes;
    cuda::copy_later(staging_.data() + begin, wire_.data() + begin, end - begin, stream.native());
    return;
  }
  if (!transport_->only_enqueues()) stream.synchronise();
  stamp_all();
  transport_->start(traffic(), stream);
}

void HaloExchange::wrap(Stream& stream) {
  const Packs& here = packs();
  pack(here.wrap_pack, stream);
  unpack(here.wrap_unpack, stream);
  shift(wrap_shifts_, stream);
}

void HaloExchange::finish(Stream& stream) {
  if (talks()) {
    if (staged_) {
      stream.synchronise();
      stamp_all();
      transport_->start(traffic(), stream);
    }
    transport_->finish(traffic(), stream);
    verify_all();
    if (staged_ && !plan_.receive().empty()) {
      const std::size_t begin = plan_.receive().front().begin;
      const std::size_t bytes = plan_.receive().back().begin + plan_.receive().back().bytes - begin;
      cuda::copy_later(wire_.data() + begin, staging_.data() + begin, bytes, stream.native());
      stream.synchronise(); // the next messages may arrive there
    }
  }
  receive_vectors(stream);
  unpack(packs().unpack, stream);
  for (const ListCall& call : list_unpack_) {
    exchange_.list_unpack({call.fields.data(), call.numbers.data(), call.numbers.size()},
                          wire_.data() + call.begin, stream);
  }
  shift(shifts_, stream); // writes whole vectors, so after what has come into lanes of them
  ++step_;
}

void HaloExchange::operator()(Stream& stream) {
  if (direct_ != nullptr) {
    throw Error(exchange_.name(),
                "ranks of one process write to each other's memory: all have to start before one "
                "finishes",
                "add the exchanges of all ranks to one TaskGraph");
  }
  start(stream);
  wrap(stream);
  finish(stream);
}

HaloSteps HaloExchange::steps() {
  HaloSteps steps;
  if (exchange_.empty()) return steps;
  steps.grid = exchange_.grid();
  steps.rank = exchange_.rank();
  steps.depth = plan_.depth();
  steps.border = plan_.border_axes();
  steps.toward_owners = exchange_.direction() == Direction::ghost_to_owner;
  steps.messages = talks();
  steps.apart = direct_ != nullptr;
  steps.memory = memory();
  steps.fields = accesses();
  steps.start = [this](Stream& stream) { start(stream); };
  if (!packs_[now_].wrap_pack.empty() || !wrap_shifts_.empty())
    steps.wrap = [this](Stream& stream) { wrap(stream); };
  steps.finish = [this](Stream& stream) { finish(stream); };
  if (auto* const moves = talks() ? transport_->capability<MessageProgress>() : nullptr) {
    steps.progress = [moves] { moves->progress(); };
    steps.network = transport_;
  }
  if (auto* const waits = talks() ? transport_->capability<StreamWait>() : nullptr) {
    steps.waits_for = [this] {
      return "rank " + std::to_string(transport_->rank()) + ", '" + std::string(name()) +
             "': " + to_string(receive_);
    };
    steps.abort = [waits] { waits->abort(); };
  }
  if (direct_ != nullptr) {
    for (const Message& message : send_)
      steps.filled.push_back(direct_->mailbox(tag_, steps.rank, message.peer));
    for (const Message& message : receive_)
      steps.emptied.push_back(direct_->mailbox(tag_, message.peer, steps.rank));
    if (stores_ && !plan_.received_vectors().empty()) steps.opened = steps.emptied;
  }
  return steps;
}

std::size_t HaloExchange::sent_bytes() const noexcept {
  std::size_t sum = 0;
  for (const HaloPlan::Segment& segment : plan_.send())
    sum += segment.bytes;
  return sum;
}

} // namespace heddle
