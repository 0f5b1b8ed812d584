// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_COLLECTIVE_HPP
#define HEDDLE_TRANSPORT_COLLECTIVE_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// What all ranks do together now and then: words of any length to rank 0, and from it to all. Every message
/// carries its length and a checksum that also covers sender and turn, so that one that was harmed, repeated
/// or belongs to another turn is an Error. One message per rank: made for decisions and checkpoints, not for
/// each step of a large machine.
class Collective {
public:
  /// transport: null for one rank. All ranks construct the same collectives in the same order; it must
  /// outlive this.
  Collective(Transport* transport, std::string name);

  [[nodiscard]] int rank() const noexcept { return transport_ != nullptr ? transport_->rank() : 0; }
  [[nodiscard]] int ranks() const noexcept { return transport_ != nullptr ? transport_->ranks() : 1; }

  /// On rank 0 the words of each rank, in the order of ranks; on other ranks nothing.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine);
  /// The words of rank 0.
  [[nodiscard]] std::string broadcast(const std::string& text);
  /// Calls f on every rank. If it throws on one rank, all ranks throw that Error, which names the rank.
  void collectively(const std::function<void()>& f);

private:
  struct Letter {
    int peer;
    std::string text;
  };
  void exchange(const std::vector<Letter>& out, std::vector<Letter>& in);
  void transfer(const std::vector<Letter>& out, std::vector<Letter>& in);

  Transport* transport_;
  std::string name_;
  int tag_ = 0;
  std::int64_t turn_ = 0;
};

} // namespace heddle

#endif
