// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

namespace pressure_projection {

struct Ranks::Parts {
  heddle::LocalTransport transport;
};

Ranks::Ranks(int&, char**&) : parts_(new Parts) {}

Ranks::~Ranks() = default;

heddle::Transport& Ranks::transport() {
  return parts_->transport;
}

} // namespace pressure_projection
