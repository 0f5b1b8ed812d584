// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/message_round.hpp"

#include "waiting.hpp"

namespace heddle {
namespace {

/// Bytes that a message takes where several follow each other.
std::size_t place_of(const Message& message) {
  constexpr std::size_t alignment = 256;
  return (message.bytes + alignment - 1) / alignment * alignment;
}

std::int64_t bytes_of(std::span<const Message> messages) {
  std::size_t bytes = 0;
  for (const Message& message : messages)
    bytes += place_of(message);
  return static_cast<std::int64_t>(bytes);
}

/// The same messages from `at` on, which becomes what lies behind them.
std::vector<Message> placed(std::span<const Message> messages, std::byte*& at) {
  std::vector<Message> all;
  all.reserve(messages.size());
  for (const Message& message : messages) {
    all.push_back({message.peer, at, message.bytes});
    at += place_of(message);
  }
  return all;
}

} // namespace

void StagedMessages::exchange(Transport& transport, const ExchangeRequest& request, Memory data,
                              Stream& stream) {
  const Memory memory = transport.memory() == Memory::device ? Memory::device : Memory::pinned;
  const std::int64_t bytes = bytes_of(request.send) + bytes_of(request.receive);
  if (copies_.size() < bytes)
    copies_ = Buffer<std::byte>(bytes, memory, Buffer<std::byte>::Contents::undefined);
  if (!own_) own_.emplace(Memory::device); // one of both memories is that of a device
  Stream& copying = data == Memory::device ? stream : *own_;
  std::byte* at = copies_.data();
  ExchangeRequest staged = request;
  const std::vector<Message> send = placed(request.send, at), receive = placed(request.receive, at);
  staged.send = send;
  staged.receive = receive;
  for (std::size_t m = 0; m < send.size(); ++m)
    copy_bytes(send[m].data, memory, request.send[m].data, data, send[m].bytes, copying);
  if (memory != Memory::device) copying.synchronise(); // messages leave from the host
  transport.start(staged, copying);
  transport.finish(staged, copying);
  if (transport.capability<StreamWait>() != nullptr) wait_for(transport, staged, copying, longest_wait());
  for (std::size_t m = 0; m < receive.size(); ++m)
    copy_bytes(request.receive[m].data, data, receive[m].data, memory, receive[m].bytes, copying);
  copying.synchronise();
}

} // namespace heddle
