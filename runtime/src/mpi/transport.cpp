// SPDX-License-Identifier: Apache-2.0
#include "heddle/mpi/transport.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/core/wait_until.hpp"
#include "heddle/mpi/communicator.hpp"
#include "heddle/transport/job.hpp"
#include "heddle/transport/nccl.hpp"
#include "library.hpp"
#include "set_up.hpp"

namespace heddle::mpi {

namespace {

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// What the MPI library says of itself: whether it takes pointers to device memory.
bool says_that_it_takes_device_pointers() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) // Open MPI
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA) // MPICH
  int takes = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) == MPI_SUCCESS && takes != 0;
#else
  return false;
#endif
}

class MpiTransport final : public Transport, public MessageProgress {
public:
  MpiTransport(std::chrono::milliseconds timeout, Memory memory) : timeout_(timeout), memory_(memory) {
    static_cast<void>(SetUp("the start of a transport", timeout).all(true)); // MPI_Comm_dup waits for ever
    duplicate(MPI_COMM_WORLD);
  }
  /// Between the ranks of a host's communicator.
  MpiTransport(MPI_Comm host, std::chrono::milliseconds timeout) : timeout_(timeout), memory_(Memory::host) {
    duplicate(host);
  }
  ~MpiTransport() override { MPI_Comm_free(&communicator_); }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  MpiTransport(MpiTransport&&) = delete;
  MpiTransport& operator=(MpiTransport&&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override {
    return memory_ == Memory::device ? "mpi-device" : "mpi";
  }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] Memory memory() const noexcept override { return memory_; }

  void start(const ExchangeRequest& request, Stream&) override {
    std::vector<MPI_Request>& requests = requests_of(request);
    requests.clear();
    for (const Message& message : request.receive) {
      check(MPI_Irecv(message.data, count(message, request), MPI_BYTE, message.peer, request.tag,
                      communicator_, &requests.emplace_back()),
            request.on(rank_));
    }
    for (const Message& message : request.send) {
      check(MPI_Isend(message.data, count(message, request), MPI_BYTE, message.peer, request.tag,
                      communicator_, &requests.emplace_back()),
            request.on(rank_));
    }
  }

  void finish(const ExchangeRequest& request, Stream&) override {
    std::vector<MPI_Request>& requests = requests_of(request);
    try {
      wait(request, requests);
    } catch (...) {
      // The messages are about to be freed.
      for (MPI_Request& one : requests) {
        if (one == MPI_REQUEST_NULL) continue;
        MPI_Cancel(&one);
        MPI_Request_free(&one);
      }
      throw;
    }
  }

  void progress() override { // any call of MPI moves what is under way
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &found, MPI_STATUS_IGNORE);
  }

private:
  /// Messages of a communicator of its own meet nobody else's.
  void duplicate(MPI_Comm communicator) {
    check(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &ranks_);
  }

  void wait(const ExchangeRequest& request, std::vector<MPI_Request>& requests) const {
    std::vector<bool> done(requests.size(), false);
    std::vector<int> completed(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    std::size_t left = requests.size();
    const bool in_time = wait_until(timeout_, [&] {
      int some = 0;
      const int status = MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &some,
                                      completed.data(), statuses.data());
      for (int i = 0; i < some; ++i) {
        const auto which = static_cast<std::size_t>(completed[static_cast<std::size_t>(i)]);
        verify(request, which, status, statuses[static_cast<std::size_t>(i)]);
        done[which] = true;
        --left;
      }
      if (some <= 0) check(status, request.on(rank_));
      return left == 0;
    });
    if (!in_time) throw late(request, done);
  }

  std::vector<MPI_Request>& requests_of(const ExchangeRequest& request) {
    const std::lock_guard lock(mutex_);
    return requests_[request.tag];
  }

  [[nodiscard]] int count(const Message& message, const ExchangeRequest& request) const {
    if (message.bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw Error("MPI",
                  request.on(rank_) + ": a message of " + std::to_string(message.bytes) +
                      " bytes is too long for MPI",
                  "use more ranks");
    }
    return static_cast<int>(message.bytes);
  }

  /// A message that was received has the length that was expected. status: of MPI_Testsome.
  void verify(const ExchangeRequest& request, std::size_t which, int status, const MPI_Status& result) const {
    if (status == MPI_ERR_IN_STATUS && result.MPI_ERROR != MPI_SUCCESS &&
        result.MPI_ERROR != MPI_ERR_PENDING) {
      const std::size_t receives = request.receive.size();
      const int peer = which < receives ? request.receive[which].peer : request.send[which - receives].peer;
      check(result.MPI_ERROR, request.on(rank_) + ": the message " + (which < receives ? "from" : "to") +
                                  " rank " + std::to_string(peer));
    }
    if (which >= request.receive.size()) return;
    int bytes = 0;
    MPI_Get_count(&result, MPI_BYTE, &bytes);
    const Message& message = request.receive[which];
    if (static_cast<std::size_t>(bytes) != message.bytes) {
      throw Error("MPI", request.on(rank_) + ": the message from rank " + std::to_string(message.peer) +
                             " has " + std::to_string(bytes) + " bytes, not " +
                             std::to_string(message.bytes));
    }
  }

  [[nodiscard]] Error late(const ExchangeRequest& request, const std::vector<bool>& done) const {
    std::vector<Message> from;
    std::vector<Message> to;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i]) continue;
      const bool receives = i < request.receive.size();
      (receives ? from : to)
          .push_back(receives ? request.receive[i] : request.send[i - request.receive.size()]);
    }
    std::string text = request.on(rank_) + ": waited " + std::to_string(timeout_.count()) + " ms";
    if (!from.empty()) text += " for what comes from " + heddle::to_string(from);
    if (!to.empty())
      text += std::string(from.empty() ? "" : " and") + " to be rid of what goes to " + heddle::to_string(to);
    return {"MPI", text, timeout_hint};
  }

  std::chrono::milliseconds timeout_;
  Memory memory_;
  int ranks_ = 1;
  int rank_ = 0;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::mutex mutex_;                                 // guards the map, not what is in it
  std::map<int, std::vector<MPI_Request>> requests_; // of each tag: receives, then sends
};

