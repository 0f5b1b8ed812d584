// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_COMPILER_HPP
#define HEDDLE_EMULATION_COMPILER_HPP

// What the emulation must know about its compiler: which sanitizer is on, and how to forbid assumptions about
// a function that changes the stack under the caller's feet.

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_EMULATION_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_EMULATION_ASAN 1
#endif
#endif
#ifndef HEDDLE_EMULATION_ASAN
#define HEDDLE_EMULATION_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_EMULATION_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_EMULATION_TSAN 1
#endif
#endif
#ifndef HEDDLE_EMULATION_TSAN
#define HEDDLE_EMULATION_TSAN 0
#endif

// GCC may look into a callee and keep values in registers that the callee does not seem to touch; clang does
// not.
#if defined(__clang__)
#define HEDDLE_EMULATION_OPAQUE __attribute__((noinline))
#else
#define HEDDLE_EMULATION_OPAQUE __attribute__((noinline, noipa))
#endif

#endif
