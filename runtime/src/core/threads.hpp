// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_CORE_THREADS_HPP
#define HEDDLE_SRC_CORE_THREADS_HPP

namespace heddle {

[[nodiscard]] bool with_openmp() noexcept;

/// Throws Error for more than one thread without OpenMP.
void set_thread_count(int threads);

} // namespace heddle

#endif
