// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_restore.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle {

namespace {

/// Where the values of a box stand that are stored one after another, x fastest.
class Places {
public:
  /// mask: one bit per cell; null for all cells. Rows are counted in parallel.
  Places(const Box& box, const std::byte* mask) : box_(box), mask_(mask) {
    if (mask_ == nullptr) return;
    const std::int64_t rows = box.extent(1) * box.extent(2);
    row_start_.resize(static_cast<std::size_t>(rows));
    parallel_ranges(rows, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row)
        row_start_[static_cast<std::size_t>(row)] = count(row * box.extent(0), (row + 1) * box.extent(0));
    });
    cells_ = std::accumulate(row_start_.begin(), row_start_.end(), std::int64_t{0});
    std::exclusive_scan(row_start_.begin(), row_start_.end(), row_start_.begin(), std::int64_t{0});
  }

  /// How many cells the mask has.
  [[nodiscard]] std::int64_t cells() const { return cells_; }

  /// Of the cells first <= x < last of a row: their places, -1 where there is none.
  void row(std::int64_t y, std::int64_t z, std::int64_t first, std::int64_t last,
           std::vector<std::int64_t>& places) const {
    const std::int64_t row = y - box_.lower[1] + box_.extent(1) * (z - box_.lower[2]);
    const std::int64_t begin = row * box_.extent(0);
    places.clear();
    const std::int64_t start = begin + first - box_.lower[0];
    std::int64_t next =
        mask_ == nullptr ? start : row_start_[static_cast<std::size_t>(row)] + count(begin, start);
    for (std::int64_t cell = start; cell < start + last - first; ++cell) {
      const bool there = mask_ == nullptr || has(cell);
      places.push_back(there ? next : -1);
      next += there ? 1 : 0;
    }
  }

private:
  /// Set bits first <= cell < last.
  [[nodiscard]] std::int64_t count(std::int64_t first, std::int64_t last) const {
    std::int64_t sum = 0;
    for (; first < last && first % 8 != 0; ++first)
      sum += has(first) ? 1 : 0;
    for (; first + 8 <= last; first += 8)
      sum += std::popcount(static_cast<std::uint8_t>(mask_[first / 8]));
    for (; first < last; ++first)
      sum += has(first) ? 1 : 0;
    return sum;
  }
  [[nodiscard]] bool has(std::int64_t cell) const {
    return (static_cast<unsigned>(mask_[cell / 8]) >> (cell % 8) & 1U) != 0;
  }

  Box box_;
  const std::byte* mask_;
  std::vector<std::int64_t> row_start_;
  std::int64_t cells_ = 0;
};

/// Values that lie one after another at both ends.
struct Run {
  std::int64_t from;
  std::int64_t to;
  std::int64_t count;
};

/// What a block gets from another one, in rows first <= row < last of the cells of both; ends at the first
/// cell that is not there, which `missing` then is.
std::vector<Run> runs_in(const Places& from, const Places& to, const Box& both, std::int64_t first,
                         std::int64_t last, std::optional<std::array<std::int64_t, 3>>& missing) {
  std::vector<Run> runs;
  std::vector<std::int64_t> there;
  std::vector<std::int64_t> here;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t y = both.lower[1] + row % both.extent(1);
    const std::int64_t z = both.lower[2] + row / both.extent(1);
    from.row(y, z, both.lower[0], both.upper[0], there);
    to.row(y, z, both.lower[0], both.upper[0], here);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i] < 0) continue;
      if (there[i] < 0) {
        missing = {both.lower[0] + static_cast<std::int64_t>(i), y, z};
        return runs;
      }
      const bool continues = !runs.empty() && runs.back().from + runs.back().count == there[i] &&
                             runs.back().to + runs.back().count == here[i];
      if (continues) {
        ++runs.back().count;
      } else {
        runs.push_back({there[i], here[i], 1});
      }
    }
  }
  return runs;
}

/// All that a block gets from another one; rows are looked at in parallel.
std::vector<Run> runs_between(const Places& from, const Places& to, const Box& both,
                              const std::string& field) {
  struct Piece {
    std::int64_t first;
    std::vector<Run> runs;
    std::optional<std::array<std::int64_t, 3>> missing;
  };
  std::vector<Piece> pieces;
  std::mutex mutex;
  parallel_ranges(both.extent(1) * both.extent(2), [&](std::int64_t first, std::int64_t last) {
    Piece piece{first, {}, {}};
    piece.runs = runs_in(from, to, both, first, last, piece.missing);
    const std::lock_guard lock(mutex);
    pieces.push_back(std::move(piece));
  });
  std::ranges::sort(pieces, {}, &Piece::first);
  std::vector<Run> runs;
  for (const Piece& piece : pieces) {
    if (piece.missing) {
      const auto& [x, y, z] = *piece.missing;
      throw Error("Checkpoint",
                  "the cell " + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                      " of '" + field + "' is not in the checkpoint",
                  "use the domain and the geometry with which it was written");
    }
    runs.insert(runs.end(), piece.runs.begin(), piece.runs.end());
  }
  return runs;
}

} // namespace

