// SPDX-License-Identifier: Apache-2.0
#include "set_up.hpp"

#include <mpi.h>

#include <utility>
#include <vector>

#include "check.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/core/wait_until.hpp"

namespace heddle::mpi {

namespace {

/// Of no transport: these have communicators of their own. A program's own messages between all ranks need
/// another.
constexpr int tag = 4711;

} // namespace

/// Messages under way, each to or from one rank.
class SetUp::Requests {
public:
  explicit Requests(const SetUp& set_up) : set_up_(&set_up) {}
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  Requests(Requests&&) = delete;
  Requests& operator=(Requests&&) = delete;
  /// What was not waited for: the memory of the messages is about to be freed.
  ~Requests() {
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
  }

  void send(const void* data, std::size_t bytes, int peer) {
    peers_.push_back(peer);
    check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                    &requests_.emplace_back()),
          set_up_->what_);
  }
  void receive(void* data, std::size_t bytes, int peer) {
    peers_.push_back(peer);
    check(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                    &requests_.emplace_back()),
          set_up_->what_);
  }

  void wait() {
    const bool in_time = wait_until(set_up_->limit_, [&] {
      int done = 0;
      check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
            set_up_->what_);
      return done != 0;
    });
    if (!in_time) throw late();
  }

private:
  /// MPI_Testall frees all requests or none, so each is asked for itself.
  [[nodiscard]] Error late() {
    std::string missing;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      int done = 0;
      MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
      if (done == 0) missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(peers_[i]);
    }
    return {"MPI",
            "rank " + std::to_string(set_up_->rank_) + ", " + set_up_->what_ + ": waited " +
                std::to_string(set_up_->limit_.count()) + " ms for " + missing,
            timeout_hint};
  }

  const SetUp* set_up_;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
};

SetUp::SetUp(std::string what, std::chrono::milliseconds limit) : what_(std::move(what)), limit_(limit) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

bool SetUp::all(bool mine) const {
  char verdict = mine ? 1 : 0;
  if (rank_ != 0) {
    Requests said(*this);
    said.send(&verdict, 1, 0);
    said.wait();
  } else {
    std::vector<char> others(static_cast<std::size_t>(ranks_ - 1));
    Requests heard(*this);
    for (int peer = 1; peer < ranks_; ++peer)
      heard.receive(&others[static_cast<std::size_t>(peer - 1)], 1, peer);
    heard.wait();
    for (const char other : others)
      verdict = verdict != 0 && other != 0 ? 1 : 0;
  }
  broadcast({&verdict, 1});
  return verdict != 0;
}

void SetUp::broadcast(std::span<char> bytes) const {
  Requests requests(*this);
  if (rank_ != 0) requests.receive(bytes.data(), bytes.size(), 0);
  for (int peer = 1; rank_ == 0 && peer < ranks_; ++peer)
    requests.send(bytes.data(), bytes.size(), peer);
  requests.wait();
}

void SetUp::pass_on(const void* to, void* from, std::size_t bytes) const {
  Requests requests(*this);
  requests.receive(from, bytes, (rank_ + ranks_ - 1) % ranks_);
  requests.send(to, bytes, (rank_ + 1) % ranks_);
  requests.wait();
}

} // namespace heddle::mpi
