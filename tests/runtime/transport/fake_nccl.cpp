// SPDX-License-Identifier: Apache-2.0
// A libnccl.so.2 for hosts without devices: sends nothing, and the call that HEDDLE_FAKE_NCCL names takes
// five seconds, where those of NCCL would wait for a rank for ever.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

struct Id {
  std::array<char, 128> bytes;
};

char communicator;

int answer(std::string_view call) {
  const char* const blocked = std::getenv("HEDDLE_FAKE_NCCL");
  if (blocked != nullptr && call == blocked) std::this_thread::sleep_for(std::chrono::seconds(5));
  return 0;
}

} // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = 10000;
  return 0;
}
int ncclGetUniqueId(Id* id) {
  std::memset(id, 0, sizeof(Id));
  return 0;
}
int ncclCommInitRank(void** comm, int, Id, int) {
  *comm = &communicator;
  return answer("ncclCommInitRank");
}
int ncclCommDestroy(void*) {
  return answer("ncclCommDestroy");
}
int ncclCommAbort(void*) {
  return answer("ncclCommAbort");
}
int ncclGroupStart() {
  return 0;
}
int ncclGroupEnd() {
  return answer("ncclGroupEnd");
}
int ncclSend(const void*, std::size_t, int, int, void*, void*) {
  return 0;
}
int ncclRecv(void*, std::size_t, int, int, void*, void*) {
  return 0;
}
const char* ncclGetErrorString(int) {
  return "no error";
}
}
