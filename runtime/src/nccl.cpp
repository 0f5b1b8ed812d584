// SPDX-License-Identifier: Apache-2.0
#include "heddle/nccl.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "heddle/device_scope.hpp"
#include "heddle/error.hpp"
#include "stream_wait.hpp"

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
    throw Error("NCCL", library().missing, "NVIDIA's package libnccl2, or its folder in LD_LIBRARY_PATH");
  }
  return library();
}

void check(int result, const std::string& where) {
  if (result != success)
    throw Error("NCCL", where + ": " + library().error_string(result), "NCCL_DEBUG=INFO says more");
}

class NcclTransport final : public Transport {
public:
  NcclTransport(int rank, int ranks, const NcclId& id) : rank_(rank), ranks_(ranks) {
    check(required().comm_init_rank(&communicator_, ranks, id, rank), "rank " + std::to_string(rank));
  }
  ~NcclTransport() override {
    if (communicator_ != nullptr) static_cast<void>(library().comm_destroy(communicator_));
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
  [[nodiscard]] bool waits_in_stream() const noexcept override { return true; }
  void give_up() noexcept override {
    if (communicator_ != nullptr) static_cast<void>(library().comm_abort(communicator_));
    communicator_ = nullptr;
  }

  /// Exchanges once: NCCL allocates when two ranks first talk, which a capture does not allow.
  void expect(const Traffic& traffic) override {
    Stream stream(Memory::device);
    start(traffic, stream);
    wait_for(*this, traffic, stream, longest_wait());
  }

  void start(const Traffic& traffic, Stream& stream) override {
    if (communicator_ == nullptr) throw Error("NCCL", traffic.on(rank_) + ": it gave up waiting before");
    const Library& nccl = library();
    check(nccl.group_start(), traffic.on(rank_));
    int result = success;
    for (const Message& message : traffic.send) {
      if (result == success)
        result =
            nccl.send(message.data, message.bytes, bytes_type, message.peer, communicator_, stream.native());
    }
    for (const Message& message : traffic.receive) {
      if (result == success)
        result = nccl.receive(message.data, message.bytes, bytes_type, message.peer, communicator_,
                              stream.native());
    }
    const int ended = nccl.group_end(); // in any case
    check(result, traffic.on(rank_));
    check(ended, traffic.on(rank_));
  }
  void finish(const Traffic&, Stream&) override {} // what follows in the stream comes after

private:
  int rank_;
  int ranks_;
  Comm communicator_ = nullptr;
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
  return std::make_unique<NcclTransport>(rank, ranks, id);
}

void nccl_run(int ranks, const std::function<void(Transport&)>& program) {
  if (device_count() < ranks) {
    throw Error("NCCL", std::to_string(ranks) + " ranks need a device each, there are " +
                            std::to_string(device_count()));
  }
  const NcclId id = nccl_id();
  std::mutex mutex;
  std::exception_ptr failure; // guarded by the mutex
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const DeviceScope device(rank);
        const std::unique_ptr<Transport> transport = nccl_transport(rank, ranks, id);
        program(*transport);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  if (failure) std::rethrow_exception(failure);
}

} // namespace heddle
