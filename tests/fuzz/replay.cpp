// SPDX-License-Identifier: Apache-2.0
// replay HARNESS FOLDER: every file of a corpus through its harness, and its beginnings. A file whose name
// begins with "whole" must be read; those that fuzzing found may be refused.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reader.hpp"

namespace {

constexpr std::size_t beginnings = 24;

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: replay HARNESS FOLDER\n");
    return 2;
  }
  fuzz::choose(argv[1]);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2]))
    files.push_back(entry.path());
  std::ranges::sort(files);
  int wrong = 0;
  int whole = 0;
  for (const std::filesystem::path& file : files) {
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout); // the last one that was begun is the culprit
    const std::vector<std::uint8_t> bytes = bytes_of(file);
    const bool must_be_read = file.filename().string().starts_with("whole");
    const bool was_read = fuzz::read(bytes);
    if (must_be_read) ++whole;
    if (must_be_read && !was_read) {
      std::printf("  was refused\n");
      ++wrong;
    }
    for (std::size_t part = 0; part < beginnings; ++part)
      (void)fuzz::read(fuzz::Bytes(bytes).first(bytes.size() * part / beginnings));
  }
  std::printf("%zu files, %d of them whole, %d wrongly refused\n", files.size(), whole, wrong);
  return wrong == 0 && whole > 0 ? 0 : 1;
}
