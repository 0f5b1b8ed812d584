// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/halo_exchange.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "batched_pack.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"

namespace heddle {

HaloExchange::HaloExchange(Exchange exchange, HaloOptions options)
    : HaloExchange(std::move(exchange), nullptr, options) {}

HaloExchange::HaloExchange(Exchange exchange, Transport& transport, HaloOptions options)
    : HaloExchange(std::move(exchange), &transport, options) {}

HaloExchange::HaloExchange(Exchange exchange, Transport* transport, HaloOptions options)
    : exchange_(std::move(exchange)), transport_(transport), plan_(exchange_, options.as_on_device) {
  const Stamps environment = stamps_of_environment(); // refused in each program alike
  if (transport_ != nullptr) tag_ = transport_->allocate_tag();
  if (empty()) return;
  check();
  const bool device = base().memory() == Memory::device;
  if (!plan_.send().empty() || !plan_.receive().empty()) {
    direct_ = transport_->capability<DirectStore>();
    stores_ = direct_ != nullptr && direct_->stores();
    staged_ = device && transport_->memory() != Memory::device;
  }
  buffer_ = Buffer<std::byte>(static_cast<std::int64_t>(plan_.bytes()), base().memory());
  if (staged_) staging_ = Buffer<std::byte>(buffer_.size(), Memory::pinned);
  send_ = messages(plan_.send());
  receive_ = messages(plan_.receive());
  stamps_ = MessageStamps(options.stamps.value_or(environment), on_device() ? Memory::device : Memory::host,
                          plan_.hash(), transport_ != nullptr ? transport_->rank() : 0,
                          std::max(send_.size(), receive_.size()));
  if (const auto* dense = std::get_if<DenseExchange>(&exchange_); dense && stores_) publish_arrays(*dense);
  calls_.front() = halo_calls(exchange_, plan_, stores_ ? direct_ : nullptr, tag_);
  if (talks()) transport_->expect(request());
}

/// For where the fields lie now: those that have swapped their memory have blocks at other distances.
const HaloCalls& HaloExchange::calls() {
  if (calls_[now_].places.empty()) return calls_[now_];
  const std::vector<DenseExchange::Place> places = places_of(std::get<DenseExchange>(exchange_));
  const auto known = std::ranges::find(calls_, places, &HaloCalls::places);
  now_ = static_cast<std::size_t>(known - calls_.begin());
  if (known == calls_.end())
    calls_.push_back(halo_calls(exchange_, plan_, stores_ ? direct_ : nullptr, tag_));
  return calls_[now_];
}

bool HaloExchange::empty() const {
  return std::visit([](const auto& kind) { return kind.empty(); }, exchange_);
}

void HaloExchange::check() const {
  const int ranks = transport_ != nullptr ? transport_->ranks() : 1;
  const int rank = transport_ != nullptr ? transport_->rank() : 0;
  if (base().grid()->ranks() != ranks || base().rank() != rank) {
    throw Error(base().name(),
                "its fields are those of rank " + std::to_string(base().rank()) + " of " +
                    std::to_string(base().grid()->ranks()) + ", but this is rank " + std::to_string(rank) +
                    " of " + std::to_string(ranks),
                "construct BlockGrid(..., transport.ranks()) and fields with {.rank = transport.rank()}");
  }
}

/// Tells the other ranks of this process where the groups of the fields lie.
void HaloExchange::publish_arrays(const DenseExchange& exchange) {
  const BlockGrid& grid = *exchange.grid();
  const int blocks = grid.first_block(exchange.rank() + 1) - grid.first_block(exchange.rank());
  ExchangedArrays arrays{plan_.hash(), {}};
  for (std::size_t field = 0; field < exchange.fields().size(); ++field) {
    arrays.fields.emplace_back();
    for (int group = 0; group < blocks / exchange.fields()[field].interleaved; ++group)
      arrays.fields.back().push_back(exchange.locations()[field].group(group));
  }
  direct_->publish(tag_, std::move(arrays));
}

/// Throws Error for groups that no longer lie where other ranks store to.
void HaloExchange::check_arrays() const {
  if (!stores_ || plan_.received_vectors().empty()) return;
  const auto& dense = std::get<DenseExchange>(exchange_); // no other exchange has vectors
  const ExchangedArrays& there = direct_->published(tag_, dense.rank());
  for (std::size_t field = 0; field < there.fields.size(); ++field) {
    for (std::size_t group = 0; group < there.fields[field].size(); ++group) {
      if (dense.locations()[field].group(static_cast<int>(group)).data == there.fields[field][group].data)
        continue;
      throw Error(
          dense.name(),
          "field '" + dense.fields()[field].name +
              "' has moved in memory since the exchange was made, but other ranks store to its old address",
          "instead of swapping two fields, make a sweep and an exchange for each direction");
    }
  }
}

std::vector<Message> HaloExchange::messages(const std::vector<HaloPlan::Segment>& segments) {
  constexpr std::size_t head = HaloPlan::stamp_bytes;
  std::byte* const buffer = staged_ ? staging_.data() : buffer_.data();
  std::vector<Message> result;
  result.reserve(segments.size());
  for (const HaloPlan::Segment& segment : segments)
    result.push_back({segment.peer, buffer + segment.begin - head, segment.bytes + head});
  return result;
}

std::vector<FieldAccess> HaloExchange::accesses() const {
  std::vector<FieldAccess> result;
  for (const ExchangedField& field : base().fields()) {
    if (field.left_out) continue;
    result.push_back({field.object, field.name, AccessMode::read});
    result.push_back({field.object, field.name, AccessMode::write});
  }
  return result;
}

Memory HaloExchange::memory() const noexcept {
  if (empty()) return Memory::device; // puts nothing anywhere, and holds up no recording
  return !talks() || transport_->only_enqueues() ? base().memory() : Memory::host;
}

ExchangeRequest HaloExchange::request() const noexcept {
  return {base().name(), tag_, step_, send_, receive_};
}

void HaloExchange::run(const std::vector<HaloCall>& calls, Stream& stream) {
  for (const HaloCall& call : calls)
    call.run(buffer_of(call.segment), stream);
}

/// The own message buffer, or where another rank receives a message.
std::byte* HaloExchange::buffer_of(std::size_t segment) {
  if (segment == HaloCall::own_buffer) return buffer_.data();
  return direct_->place(tag_, send_[segment].peer) + HaloPlan::stamp_bytes;
}

bool HaloExchange::on_device() const noexcept {
  return base().memory() == Memory::device && !staged_;
}

void HaloExchange::stamp_all(Stream& stream) {
  std::vector<Message> sent = send_;
  for (Message& message : sent) {
    if (stores_) message.data = direct_->place(tag_, message.peer);
  }
  stamps_.write(sent, stream);
}

void HaloExchange::verify() const {
  const std::string fault = stamps_.fault();
  if (fault.empty()) return;
  throw Error("HaloExchange",
              "rank " + std::to_string(transport_->rank()) + ", '" + std::string(name()) + "', " + fault);
}

void HaloExchange::start(Stream& stream) {
  check_arrays();
  verify();
  run(calls().start, stream);
  if (!talks()) return;
  if (staged_) { // sent when the copy has arrived, see finish
    const std::size_t begin = plan_.send().empty() ? 0 : plan_.send().front().begin;
    const std::size_t end = plan_.send().empty() ? 0 : plan_.send().back().begin + plan_.send().back().bytes;
    gpu::copy_later(staging_.data() + begin, buffer_.data() + begin, end - begin, stream.native());
    return;
  }
  stamp_all(stream);
  if (!transport_->only_enqueues()) {
    stream.synchronise();
    verify(); // of the step before, if messages are in device memory
  }
  transport_->start(request(), stream);
}

void HaloExchange::wrap(Stream& stream) {
  run(calls().wrap, stream);
}

void HaloExchange::finish(Stream& stream) {
  if (talks()) {
    if (staged_) {
      stream.synchronise();
      stamp_all(stream);
      transport_->start(request(), stream);
    }
    transport_->finish(request(), stream);
    stamps_.check(receive_, stream);
    if (!on_device()) verify();
    if (staged_ && !plan_.receive().empty()) {
      const std::size_t begin = plan_.receive().front().begin;
      const std::size_t bytes = plan_.receive().back().begin + plan_.receive().back().bytes - begin;
      gpu::copy_later(buffer_.data() + begin, staging_.data() + begin, bytes, stream.native());
      stream.synchronise(); // the next messages may arrive there
    }
  }
  run(calls().finish, stream);
  ++step_;
  for (const ExchangedField& field : base().fields()) {
    HaloState* const state = field.object.halo();
    if (state == nullptr || field.left_out) continue;
    base().direction() == Direction::owner_to_ghost ? state->filled(plan_.layers()) : state->returned();
  }
}

void HaloExchange::operator()(Stream& stream) {
  if (direct_ != nullptr) {
    throw Error(base().name(),
                "ranks of one process write to each other's memory, so all must start before one finishes",
                "add the exchanges of all ranks to one TaskGraph");
  }
  start(stream);
  wrap(stream);
  finish(stream);
}

HaloSteps HaloExchange::steps() {
  HaloSteps steps;
  if (empty()) return steps;
  steps.grid = base().grid();
  steps.rank = base().rank();
  steps.depth = plan_.depth();
  steps.layers = plan_.layers();
  steps.border = plan_.border_axes();
  steps.toward_owners = base().direction() == Direction::ghost_to_owner;
  steps.messages = talks();
  steps.apart = direct_ != nullptr;
  steps.memory = memory();
  steps.fields = accesses();
  steps.start = [this](Stream& stream) { start(stream); };
  if (!calls_[now_].wrap.empty()) steps.wrap = [this](Stream& stream) { wrap(stream); };
  steps.finish = [this](Stream& stream) { finish(stream); };
  if (talks() && on_device()) steps.verify = [this] { verify(); };
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