/// What heddle::abort_job() does while MPI runs.
void end_all_ranks(const std::string& why) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "rank %d of %d ends the job: %s\n", rank, world_size(), why.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

/// While this lives: ends the process when longest_wait() is over. MPI's start waits for ever for a process
/// of the job that ended before it, or that is another program.
class StartLimit {
public:
  StartLimit() : guard_([limit = limit()](const std::stop_token& stop) { watch(limit, stop); }) {}

private:
  static std::chrono::milliseconds limit() {
    try {
      return longest_wait();
    } catch (const Error&) {
      return std::chrono::minutes(5); // what is wrong with HEDDLE_TIMEOUT is said when MPI has started
    }
  }
  static void watch(std::chrono::milliseconds limit, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, limit, [] { return false; });
    if (stop.stop_requested()) return;
    std::fprintf(stderr,
                 "MPI: its start waited %lld ms for the other processes of this job. Hint: start the same "
                 "program with the same arguments on all ranks; HEDDLE_TIMEOUT=<seconds> waits longer\n",
                 static_cast<long long>(limit.count()));
    std::_Exit(1);
  }

  std::jthread guard_;
};

} // namespace

Session::Session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) throw Error("mpi::Session", "MPI is already initialised");
  const StartLimit in_time;
  int level = 0;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  if (level < MPI_THREAD_MULTIPLE)
    throw Error("mpi::Session", "this MPI does not support calls from several threads");
  set_job_abort(end_all_ranks);
}

Session::~Session() {
  if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 1);
  set_job_abort(nullptr);
  MPI_Finalize();
}

std::unique_ptr<Transport> transport(MPI_Comm communicator, std::chrono::milliseconds timeout) {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started == 0 || ended != 0) {
    throw Error("mpi::transport", started == 0 ? "MPI is not initialised" : "MPI has been finalised",
                "call it between MPI_Init and MPI_Finalize, and let the transport go before the latter");
  }
  if (communicator == MPI_COMM_NULL)
    throw Error("mpi::transport", "this rank is not in the communicator (MPI_COMM_NULL)",
                "only ranks of the communicator have a transport");
  int between = 0;
  check(MPI_Comm_test_inter(communicator, &between), "MPI_Comm_test_inter");
  if (between != 0)
    throw Error("mpi::transport", "this is an intercommunicator", "merge it with MPI_Intercomm_merge");
  return std::make_unique<MpiTransport>(communicator, timeout);
}

TransportCandidate candidate(std::chrono::milliseconds timeout) {
  const int ranks = world_size();
  const std::string there = "MPI_COMM_WORLD has " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
  return {"mpi", ranks > 1, there + "; " + library() + ", messages through host memory",
          [timeout] { return std::make_unique<MpiTransport>(timeout, Memory::host); }};
}

