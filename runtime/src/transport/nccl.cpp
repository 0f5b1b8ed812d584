// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/nccl.hpp"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <latch>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/ranks.hpp"
#include "waiting.hpp"

namespace heddle {

namespace {

// The part of NCCL's interface that is used (NVIDIA NCCL documentation, API 2.x): results and types are
// enums, streams and communicators are pointers.
using Comm = void*;
constexpr int success = 0;
constexpr int bytes_type = 1; // ncclUint8

struct Library {
  std::string missing;
  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(NcclId*) = nullptr;
  int (*comm_init_rank)(Comm*, int, NcclId, int) = nullptr;
  int (*comm_destroy)(Comm) = nullptr;
  int (*comm_abort)(Comm) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int, int, Comm, void*) = nullptr;
  int (*receive)(void*, std::size_t, int, int, Comm, void*) = nullptr;
  const char* (*error_string)(int) = nullptr;

  Library() {
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    void* const handle =
        dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL); // stays open: NCCL has threads of its own
    if (handle == nullptr) {
      missing = dlerror();
      return;
    }
    find(handle, get_version, "ncclGetVersion");
    find(handle, get_unique_id, "ncclGetUniqueId");
    find(handle, comm_init_rank, "ncclCommInitRank");
    find(handle, comm_destroy, "ncclCommDestroy");
    find(handle, comm_abort, "ncclCommAbort");
    find(handle, group_start, "ncclGroupStart");
    find(handle, group_end, "ncclGroupEnd");
    find(handle, send, "ncclSend");
    find(handle, receive, "ncclRecv");
    find(handle, error_string, "ncclGetErrorString");
  }

  template <class Function> void find(void* handle, Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = std::string("libnccl.so.2 has no ") + name;
  }
};

const Library& library() {
  static const Library one;
  return one;
}

const Library& required() {
  if (!library().missing.empty()) {
    throw Error("NCCL", library().missing,
                "install NVIDIA's package libnccl2, or add its folder to LD_LIBRARY_PATH");
  }
  return library();
}

void check(int result, const std::string& where) {
  if (result != success)
    throw Error("NCCL", where + ": " + library().error_string(result), "set NCCL_DEBUG=INFO for details");
}

/// What the ranks of one process, a thread each, have thrown.
class Failures {
public:
  /// Calls f() for a rank, and notes what it throws.
  template <class F> void note_of(int rank, const F& f) {
    try {
      f();
    } catch (const std::exception& error) {
      note("rank " + std::to_string(rank) + " has ended: " + error.what());
    } catch (...) {
      note("rank " + std::to_string(rank) + " has ended");
    }
  }
  [[nodiscard]] bool any() const { return !text().empty(); }
  /// Of the first: "rank 1 has ended: ...", or empty.
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  /// A rank waits for the others no longer.
  void note_abort() noexcept { gave_up_ = true; }
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_; }
  /// Once all have ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

private:
  void note(std::string text) {
    const std::lock_guard lock(mutex_);
    if (first_) return;
    first_ = std::current_exception();
    text_ = std::move(text);
  }

  mutable std::mutex mutex_;
  std::exception_ptr first_;
  std::string text_;
  std::atomic<bool> gave_up_ = false;
};

