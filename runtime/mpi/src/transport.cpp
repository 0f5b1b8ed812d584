// SPDX-License-Identifier: Apache-2.0
#include "heddle/mpi/transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "heddle/error.hpp"

namespace heddle::mpi {

namespace {

/// Throws Error with MPI's own words for a status other than success.
void check(int status, const std::string& where) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error("MPI", where + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

class HostTransport final : public Transport {
public:
  explicit HostTransport(std::chrono::milliseconds timeout) : timeout_(timeout), ranks_(world_size()) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
  }
  ~HostTransport() override { MPI_Comm_free(&communicator_); }
  HostTransport(const HostTransport&) = delete;
  HostTransport& operator=(const HostTransport&) = delete;
  HostTransport(HostTransport&&) = delete;
  HostTransport& operator=(HostTransport&&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override { return "mpi"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::host; }

  void start(const Traffic& traffic, Stream&) override {
    std::vector<MPI_Request>& requests = requests_of(traffic);
    requests.clear();
    for (const Message& message : traffic.receive) {
      check(MPI_Irecv(message.data, count(message, traffic), MPI_BYTE, message.peer, traffic.tag,
                      communicator_, &requests.emplace_back()),
            traffic.on(rank_));
    }
    for (const Message& message : traffic.send) {
      check(MPI_Isend(message.data, count(message, traffic), MPI_BYTE, message.peer, traffic.tag,
                      communicator_, &requests.emplace_back()),
            traffic.on(rank_));
    }
  }

  void finish(const Traffic& traffic, Stream&) override {
    std::vector<MPI_Request>& requests = requests_of(traffic);
    try {
      wait(traffic, requests);
    } catch (...) {
      // The messages are about to be freed.
      for (MPI_Request& request : requests) {
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
      throw;
    }
  }

  [[nodiscard]] bool needs_progress() const noexcept override { return true; }
  void progress() override { // any call of MPI moves what is under way
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &found, MPI_STATUS_IGNORE);
  }

private:
  void wait(const Traffic& traffic, std::vector<MPI_Request>& requests) const {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    std::vector<bool> done(requests.size(), false);
    std::vector<int> completed(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    for (std::size_t left = requests.size(); left > 0;) {
      int some = 0;
      const int status = MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &some,
                                      completed.data(), statuses.data());
      for (int i = 0; i < some; ++i) {
        const auto which = static_cast<std::size_t>(completed[static_cast<std::size_t>(i)]);
        verify(traffic, which, status, statuses[static_cast<std::size_t>(i)]);
        done[which] = true;
        --left;
      }
      if (some > 0) continue;
      check(status, traffic.on(rank_));
      if (std::chrono::steady_clock::now() > deadline) throw late(traffic, done);
      std::this_thread::yield(); // there may be more ranks than processors
    }
  }

  std::vector<MPI_Request>& requests_of(const Traffic& traffic) {
    const std::lock_guard lock(mutex_);
    return requests_[traffic.tag];
  }

  [[nodiscard]] int count(const Message& message, const Traffic& traffic) const {
    if (message.bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error(
          "MPI", traffic.on(rank_) + ": a message of " + std::to_string(message.bytes) + " bytes is too long",
          "use more ranks");
    }
    return static_cast<int>(message.bytes);
  }

  /// A message that was received has the length that was expected. status: of MPI_Testsome.
  void verify(const Traffic& traffic, std::size_t which, int status, const MPI_Status& result) const {
    if (status == MPI_ERR_IN_STATUS && result.MPI_ERROR != MPI_SUCCESS &&
        result.MPI_ERROR != MPI_ERR_PENDING) {
      const std::size_t receives = traffic.receive.size();
      const int peer = which < receives ? traffic.receive[which].peer : traffic.send[which - receives].peer;
      check(result.MPI_ERROR, traffic.on(rank_) + ": the message " + (which < receives ? "from" : "to") +
                                  " rank " + std::to_string(peer));
    }
    if (which >= traffic.receive.size()) return;
    int bytes = 0;
    MPI_Get_count(&result, MPI_BYTE, &bytes);
    const Message& message = traffic.receive[which];
    if (static_cast<std::size_t>(bytes) != message.bytes) {
      throw Error("MPI", traffic.on(rank_) + ": the message from rank " + std::to_string(message.peer) +
                             " has " + std::to_string(bytes) + " bytes, not " +
                             std::to_string(message.bytes));
    }
  }

  [[nodiscard]] Error late(const Traffic& traffic, const std::vector<bool>& done) const {
    std::vector<Message> from;
    std::vector<Message> to;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i]) continue;
      const bool receives = i < traffic.receive.size();
      (receives ? from : to)
          .push_back(receives ? traffic.receive[i] : traffic.send[i - traffic.receive.size()]);
    }
    std::string text = traffic.on(rank_) + ": waited " + std::to_string(timeout_.count()) + " ms";
    if (!from.empty()) text += " for what comes from " + heddle::to_string(from);
    if (!to.empty())
      text += std::string(from.empty() ? "" : " and") + " to be rid of what goes to " + heddle::to_string(to);
    return {"MPI", text, "a rank stopped, or runs another program"};
  }

  std::chrono::milliseconds timeout_;
  int ranks_;
  int rank_ = 0;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::mutex mutex_;                                 // guards the map, not what is in it
  std::map<int, std::vector<MPI_Request>> requests_; // of each tag: receives, then sends
};

} // namespace

Session::Session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) throw Error("mpi::Session", "MPI has been started already");
  int level = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  if (level < MPI_THREAD_MULTIPLE)
    throw Error("mpi::Session", "this MPI cannot be called from several threads");
}

Session::~Session() {
  if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

TransportOffer offer(std::chrono::milliseconds timeout) {
  const int ranks = world_size();
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  std::string library(version.data(), static_cast<std::size_t>(length));
  library = library.substr(0, library.find_first_of(",\n"));
  const std::string there = "MPI_COMM_WORLD has " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  return {"mpi", ranks > 1, there + "; " + library + ", messages in host memory",
          [timeout] { return std::make_unique<HostTransport>(timeout); }};
}

} // namespace heddle::mpi