std::string device_pointers_refused() {
  if (world_size() == 1) return "MPI_COMM_WORLD has 1 rank";
  if (!says_that_it_takes_device_pointers()) return library() + " says that it takes no device pointers";
  if (!built_with_cuda()) return "this heddle::runtime was built without CUDA";
  if (device_count() == 0) return "there is no device";
  return {};
}

bool memory_goes_around(Memory memory, std::chrono::milliseconds limit) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int ranks = world_size();
  const SetUp set_up(std::string(to_string(memory)) + " memory sent around all ranks", limit);
  bool unharmed = true;
  // A page, and as much as takes the way of long messages, which is another one in every MPI (between
  // devices, or through pinned buffers in pieces).
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{4} << 20}) {
    std::vector<unsigned char> pattern(bytes);
    const auto fill = [&](int from) {
      for (std::size_t i = 0; i < bytes; ++i)
        pattern[i] = static_cast<unsigned char>(31 * static_cast<std::size_t>(from) + 7 * i + i / 256);
    };
    fill(rank);
    const Buffer<unsigned char> sent(std::span<const unsigned char>(pattern), memory);
    Buffer<unsigned char> arrived(static_cast<std::int64_t>(bytes), memory);
    set_up.pass_on(sent.data(), arrived.data(), bytes);
    fill((rank + ranks - 1) % ranks);
    unharmed = unharmed && arrived.to_host() == pattern;
  }
  return unharmed;
}

TransportCandidate device_candidate(std::chrono::milliseconds timeout, const DevicePointers& pointers) {
  TransportCandidate candidate{"mpi-device", false, pointers.refused(),
                               [timeout] { return std::make_unique<MpiTransport>(timeout, Memory::device); }};
  if (world_size() == 1) return candidate;
  const SetUp set_up("whether MPI takes device pointers", timeout);
  if (!set_up.all(candidate.reason.empty())) { // the ranks decide together
    if (candidate.reason.empty()) candidate.reason = "another rank cannot";
    return candidate;
  }
  candidate.fits = set_up.all(pointers.go_around(timeout));
  candidate.reason =
      candidate.fits ? "MPI takes device pointers, and 4 KiB and 4 MiB of device memory went around all ranks"
                     : "MPI says that it takes device pointers, but device memory did not arrive unharmed";
  return candidate;
}

TransportCandidate nccl_candidate(std::chrono::milliseconds timeout) {
  TransportCandidate candidate{"nccl", false, nccl_missing()};
  const int ranks = world_size();
  const SetUp set_up("whether all can use NCCL", timeout);
  static_cast<void>(set_up.all(true)); // MPI's own collectives wait for ever
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int neighbours = 1;
  int place = 0;
  MPI_Comm_size(node, &neighbours);
  MPI_Comm_rank(node, &place);
  MPI_Comm_free(&node);
  if (ranks == 1) candidate.reason = "MPI_COMM_WORLD has 1 rank";
  if (candidate.reason.empty() && device_count() < neighbours) {
    candidate.reason = std::to_string(neighbours) +
                       " ranks of this node would need a device each, there are " +
                       std::to_string(device_count());
  }
  candidate.fits = set_up.all(candidate.reason.empty());
  if (!candidate.fits) {
    if (candidate.reason.empty()) candidate.reason = "another rank cannot";
    return candidate;
  }
  candidate.reason = nccl_version() + ", each rank has a device";
  candidate.make = [ranks, place, timeout] {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    NcclId id = rank == 0 ? nccl_id() : NcclId{};
    const SetUp start("the start of NCCL's communicator", timeout);
    start.broadcast(id.bytes);
    static_cast<void>(start.all(true)); // NCCL waits for ranks, too, and cannot say for which
    const DeviceScope device(place);
    return nccl_transport(rank, ranks, id);
  };
  return candidate;
}

namespace {

// In the order in which all ranks ask.
const RegisteredTransport registered_nccl("nccl", 20, Launcher::mpirun, [](const LaunchRequest& request) {
  return request.memory == Memory::device ? nccl_candidate(longest_wait()) : unavailable_on_hosts("nccl");
});
const RegisteredTransport registered_device("mpi-device", 30, Launcher::mpirun,
                                            [](const LaunchRequest& request) {
                                              return request.memory == Memory::device
                                                         ? device_candidate(longest_wait())
                                                         : unavailable_on_hosts("mpi-device");
                                            });
const RegisteredTransport registered_host("mpi", 40, Launcher::mpirun,
                                          [](const LaunchRequest&) { return candidate(longest_wait()); });

} // namespace

} // namespace heddle::mpi
