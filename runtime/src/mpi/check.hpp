// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_MPI_CHECK_HPP
#define HEDDLE_SRC_MPI_CHECK_HPP

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>

#include "heddle/core/error.hpp"

namespace heddle::mpi {

/// Throws Error with MPI's own words for a status other than success.
inline void check(int status, const std::string& where) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error("MPI", where + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

} // namespace heddle::mpi

#endif
