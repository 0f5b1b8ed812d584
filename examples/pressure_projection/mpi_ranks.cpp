// SPDX-License-Identifier: Apache-2.0
#include "heddle/mpi/transport.hpp"
#include "ranks.hpp"

namespace pressure_projection {

struct Ranks::Parts {
  heddle::mpi::Session session;
  heddle::TransportChoice choice;
};

Ranks::Ranks(int& count, char**& arguments)
    : parts_(new Parts{.session = heddle::mpi::Session(count, arguments),
                       .choice = heddle::choose_transport({heddle::mpi::offer(), heddle::local_offer()})}) {}

Ranks::~Ranks() = default;

heddle::Transport& Ranks::transport() {
  return *parts_->choice.transport;
}

} // namespace pressure_projection