const PartReader& CheckpointSource::part(std::size_t number) {
  const auto known = parts_.find(number);
  if (known != parts_.end()) return known->second;
  const CheckpointManifest::Part& part = manifest_->parts[number];
  return parts_.emplace(number, PartReader(*folder_ / part.file, part.bytes)).first->second;
}

std::vector<std::byte> CheckpointSource::entry(const CheckpointManifest::Block& block, std::size_t number) {
  const CheckpointManifest::Field& field = manifest_->fields[block.field];
  const std::uint64_t mask = field.listed ? mask_bytes(block.box) : 0;
  const std::uint64_t values = static_cast<std::uint64_t>(block.cells) * value_bytes(field.type);
  if (field.listed && number == 0) return part(block.part).read(block, block.place, mask, 0);
  const std::size_t component = number - (field.listed ? 1 : 0);
  return part(block.part)
      .read(block, block.place + padded(mask) + component * padded(values), values, number);
}

void CheckpointSource::restore(const CheckpointManifest::Field& wanted, const Checkpoint::Block& block) {
  struct Source {
    const CheckpointManifest::Block* block;
    std::vector<Run> runs;
  };
  const std::vector<std::uint8_t> mask = block.mask ? block.mask() : std::vector<std::uint8_t>();
  const Places here(block.box, block.mask ? reinterpret_cast<const std::byte*>(mask.data()) : nullptr);
  std::vector<Source> sources;
  std::int64_t covered = 0;
  for (const CheckpointManifest::Block& other : manifest_->blocks) {
    const Box both = other.box.intersect(block.box);
    if (manifest_->fields[other.field].name != wanted.name || both.empty()) continue;
    const std::vector<std::byte> other_mask = wanted.listed ? entry(other, 0) : std::vector<std::byte>();
    const Places there(other.box, wanted.listed ? other_mask.data() : nullptr);
    if (wanted.listed && there.cells() != other.cells)
      throw Error("Checkpoint", "a block of '" + wanted.name + "' has " + std::to_string(other.cells) +
                                    " cells, and its mask " + std::to_string(there.cells()) +
                                    ": the manifest was changed");
    sources.push_back({&other, runs_between(there, here, both, wanted.name)});
    for (const Run& run : sources.back().runs)
      covered += run.count;
  }
  if (covered != block.cells) {
    throw Error("Checkpoint",
                "it holds " + std::to_string(covered) + " of the " + std::to_string(block.cells) +
                    " cells of '" + wanted.name + "' in " + to_string(block.box),
                "use the domain and the geometry with which it was written");
  }
  const std::size_t bytes = value_bytes(wanted.type);
  std::vector<std::byte> values(static_cast<std::size_t>(block.cells) * bytes);
  block.change([&](const Checkpoint::Put& put) {
    for (int c = 0; c < wanted.components; ++c) {
      for (const Source& source : sources) {
        if (source.runs.empty()) continue;
        const std::vector<std::byte> found =
            entry(*source.block, static_cast<std::size_t>(c) + (wanted.listed ? 1 : 0));
        parallel_ranges(static_cast<std::int64_t>(source.runs.size()),
                        [&](std::int64_t first, std::int64_t last) {
                          for (std::int64_t i = first; i < last; ++i) {
                            const Run& run = source.runs[static_cast<std::size_t>(i)];
                            std::memcpy(values.data() + static_cast<std::size_t>(run.to) * bytes,
                                        found.data() + static_cast<std::size_t>(run.from) * bytes,
                                        static_cast<std::size_t>(run.count) * bytes);
                          }
                        });
      }
      put(c, values.data());
    }
  });
}

void CheckpointSource::verify() {
  for (std::size_t number = 0; number < manifest_->parts.size(); ++number)
    (void)part(number);
  for (const CheckpointManifest::Block& block : manifest_->blocks) {
    for (std::size_t i = 0; i < block.checksums.size(); ++i)
      (void)entry(block, i);
  }
}

} // namespace heddle
