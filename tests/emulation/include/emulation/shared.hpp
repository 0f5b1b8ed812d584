// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_SHARED_HPP
#define HEDDLE_EMULATION_SHARED_HPP

#include "compiler.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

// Shared memory begins a block with arbitrary content. So that nobody relies on zeros, or on what the last
// block left there, it is filled with ones (NaN, -1) before each block.

namespace heddle::emulation {

struct Range {
  void* begin;
  std::size_t bytes;
};

/// Adds the sections named heddle_shared_* of one loaded program or library.
inline int add_shared_sections(dl_phdr_info* info, std::size_t, void* result) {
  const std::string path = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](auto& value, std::uint64_t offset) {
    file.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(&value), static_cast<std::streamsize>(sizeof value)));
  };
  ElfW(Ehdr) header;
  if (!read(header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  ElfW(Shdr) names;
  if (!read(names, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof names)) return 0;
  std::vector<char> text(names.sh_size + 1, '\0');
  file.seekg(static_cast<std::streamoff>(names.sh_offset));
  if (!file.read(text.data(), static_cast<std::streamsize>(names.sh_size))) return 0;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    ElfW(Shdr) section;
    if (!read(section, header.e_shoff + i * sizeof section) || section.sh_name >= names.sh_size) return 0;
    if ((section.sh_flags & SHF_ALLOC) != 0 &&
        std::strncmp(&text[section.sh_name], "heddle_shared_", 14) == 0)
      static_cast<std::vector<Range>*>(result)->push_back(
          {reinterpret_cast<void*>(info->dlpi_addr + section.sh_addr), section.sh_size});
  }
  return 0;
}

/// The static shared memory of the whole process, as of the first launch.
inline const std::vector<Range>& shared_sections() {
  static const std::vector<Range> sections = [] {
    std::vector<Range> found;
    if (HEDDLE_EMULATION_ASAN == 0) dl_iterate_phdr(&add_shared_sections, &found);
    return found;
  }();
  return sections;
}

inline void poison_shared() {
  for (const Range& range : shared_sections())
    std::memset(range.begin, 0xff, range.bytes);
}

} // namespace heddle::emulation

#endif