/// NCCL blocks where it makes and ends a communicator, and where two ranks first talk, until the other ranks
/// do the same. (Its communicators that do not block were worse, see decision 0052.)
class NcclTransport final : public Transport, public StreamWait {
public:
  /// failures: of the other ranks of this process, or null.
  NcclTransport(int rank, int ranks, const NcclId& id, Failures* failures)
      : rank_(rank), ranks_(ranks), failures_(failures), sent_to_(static_cast<std::size_t>(ranks)),
        received_from_(static_cast<std::size_t>(ranks)) {
    const Library& nccl = required();
    const Watchdog limit = limit_of("the start");
    check(nccl.comm_init_rank(&communicator_, ranks, id, rank), "rank " + std::to_string(rank));
  }
  ~NcclTransport() override {
    if (communicator_ == nullptr && !abort_.joinable()) return;
    const Watchdog limit = limit_of("the end");
    if (abort_.joinable())
      abort_.join();
    else if (failures_ != nullptr && failures_->gave_up())
      static_cast<void>(library().comm_abort(communicator_)); // the ranks of a node end alike
    else
      static_cast<void>(library().comm_destroy(communicator_));
  }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;
  NcclTransport(NcclTransport&&) = delete;
  NcclTransport& operator=(NcclTransport&&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override { return "nccl"; }
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int ranks() const noexcept override { return ranks_; }
  [[nodiscard]] Memory memory() const noexcept override { return Memory::device; }
  [[nodiscard]] bool only_enqueues() const noexcept override { return true; }
  /// What NCCL runs in streams ends at once; the call itself may wait for the other ranks of the node, which
  /// might not end before this one has said why it did.
  void abort() noexcept override {
    if (communicator_ == nullptr) return;
    if (failures_ != nullptr) failures_->note_abort();
    const auto abort = [communicator = communicator_] {
      static_cast<void>(library().comm_abort(communicator));
    };
    try {
      abort_ = std::jthread(abort);
    } catch (const std::system_error&) { // there is no thread to be had
      abort();
    }
    communicator_ = nullptr;
  }

  /// Exchanges once: NCCL allocates when two ranks first talk, which a capture does not allow.
  void expect(const ExchangeRequest& request) override {
    Stream stream(Memory::device);
    start(request, stream);
    wait_for(*this, request, stream, longest_wait());
  }

  void start(const ExchangeRequest& request, Stream& stream) override {
    if (communicator_ == nullptr) throw Error("NCCL", request.on(rank_) + ": it gave up waiting earlier");
    const Library& nccl = library();
    std::optional<Watchdog> limit;
    const bool first_to = note_new(sent_to_, request.send);
    const bool first_from = note_new(received_from_, request.receive);
    if (first_to || first_from) limit.emplace(limit_of(request));
    check(nccl.group_start(), request.on(rank_));
    int result = success;
    for (const Message& message : request.send) {
      if (result == success)
        result =
            nccl.send(message.data, message.bytes, bytes_type, message.peer, communicator_, stream.native());
    }
    for (const Message& message : request.receive) {
      if (result == success)
        result = nccl.receive(message.data, message.bytes, bytes_type, message.peer, communicator_,
                              stream.native());
    }
    const int ended = nccl.group_end(); // in any case
    check(result, request.on(rank_));
    check(ended, request.on(rank_));
  }
  void finish(const ExchangeRequest&, Stream&) override {} // what follows in the stream comes after

private:
  [[nodiscard]] Watchdog limit_of(const char* what) const {
    const std::chrono::milliseconds limit = longest_wait();
    return {
        limit, [this, what, limit] {
          return Error(
              "NCCL",
              "rank " + std::to_string(rank_) + ", " + what + " of a communicator: waited " +
                  std::to_string(limit.count()) + " ms for ranks 0 to " + std::to_string(ranks_ - 1) +
                  ", some of which are missing" + others(),
              "a rank stopped, is busy, or has not made the same transports; HEDDLE_TIMEOUT=<seconds> waits "
              "longer");
        }};
  }
  [[nodiscard]] Watchdog limit_of(const ExchangeRequest& request) const {
    const std::chrono::milliseconds limit = longest_wait();
    return {limit, [this, request, limit] {
              const Error error = late(*this, request, limit);
              return Error(error.where(), error.reason() + others(), error.hint());
            }};
  }
  [[nodiscard]] std::string others() const {
    return failures_ != nullptr && failures_->any() ? "; " + failures_->text() : std::string();
  }

  /// Whether there is a rank among these that this one has not talked to before.
  static bool note_new(std::vector<bool>& known, std::span<const Message> messages) {
    bool any = false;
    for (const Message& message : messages) {
      const auto peer = static_cast<std::size_t>(message.peer);
      any = any || !known[peer];
      known[peer] = true;
    }
    return any;
  }

  int rank_;
  int ranks_;
  Failures* failures_;
  std::vector<bool> sent_to_; // ranks
  std::vector<bool> received_from_;
  Comm communicator_ = nullptr;
  std::jthread abort_; // of the communicator, once this has given up
};

} // namespace

std::string nccl_missing() {
  if (!built_with_cuda()) return "this heddle::runtime was built without CUDA";
  return library().missing;
}

std::string nccl_version() {
  int number = 0; // 22809 is 2.28.9
  check(required().get_version(&number), "ncclGetVersion");
  return "NCCL " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

NcclId nccl_id() {
  NcclId id;
  check(required().get_unique_id(&id), "ncclGetUniqueId");
  return id;
}

std::unique_ptr<Transport> nccl_transport(int rank, int ranks, const NcclId& id) {
  return std::make_unique<NcclTransport>(rank, ranks, id, nullptr);
}

void nccl_run(int ranks, const std::function<void(Transport&)>& program) {
  if (device_count() < ranks) {
    throw Error("NCCL", std::to_string(ranks) + " ranks need one device each, but the number of devices is " +
                            std::to_string(device_count()));
  }
  const NcclId id = nccl_id();
  Failures failures;
  std::latch with_device(ranks); // none waits in NCCL for one that has got no device
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::optional<DeviceScope> device;
      failures.note_of(rank, [&] { device.emplace(rank); });
      with_device.arrive_and_wait();
      if (failures.any()) return;
      failures.note_of(rank, [&] {
        NcclTransport transport(rank, ranks, id, &failures);
        failures.note_of(rank,
                         [&] { program(transport); }); // before the end of the transport, which may wait
      });
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  failures.rethrow();
}

extern "C" const RegisteredTransport heddle_transport_nccl;
const RegisteredTransport heddle_transport_nccl("nccl", 20, Launcher::none, [](const LaunchRequest& request) {
  const int ranks = request.ranks;
  if (request.memory == Memory::host) return unavailable_on_hosts("nccl");
  if (ranks == 1) return unavailable_to_one("nccl");
  TransportCandidate candidate{"nccl", false, nccl_missing()};
  if (candidate.reason.empty() && device_count() < ranks)
    candidate.reason = std::to_string(ranks) + " ranks need one device each, but the number of devices is " +
                       std::to_string(device_count());
  if (!candidate.reason.empty()) return candidate;
  candidate.fits = true;
  candidate.reason = nccl_version() + ", a thread for each device";
  candidate.run = [ranks](const Body& body) {
    return run_on_threads(body, [&](const auto& program) { nccl_run(ranks, program); });
  };
  return candidate;
});

} // namespace heddle
