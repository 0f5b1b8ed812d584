// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_INTRINSICS_HPP
#define HEDDLE_EMULATION_INTRINSICS_HPP

#include "executor.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Barriers, warp collectives, fences, cached loads and stores, bit casts.

namespace heddle::emulation {

inline std::uint64_t warp_call(WarpOperation operation, Lanes mask, std::uint64_t value, unsigned source,
                               const Place& place) {
  Executor& running = executor(place);
  if ((mask >> lane_number() & 1u) == 0u)
    throw running.fault(Fault::Kind::bad_argument, place,
                        "a lane calls a warp collective whose mask does not name it");
  return running.warp({operation, mask, value, source, place});
}

inline void check_width(int width, const Place& place) {
  if (width < 1 || width > warpSize || (width & (width - 1)) != 0)
    throw executor(place).fault(
        Fault::Kind::bad_argument, place,
        join("the width of a shuffle is a power of two up to ", warpSize, ", not ", width));
}

template <class T> T shuffle(Lanes mask, T value, unsigned source, const Place& place) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "a shuffle moves a number of at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = warp_call(WarpOperation::shuffle, mask, bits, source, place);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value of the lane `delta` further on, or the caller's own if that lies beyond its `width` lanes.
template <class T> T shuffle_down(Lanes mask, T value, unsigned delta, int width, const Place& place) {
  check_width(width, place);
  const unsigned within = static_cast<unsigned>(width) - 1u;
  const unsigned lane = lane_number();
  return shuffle(mask, value, delta <= within - (lane & within) ? lane + delta : lane, place);
}

} // namespace heddle::emulation

inline void __syncthreads(heddle::emulation::Place place = heddle::emulation::here()) {
  heddle::emulation::executor(place).barrier(heddle::emulation::BarrierKind::plain, 0, place);
}
inline int __syncthreads_count(int predicate, heddle::emulation::Place place = heddle::emulation::here()) {
  return heddle::emulation::executor(place).barrier(heddle::emulation::BarrierKind::count, predicate, place);
}
inline int __syncthreads_and(int predicate, heddle::emulation::Place place = heddle::emulation::here()) {
  return heddle::emulation::executor(place).barrier(heddle::emulation::BarrierKind::conjunction, predicate,
                                                    place);
}
inline int __syncthreads_or(int predicate, heddle::emulation::Place place = heddle::emulation::here()) {
  return heddle::emulation::executor(place).barrier(heddle::emulation::BarrierKind::disjunction, predicate,
                                                    place);
}

inline void __syncwarp(heddle::emulation::Lanes mask = heddle::emulation::all_lanes,
                       heddle::emulation::Place place = heddle::emulation::here()) {
  heddle::emulation::warp_call(heddle::emulation::WarpOperation::sync, mask, 0u, 0u, place);
}
#if HEDDLE_EMULATION_WAVE == 32 // masks of CUDA have a bit for each of 32 lanes
inline unsigned __ballot_sync(unsigned mask, int predicate,
                              heddle::emulation::Place place = heddle::emulation::here()) {
  return static_cast<unsigned>(heddle::emulation::warp_call(heddle::emulation::WarpOperation::ballot, mask,
                                                            predicate != 0 ? 1u : 0u, 0u, place));
}
inline int __any_sync(unsigned mask, int predicate,
                      heddle::emulation::Place place = heddle::emulation::here()) {
  return static_cast<int>(heddle::emulation::warp_call(heddle::emulation::WarpOperation::any, mask,
                                                       predicate != 0 ? 1u : 0u, 0u, place));
}
inline int __all_sync(unsigned mask, int predicate,
                      heddle::emulation::Place place = heddle::emulation::here()) {
  return static_cast<int>(heddle::emulation::warp_call(heddle::emulation::WarpOperation::all, mask,
                                                       predicate != 0 ? 1u : 0u, 0u, place));
}

// Shuffles (CUDA C++ Programming Guide, "Warp Shuffle Functions"): a source outside the segment of `width`
// lanes means the caller's own value, but an xor may read an earlier segment. A lane that is not there gives
// ones (NaN, -1).
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              heddle::emulation::Place place = heddle::emulation::here()) {
  heddle::emulation::check_width(width, place);
  const unsigned within = static_cast<unsigned>(width) - 1u;
  const unsigned lane = heddle::emulation::lane_number();
  return heddle::emulation::shuffle(mask, value, (lane & ~within) | (static_cast<unsigned>(source) & within),
                                    place);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 heddle::emulation::Place place = heddle::emulation::here()) {
  heddle::emulation::check_width(width, place);
  const unsigned within = static_cast<unsigned>(width) - 1u;
  const unsigned lane = heddle::emulation::lane_number();
  return heddle::emulation::shuffle(mask, value, delta <= (lane & within) ? lane - delta : lane, place);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   heddle::emulation::Place place = heddle::emulation::here()) {
  return heddle::emulation::shuffle_down(mask, value, delta, width, place);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  heddle::emulation::Place place = heddle::emulation::here()) {
  heddle::emulation::check_width(width, place);
  const unsigned within = static_cast<unsigned>(width) - 1u;
  const unsigned lane = heddle::emulation::lane_number();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  return heddle::emulation::shuffle(mask, value, source <= (lane | within) ? source : lane, place);
}
#endif

// A fence orders memory and waits for nobody. A read-modify-write is one, and ThreadSanitizer understands it.
inline void __threadfence() {
  static std::atomic<int> fence{0};
  fence.fetch_add(0, std::memory_order_seq_cst);
}
inline void __threadfence_block() {
  __threadfence();
}
inline void __threadfence_system() {
  __threadfence();
}

[[noreturn]] inline void __trap(heddle::emulation::Place place = heddle::emulation::here()) {
  throw heddle::emulation::executor(place).fault(heddle::emulation::Fault::Kind::trap, place, "__trap");
}

template <class T> T __ldg(const T* address) {
  return *address;
}
template <class T> T __ldcs(const T* address) {
  return *address;
}
template <class T> T __ldcg(const T* address) {
  return *address;
}
template <class T> T __ldca(const T* address) {
  return *address;
}
template <class T> void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T> void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T> void __stwt(T* address, std::type_identity_t<T> value) {
  *address = value;
}

inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<std::int64_t>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) & 0xffffffffu);
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}

#endif
