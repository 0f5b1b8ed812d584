// SPDX-License-Identifier: Apache-2.0
#ifndef PRESSURE_PROJECTION_RANKS_HPP
#define PRESSURE_PROJECTION_RANKS_HPP

#include <memory>

#include "heddle/transport.hpp"

namespace pressure_projection {

/// The processes that compute together: those of mpirun where heddle::mpi was built, else this one alone.
class Ranks {
public:
  Ranks(int& count, char**& arguments);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  Ranks(Ranks&&) = delete;
  Ranks& operator=(Ranks&&) = delete;

  [[nodiscard]] heddle::Transport& transport();
  /// Whether this is the one that prints.
  [[nodiscard]] bool first() { return transport().rank() == 0; }

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace pressure_projection

#endif
