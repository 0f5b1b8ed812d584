// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/collective.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"
#include "waiting.hpp"

namespace heddle {

namespace {

/// What goes ahead of a text: its length, which the receiver has to know, and what proves it unharmed.
struct Head {
  std::uint64_t bytes;
  std::uint64_t checksum; // of the text, who sends it and when
  std::uint64_t own;      // of the two above
};

std::uint64_t checksum(const std::string& text, int from, std::int64_t turn) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(from));
  hash.add(static_cast<std::uint64_t>(turn));
  hash.add(reinterpret_cast<const std::byte*>(text.data()), text.size());
  return hash.value();
}

std::uint64_t own_checksum(const Head& head) {
  Hash hash;
  hash.add(head.bytes);
  hash.add(head.checksum);
  return hash.value();
}

} // namespace

Collective::Collective(Transport* transport, std::string name)
    : transport_(transport), name_(std::move(name)) {
  if (transport_ != nullptr) tag_ = transport_->allocate_tag();
}

/// Sends `out`; `in` has texts of the length that will come.
void Collective::transfer(const std::vector<Letter>& out, std::vector<Letter>& in) {
  std::int64_t bytes = 0;
  for (const Letter& letter : out)
    bytes += static_cast<std::int64_t>(letter.text.size());
  for (const Letter& letter : in)
    bytes += static_cast<std::int64_t>(letter.text.size());
  Buffer<std::byte> buffer(bytes, transport_->memory(), Buffer<std::byte>::Contents::undefined);
  std::byte* place = buffer.data();
  std::vector<Message> send;
  std::vector<Message> receive;
  for (const Letter& letter : out) {
    if (letter.text.empty()) continue;
    copy_bytes(place, buffer.memory(), letter.text.data(), Memory::host, letter.text.size());
    send.push_back({letter.peer, place, letter.text.size()});
    place += letter.text.size();
  }
  for (const Letter& letter : in) {
    if (letter.text.empty()) continue;
    receive.push_back({letter.peer, place, letter.text.size()});
    place += letter.text.size();
  }
  const ExchangeRequest request{name_, tag_, turn_++, send, receive};
  const bool in_stream = transport_->capability<StreamWait>() != nullptr;
  Stream stream(in_stream ? Memory::device : Memory::host);
  transport_->start(request, stream);
  transport_->finish(request, stream);
  if (in_stream)
    wait_for(*transport_, request, stream, longest_wait()); // the copies below would wait for ever
  auto message = receive.begin();
  for (Letter& letter : in) {
    if (letter.text.empty()) continue;
    copy_bytes(letter.text.data(), Memory::host, message->data, buffer.memory(), message->bytes);
    ++message;
  }
}

/// Sends `out` and fills in the texts of `in`, whose lengths are not known before.
void Collective::exchange(const std::vector<Letter>& out, std::vector<Letter>& in) {
  const std::int64_t turn = turn_;
  std::vector<Letter> heads_out;
  for (const Letter& letter : out) {
    Head head{letter.text.size(), checksum(letter.text, rank(), turn), 0};
    head.own = own_checksum(head);
    heads_out.push_back({letter.peer, std::string(reinterpret_cast<const char*>(&head), sizeof head)});
  }
  std::vector<Letter> heads_in;
  for (const Letter& letter : in)
    heads_in.push_back({letter.peer, std::string(sizeof(Head), '\0')});
  transfer(heads_out, heads_in);
  const auto fail = [&](int peer) {
    throw Error(name_, "rank " + std::to_string(rank()) + ", turn " + std::to_string(turn) +
                           ": the message from rank " + std::to_string(peer) +
                           " is corrupt or belongs to another operation");
  };
  std::vector<Head> heads(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::memcpy(&heads[i], heads_in[i].text.data(), sizeof(Head));
    if (heads[i].own != own_checksum(heads[i])) fail(in[i].peer);
    in[i].text.assign(heads[i].bytes, '\0');
  }
  transfer(out, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (heads[i].checksum != checksum(in[i].text, in[i].peer, turn)) fail(in[i].peer);
  }
}

std::vector<std::string> Collective::gather(const std::string& mine) {
  if (ranks() == 1) return {mine};
  std::vector<Letter> in;
  if (rank() != 0) {
    exchange({{0, mine}}, in);
    return {};
  }
  for (int peer = 1; peer < ranks(); ++peer)
    in.push_back({peer, {}});
  exchange({}, in);
  std::vector<std::string> all{mine};
  for (Letter& letter : in)
    all.push_back(std::move(letter.text));
  return all;
}

std::string Collective::broadcast(const std::string& text) {
  if (ranks() == 1) return text;
  if (rank() == 0) {
    std::vector<Letter> out;
    for (int peer = 1; peer < ranks(); ++peer)
      out.push_back({peer, text});
    std::vector<Letter> nothing;
    exchange(out, nothing);
    return text;
  }
  std::vector<Letter> in{{0, {}}};
  exchange({}, in);
  return std::move(in.front().text);
}

void Collective::collectively(const std::function<void()>& f) {
  std::string mine; // where, reason and hint; empty when all is well
  try {
    f();
  } catch (const Error& error) {
    mine = error.where() + '\0' + error.reason() + '\0' + error.hint();
  } catch (const std::exception& error) { // no memory
    mine = name_ + '\0' + error.what() + '\0';
  }
  const std::vector<std::string> all = gather(mine);
  std::string first;
  for (std::size_t rank = 0; rank < all.size() && first.empty(); ++rank) {
    first = all[rank];
    if (first.empty() || ranks() == 1) continue;
    first.insert(first.find('\0') + 1, "rank " + std::to_string(rank) + ": ");
  }
  first = broadcast(first);
  if (first.empty()) return;
  const std::size_t reason = first.find('\0') + 1;
  const std::size_t hint = first.find('\0', reason) + 1;
  throw Error(first.substr(0, reason - 1), first.substr(reason, hint - 1 - reason), first.substr(hint));
}

} // namespace heddle
