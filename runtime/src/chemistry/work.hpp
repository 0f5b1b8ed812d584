// SPDX-License-Identifier: Apache-2.0
// The cells of a Chemistry, and what it passes to its kernel.
#ifndef HEDDLE_SRC_CHEMISTRY_WORK_HPP
#define HEDDLE_SRC_CHEMISTRY_WORK_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/chemistry/chemistry.hpp"
#include "lending.hpp"
#include "packed_cells.hpp"

namespace heddle {

struct Chemistry::Work {
  /// A cell of this rank, by its block and its place in it.
  struct Place {
    int block;
    std::int64_t x, y, z;
  };

  Work(const ChemistryFields& fields, std::size_t species, std::size_t inputs, Transport* transport);

  /// Numbers of a cell that is computed elsewhere: concentrations, inputs, temperature, pressure, step,
  /// attempts of the last call; and those that come back: concentrations, step, outcome, attempts.
  [[nodiscard]] std::int64_t numbers_out() const { return species + inputs + 4; }
  [[nodiscard]] std::int64_t numbers_back() const { return species + 3; }

  /// Makes room in the batch.
  void resize(std::int64_t cells);
  [[nodiscard]] CellBatch batch(std::int64_t cells, const ChemistryOptions& options,
                                const AbsoluteTolerance& tolerance);

  std::int64_t species;
  std::int64_t inputs;
  std::vector<Place> places;
  std::vector<std::int32_t> outcomes; // of the cells of this rank
  detail::Exchange exchange;

  std::int64_t row = 0; // cells from one component to the next, below
  std::vector<double> concentration;
  std::vector<double> rate_input;
  std::vector<double> temperature;
  std::vector<double> pressure;
  std::vector<double> step;
  std::vector<std::int32_t> outcome;
  std::vector<std::int64_t> steps;
};

/// The copies that a call gets, and how cells are sorted.
struct Chemistry::Sorting {
  struct Block {
    detail::CellKeys keys;
    bool wanted = false;             // in the next call
    std::vector<std::int32_t> order; // in this one; empty: as they lie
  };

  Sorting(Memory memory, int count) : cells(memory) {
    for (int block = 0; block < count; ++block)
      blocks.push_back({.keys = detail::CellKeys(memory), .order = {}});
  }

  detail::PackedCells cells;
  std::vector<Block> blocks;
};

} // namespace heddle

#endif
