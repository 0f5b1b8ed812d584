// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_MPI_LIBRARY_HPP
#define HEDDLE_SRC_MPI_LIBRARY_HPP

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>

namespace heddle::mpi {

/// Which MPI this is: "Open MPI v4.1.4".
inline std::string library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string text(version.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

} // namespace heddle::mpi

#endif
