// SPDX-License-Identifier: Apache-2.0
#include "message_stamp.hpp"

#include <cstring>

#include "heddle/core/hash.hpp"
#include "heddle/halo/halo_plan.hpp"

namespace heddle {

static_assert(sizeof(MessageStamp) == HaloPlan::stamp_bytes);

namespace {

std::uint64_t checksum(const MessageStamp& stamp, const std::byte* bytes) {
  Hash hash;
  hash.add(stamp.mark);
  hash.add(stamp.plan);
  hash.add(static_cast<std::uint64_t>(stamp.step));
  hash.add(static_cast<std::uint64_t>(stamp.from) << 32U | static_cast<std::uint32_t>(stamp.to));
  hash.add(bytes, static_cast<std::size_t>(stamp.bytes));
  return hash.value();
}

} // namespace

void stamp(const Message& message, int from, std::uint64_t plan, std::int64_t step) {
  MessageStamp stamp{.plan = plan,
                     .step = step,
                     .bytes = message.bytes - sizeof(MessageStamp),
                     .from = from,
                     .to = message.peer};
  stamp.checksum = checksum(stamp, message.data + sizeof stamp);
  std::memcpy(message.data, &stamp, sizeof stamp);
}

std::string fault(const Message& message, int to, std::uint64_t plan, std::int64_t step) {
  MessageStamp found;
  std::memcpy(&found, message.data, sizeof found);
  const std::string came = "the message from rank " + std::to_string(message.peer) + " ";
  if (found.mark != MessageStamp::word) return came + "has no stamp";
  if (found.bytes != message.bytes - sizeof found) {
    return came + "says that it has " + std::to_string(found.bytes) + " bytes, not " +
           std::to_string(message.bytes - sizeof found);
  }
  if (found.checksum != checksum(found, message.data + sizeof found)) return came + "was changed on its way";
  if (found.from != message.peer || found.to != to) {
    return came + "went from rank " + std::to_string(found.from) + " to rank " + std::to_string(found.to);
  }
  if (found.plan != plan) return came + "belongs to another exchange, or its fields are cut in another way";
  if (found.step != step) return came + "belongs to step " + std::to_string(found.step);
  return {};
}

} // namespace heddle
