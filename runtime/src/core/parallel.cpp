// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/parallel.hpp"

#include <exception>

#include "heddle/core/error.hpp"
#include "threads.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace heddle {

#ifdef _OPENMP

bool with_openmp() noexcept {
  return true;
}

int thread_count() noexcept {
  return omp_get_max_threads();
}

void set_thread_count(int threads) {
  omp_set_num_threads(threads);
}

ThreadLimit::ThreadLimit(int threads) noexcept : before_(omp_get_max_threads()) {
  if (threads != before_) omp_set_num_threads(threads > 1 ? threads : 1);
}
ThreadLimit::~ThreadLimit() {
  if (omp_get_max_threads() != before_) omp_set_num_threads(before_);
}

void parallel_ranges(std::int64_t count, void (*body)(void*, std::int64_t, std::int64_t), void* context) {
  std::exception_ptr failure;
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads();
    const std::int64_t me = omp_get_thread_num();
    const std::int64_t share = count / threads;
    const std::int64_t longer = count % threads; // so many threads get one more
    const std::int64_t first = me * share + (me < longer ? me : longer);
    const std::int64_t last = first + share + (me < longer ? 1 : 0);
    try {
      if (first < last) body(context, first, last);
    } catch (...) {
#pragma omp critical(heddle_parallel_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

#else

bool with_openmp() noexcept {
  return false;
}

int thread_count() noexcept {
  return 1;
}

void set_thread_count(int threads) {
  if (threads == 1) return;
  throw Error("Environment", "this heddle::runtime was built without OpenMP and has one thread",
              "configure with -DHEDDLE_OPENMP=ON and a compiler that supports OpenMP");
}

ThreadLimit::ThreadLimit(int) noexcept : before_(1) {}
ThreadLimit::~ThreadLimit() = default;

void parallel_ranges(std::int64_t count, void (*body)(void*, std::int64_t, std::int64_t), void* context) {
  if (count > 0) body(context, 0, count);
}

#endif

} // namespace heddle
