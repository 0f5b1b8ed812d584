// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_LAUNCH_HPP
#define HEDDLE_EMULATION_LAUNCH_HPP

#include "error.hpp"
#include "executor.hpp"
#include "stream.hpp"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// What runs a launch knows no types of kernels: with HEDDLE_EMULATION_START_ELSEWHERE it is linked from
// start.cpp, and files of kernels do not compile it again.
#ifdef HEDDLE_EMULATION_START_ELSEWHERE
#define HEDDLE_EMULATION_START
#else
#define HEDDLE_EMULATION_START inline
#endif

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};

union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  int priority;
};

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

namespace heddle::emulation {

inline constexpr std::size_t largest_dynamic_shared = 227 * 1024; // sm_90

inline std::string& report_text() {
  static thread_local std::string text;
  return text;
}

/// What the last launch of this thread that failed had to say; cudaGetErrorString is not so talkative.
inline const std::string& last_report() {
  return report_text();
}

/// The dynamic shared memory of the running block, dynamicSmemBytes long.
inline std::vector<std::byte>& dynamic_shared_storage() {
  static std::vector<std::byte> storage;
  return storage;
}
template <class T> T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_shared_storage().data());
}

/// The kernel's name in the text "&config, kernel<a, b>, arguments…".
inline std::string kernel_name(const char* text) {
  std::string name;
  int depth = 0;
  int argument = 0;
  for (; *text != '\0' && argument < 2; ++text) {
    const char c = *text;
    depth += c == '(' || c == '[' || c == '{' || c == '<'   ? 1
             : c == ')' || c == ']' || c == '}' || c == '>' ? -1
                                                            : 0;
    if (c == ',' && depth == 0)
      ++argument;
    else if (argument == 1 && !(name.empty() && (c == ' ' || c == '&')))
      name += c;
  }
  return name;
}

/// Checks and runs; turns a fault into what the settings ask for.
HEDDLE_EMULATION_START cudaError_t start(Launch& launch, const cudaLaunchConfig_t& config);

/// One argument. A std::tuple of them takes g++ 12 minutes to compile for a kernel of 67 parameters.
template <std::size_t position, class T> struct Argument {
  T value;
};

template <class Positions, class... Parameters> struct Bound;

template <std::size_t... positions, class... Parameters>
struct Bound<std::index_sequence<positions...>, Parameters...>
    : Argument<positions, std::decay_t<Parameters>>... {
  template <class... Arguments>
  explicit Bound(void (*function)(Parameters...), Arguments&&... arguments)
      : Argument<positions, std::decay_t<Parameters>>{std::forward<Arguments>(arguments)}...,
        kernel(function) {}

  void (*kernel)(Parameters...);

  static void run(const void* self) {
    const auto& bound = *static_cast<const Bound*>(self);
    bound.kernel(static_cast<const Argument<positions, std::decay_t<Parameters>>&>(bound).value...);
  }
};

} // namespace heddle::emulation

template <class... Parameters, class... Arguments>
cudaError_t heddle_emulation_launch(const char* text, const heddle::emulation::Place& place,
                                    const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                    Arguments&&... arguments) {
  using namespace heddle::emulation;
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "the kernel takes another number of arguments");
  Launch launch;
  launch.kernel = kernel_name(text);
  launch.place = place;
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  if (kernel == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  using Call = Bound<std::index_sequence_for<Parameters...>, Parameters...>;
  const Call bound(kernel, std::forward<Arguments>(arguments)...);
  launch.run = &Call::run;
  launch.arguments = &bound;
  return start(launch, *config);
}

// A macro, so that a report can name the kernel as it is written in the launch.
#define cudaLaunchKernelEx(...)                                                                              \
  heddle_emulation_launch(#__VA_ARGS__, ::heddle::emulation::here(), __VA_ARGS__)

#ifndef HEDDLE_EMULATION_START_ELSEWHERE
#include "start.hpp"
#endif

#endif
