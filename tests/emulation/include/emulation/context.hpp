// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_CONTEXT_HPP
#define HEDDLE_EMULATION_CONTEXT_HPP

#include "compiler.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

#if !defined(__x86_64__) || defined(HEDDLE_EMULATION_UCONTEXT)
#define HEDDLE_EMULATION_USE_UCONTEXT 1
#include <ucontext.h>
#else
#define HEDDLE_EMULATION_USE_UCONTEXT 0
#endif

#if HEDDLE_EMULATION_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace heddle::emulation {

/// Memory for one stack, with a page below it that faults on overflow. Pages are committed as they are
/// touched.
class Stack {
public:
  static constexpr std::size_t size = 256 * 1024;

  Stack() : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    base_ = mmap(nullptr, guard_ + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(base_, guard_, PROT_NONE);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
#if HEDDLE_EMULATION_ASAN
    __asan_unpoison_memory_region(bottom(), size); // the range may be mapped again for something else
#endif
    munmap(base_, guard_ + size);
  }
  std::byte* bottom() const { return static_cast<std::byte*>(base_) + guard_; }

private:
  std::size_t guard_;
  void* base_;
};

#if !HEDDLE_EMULATION_USE_UCONTEXT
/// Saves the callee's registers of the System V ABI and the stack pointer, and takes up those of another
/// stack. All other registers are the caller's to save; the floating-point modes are the same for all fibers.
__attribute__((naked)) HEDDLE_EMULATION_OPAQUE inline void change_stack(void** /*saved*/, void* /*next*/) {
  __asm__("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
          "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
          "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}
#endif

/// Where a fiber, or the thread that started the fibers, stands.
class Context {
public:
  /// Makes the context start at `entry` on `stack`. `colour` shifts the frames of different fibers to
  /// different cache sets: all stacks are aligned alike.
  void prepare(const Stack& stack, unsigned colour, void (*entry)()) {
    bottom_ = stack.bottom();
    size_ = Stack::size;
    const std::size_t shift = 64u * (colour * 7u % 64u);
#if HEDDLE_EMULATION_ASAN
    __asan_unpoison_memory_region(stack.bottom(), Stack::size);
#endif
#if HEDDLE_EMULATION_USE_UCONTEXT
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack.bottom();
    context_.uc_stack.ss_size = Stack::size - shift;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
#else
    // As if `entry` had been called from nowhere: six registers, its address, and a return address of zero.
    auto* top = reinterpret_cast<std::uintptr_t*>(stack.bottom() + Stack::size - shift) - 8;
    for (int i = 0; i < 6; ++i)
      top[i] = 0;
    top[6] = reinterpret_cast<std::uintptr_t>(entry);
    top[7] = 0;
    pointer_ = top;
#endif
  }

  /// Leaves `from`, runs `to`; returns when somebody changes back to `from`.
  static void change(Context& from, Context& to) {
#if HEDDLE_EMULATION_ASAN
    left_ = &from;
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.size_);
#endif
#if HEDDLE_EMULATION_USE_UCONTEXT
    swapcontext(&from.context_, &to.context_);
#else
    change_stack(&from.pointer_, to.pointer_);
#endif
#if HEDDLE_EMULATION_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack_, &left_->bottom_, &left_->size_);
#endif
  }

  /// To be called first on a new stack.
  static void arrived() {
#if HEDDLE_EMULATION_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &left_->bottom_, &left_->size_);
#endif
  }

private:
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
#if HEDDLE_EMULATION_USE_UCONTEXT
  ucontext_t context_{};
#else
  void* pointer_ = nullptr;
#endif
#if HEDDLE_EMULATION_ASAN
  void* fake_stack_ = nullptr;
  static inline thread_local Context* left_ = nullptr;
#endif
};

} // namespace heddle::emulation

#endif
