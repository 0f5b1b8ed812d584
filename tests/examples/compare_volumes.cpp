// SPDX-License-Identifier: Apache-2.0
// compare_volumes FOLDER FOLDER STEM...: whether the image data of two runs (STEM.vti, or the pieces
// STEM_0.vti, STEM_1.vti, ... of several ranks) hold the same bits at the same cells. Reads what
// heddle::Output writes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// The array of a volume: the bytes of each cell, x fastest.
struct Array {
  std::size_t cell_bytes = 0;
  std::string values;
};

struct Piece {
  std::array<std::int64_t, 6> extent{}; // first and last point along x, y, z
  std::map<std::string, Array> arrays;

  [[nodiscard]] std::int64_t cells(std::size_t axis) const { return extent[2 * axis + 1] - extent[2 * axis]; }
};

std::string attribute(const std::string& tag, const std::string& name) {
  const std::string begin = " " + name + "=\"";
  const std::size_t at = tag.find(begin);
  if (at == tag.npos) throw std::runtime_error("no " + name + " in " + tag);
  const std::size_t first = at + begin.size();
  return tag.substr(first, tag.find('"', first) - first);
}

Piece read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no file " + path.string());
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t raw = bytes.find("encoding=\"raw\"");
  if (raw == bytes.npos) throw std::runtime_error(path.string() + " has no raw data");
  const std::string head = bytes.substr(0, raw);
  const std::size_t data = bytes.find('_', raw) + 1;
  Piece piece;
  std::istringstream extent(attribute(head.substr(head.find("<Piece")), "Extent"));
  for (std::int64_t& point : piece.extent)
    extent >> point;
  const auto volume = static_cast<std::size_t>(piece.cells(0) * piece.cells(1) * piece.cells(2));
  for (std::size_t at = head.find("<DataArray"); at != head.npos; at = head.find("<DataArray", at + 1)) {
    const std::string tag = head.substr(at, head.find('>', at) - at);
    std::uint64_t size = 0;
    const std::size_t place = data + std::stoull(attribute(tag, "offset"));
    std::memcpy(&size, bytes.data() + place, sizeof size);
    piece.arrays[attribute(tag, "Name")] = {size / volume, bytes.substr(place + sizeof size, size)};
  }
  return piece;
}

/// All pieces put together; throws where they do not cover a box, each cell once.
Piece whole(const fs::path& folder, const std::string& stem) {
  std::vector<Piece> pieces;
  if (fs::exists(folder / (stem + ".vti"))) return read(folder / (stem + ".vti"));
  for (int n = 0; fs::exists(folder / (stem + "_" + std::to_string(n) + ".vti")); ++n)
    pieces.push_back(read(folder / (stem + "_" + std::to_string(n) + ".vti")));
  if (pieces.empty()) throw std::runtime_error("no " + stem + " in " + folder.string());
  Piece all;
  std::int64_t cells = 0;
  for (const Piece& piece : pieces) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      all.extent[2 * axis + 1] = std::max(all.extent[2 * axis + 1], piece.extent[2 * axis + 1]);
    cells += piece.cells(0) * piece.cells(1) * piece.cells(2);
  }
  const std::int64_t volume = all.cells(0) * all.cells(1) * all.cells(2);
  if (cells != volume) throw std::runtime_error("the pieces of " + stem + " do not cover the domain");
  for (const Piece& piece : pieces) {
    for (const auto& [name, part] : piece.arrays) {
      Array& array = all.arrays[name];
      array.cell_bytes = part.cell_bytes;
      array.values.resize(static_cast<std::size_t>(volume) * part.cell_bytes);
      const std::size_t row = static_cast<std::size_t>(piece.cells(0)) * part.cell_bytes;
      const char* from = part.values.data();
      for (std::int64_t z = piece.extent[4]; z < piece.extent[5]; ++z) {
        for (std::int64_t y = piece.extent[2]; y < piece.extent[3]; ++y, from += row) {
          const std::int64_t cell = piece.extent[0] + all.cells(0) * (y + all.cells(1) * z);
          std::memcpy(array.values.data() + static_cast<std::size_t>(cell) * part.cell_bytes, from, row);
        }
      }
    }
  }
  return all;
}

/// "other bits in 12 of 1000 cells, the first at (3, 0, 1), the last at (3, 9, 1)".
std::string difference(const Piece& whole, const Array& one, const Array& other) {
  if (other.cell_bytes != one.cell_bytes || other.values.size() != one.values.size())
    return "of another size";
  const auto cells = static_cast<std::int64_t>(one.values.size() / one.cell_bytes);
  std::int64_t differ = 0;
  std::array<std::int64_t, 2> ends{};
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::size_t at = static_cast<std::size_t>(cell) * one.cell_bytes;
    if (std::memcmp(one.values.data() + at, other.values.data() + at, one.cell_bytes) == 0) continue;
    if (differ++ == 0) ends[0] = cell;
    ends[1] = cell;
  }
  if (differ == 0) return "the same bits";
  const auto place = [&](std::int64_t cell) {
    const std::int64_t row = cell / whole.cells(0);
    return "(" + std::to_string(cell % whole.cells(0)) + ", " + std::to_string(row % whole.cells(1)) + ", " +
           std::to_string(row / whole.cells(1)) + ")";
  };
  return "other bits in " + std::to_string(differ) + " of " + std::to_string(cells) +
         " cells, the first at " + place(ends[0]) + ", the last at " + place(ends[1]);
}

bool same(const fs::path& a, const fs::path& b, const std::string& stem) {
  const Piece first = whole(a, stem);
  const Piece second = whole(b, stem);
  bool good = first.extent == second.extent && first.arrays.size() == second.arrays.size();
  for (const auto& [name, array] : first.arrays) {
    const auto other = second.arrays.find(name);
    const bool there = other != second.arrays.end();
    const bool equal = there && other->second.values == array.values;
    std::printf("%s, %s: %zu bytes, %s\n", stem.c_str(), name.c_str(), array.values.size(),
                there ? difference(first, array, other->second).c_str() : "missing in the other");
    good = good && equal && !array.values.empty();
  }
  return good && !first.arrays.empty();
}

} // namespace

int main(int count, char** arguments) {
  try {
    bool good = count > 3;
    for (int i = 3; i < count; ++i)
      good = same(arguments[1], arguments[2], arguments[i]) && good;
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare_volumes: %s\n", error.what());
    return 2;
  }
}
