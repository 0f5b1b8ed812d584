// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_SIMULATION_HPP
#define HEDDLE_AIR_QUALITY_SIMULATION_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "column.hpp"
#include "heddle/chemistry/chemistry.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/transport/collective.hpp"
#include "heddle/transport/transport.hpp"

namespace air_quality {

/// What a run begins with, and what drives it.
struct Setting {
  Column column;
  std::vector<double> fractions; // mole fractions, in the order of the species
  std::vector<double> rates;     // in the order of the inputs: at noon, at the ground
  Sun sun{false};
  Longitude longitude = Longitude::same;
  bool emit = true;
  /// Emissions are added to the concentrations before a call, as the study does; else they are rates within
  /// it.
  bool kick = false;
};

/// Some levels of the column, on all ranks.
class Simulation {
public:
  /// levels: of the column, one per cell. transport: null for one rank; it must outlive this.
  /// memory: where cells are integrated; throws heddle::Error where that is a device and there is none.
  Simulation(const Setting& setting, std::vector<std::int64_t> levels, const std::string& integrator,
             const heddle::ChemistryOptions& options, heddle::Transport* transport,
             heddle::Memory memory = heddle::Memory::host);

  /// The next call. Throws heddle::Error where a cell fails.
  void advance();
  [[nodiscard]] std::int64_t calls() const noexcept { return calls_; }
  [[nodiscard]] double seconds() const noexcept {
    return static_cast<double>(calls_) * chemistry_.options.interval;
  }

  /// On rank 0 the concentrations of all cells (mol m-3), species after species; on others nothing. All
  /// ranks call it.
  [[nodiscard]] std::vector<double> gather();
  /// The attempts of all calls and cells so far, on rank 0; and the cells that ranks lent each other.
  struct Work {
    std::int64_t attempts = 0;
    std::int64_t lent = 0;
    double lowest = 0;     // concentration of all times, mol m-3
    heddle::LaneUse lanes; // as the cells were computed
    heddle::LaneUse warps; // of a GPU, with the cells as they lie
  };
  [[nodiscard]] Work work();

  [[nodiscard]] const std::vector<std::int64_t>& levels() const noexcept { return levels_; }

private:
  void set_rates();

  Setting setting_;
  std::vector<std::int64_t> levels_;
  heddle::BlockGrid grid_;
  heddle::Field<double> concentration_;
  heddle::Field<double> temperature_;
  heddle::Field<double> pressure_;
  heddle::Field<double> rates_;
  heddle::Chemistry chemistry_;
  heddle::TaskGraph graph_;
  heddle::Collective ranks_;
  std::int64_t calls_ = 0;
  Work work_;
};

} // namespace air_quality

#endif
