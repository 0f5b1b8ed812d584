// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include "heddle/core/error.hpp"

namespace heddle::geometry {

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::error_code status;
  if (!std::filesystem::exists(path, status))
    throw Error("file '" + path.string() + "'", "it does not exist",
                "check the name and the working directory");
  if (std::filesystem::is_directory(path, status))
    throw Error("file '" + path.string() + "'", "it is a folder", "name a file in it");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    const std::string reason = std::generic_category().message(errno);
    throw Error("file '" + path.string() + "'", "it cannot be opened: " + reason, "check its permissions");
  }
  const std::streamoff size = file.tellg();
  std::vector<std::uint8_t> bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw Error("file '" + path.string() + "'", "it cannot be read to its end", "copy it again");
  return bytes;
}

} // namespace heddle::geometry
