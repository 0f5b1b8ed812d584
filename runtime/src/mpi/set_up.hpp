// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_MPI_SET_UP_HPP
#define HEDDLE_SRC_MPI_SET_UP_HPP

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

namespace heddle::mpi {

/// What the ranks of MPI_COMM_WORLD tell each other before they have a transport. MPI's own collectives would
/// wait for a rank that has ended for ever, and could not say for which: these go through rank 0, and throw
/// Error that names the ranks that are missing after `limit`. All ranks call the same, in the same order.
/// what: for people, "whether all can use NCCL".
class SetUp {
public:
  SetUp(std::string what, std::chrono::milliseconds limit);

  /// Whether `mine` holds on all ranks.
  [[nodiscard]] bool all(bool mine) const;
  /// Rank 0's bytes, on all ranks.
  void broadcast(std::span<char> bytes) const;
  /// Sends `bytes` bytes from each rank to the next, round the ring; `to` and `from` may be of any memory
  /// that MPI takes.
  void pass_on(const void* to, void* from, std::size_t bytes) const;

private:
  class Requests;

  std::string what_;
  std::chrono::milliseconds limit_;
  int rank_ = 0;
  int ranks_ = 1;
};

} // namespace heddle::mpi

#endif
