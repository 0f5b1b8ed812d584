// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CHEMISTRY_CHEMISTRY_HPP
#define HEDDLE_CHEMISTRY_CHEMISTRY_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/chemistry/cell_batch.hpp"
#include "heddle/chemistry/lane_use.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// The names of a mechanism, in the order of its kernel: `Mechanism.variable` and `Mechanism.inputs` of
/// heddle.chemistry.
struct ChemicalMechanism {
  std::string name;
  std::vector<std::string> species;
  std::vector<std::string> inputs; // host values of the rates

  /// The number of a species or of an input. Throws Error, with names that are alike, where there is none.
  [[nodiscard]] int species_number(std::string_view wanted) const;
  [[nodiscard]] int input_number(std::string_view wanted) const;
};

/// The fields of the cells, in any layout; on the same blocks, all in host memory or all on a device. They
/// must outlive the Chemistry.
struct ChemistryFields {
  Field<double>& concentration;     // a component per species, mol m-3; read and written
  const Field<double>& temperature; // K
  const Field<double>& pressure;    // Pa
  const Field<double>* rate_input;  // a component per input; null where the mechanism has none
};

/// How Chemistry integrates: the interval of a call, the errors that are allowed, what failures do.
struct ChemistryOptions {
  double interval = 120; // s
  double relative_tolerance = 1e-3;
  double absolute_tolerance = 1e-15; // mol m-3, of all species
  /// mol m-3, of each species in the order of the mechanism, in place of that; empty: one for all. The kernel
  /// has to take them: chemistry.Rosenbrock(..., tolerance_per_species=True).
  std::vector<double> absolute_tolerances = {};
  /// Throw Error after a call in which cells failed. Otherwise failures() has them, and they go on from their
  /// last accepted step in the next call.
  bool stop_on_failure = true;
  /// With several ranks: cells move to other ranks for a call where, by the attempts of the call before, the
  /// slowest rank would take this many times the mean. Infinity: never.
  double imbalance = 1.1;
  /// For kernels of blocks, whose cells stay where they lie: a block gets copies of its cells, sorted by
  /// their attempts in the call before and by how much their host values change, if in that call lanes of
  /// cells as they lie (warps on a device, strips of 8 on the host) would have been busy for less than this
  /// part of their time, and longer if sorted. 0: never. It changes no bits. Kernels of batches always get
  /// sorted cells: there it has to be 0.
  double sort_below = 0;
};

/// A cell that was not integrated to the end of the interval. It keeps the concentrations of its last
/// accepted step.
struct CellFailure {
  std::array<std::int64_t, 3> cell; // in domain coordinates
  std::int32_t outcome;             // 1: max_steps did not do. 2: step too short. 3: bad input
  std::int64_t steps;               // attempts
  double temperature;               // K
  double pressure;                  // Pa
  std::vector<double> concentration;
  std::vector<double> rate_input;
  std::string reason; // names the value where it is one

  /// Sets the reason from the rest.
  void explain(const ChemicalMechanism& mechanism);
  /// One line: cell, reason, state.
  [[nodiscard]] std::string describe(const ChemicalMechanism& mechanism) const;
};

/// What the last call did with the cells of this rank.
struct ChemistryReport {
  std::int64_t cells = 0;
  std::int64_t attempts = 0;      // of all cells of this rank, wherever they were computed
  std::int64_t most_attempts = 0; // of a cell
  std::int64_t lent = 0;          // cells that other ranks computed
  std::int64_t borrowed = 0;      // cells of other ranks that were computed here
  LaneUse lanes = {}; // of the cells computed here, in strips of 8; in warps of 32 where they lie on a device
  double lowest_concentration = 0; // below 0 by about the tolerance, unless the kernel clips; NaN where cells
                                   // stay where they lie: nobody looks
};

/// Chemistry of all cells over one time step of a host model that splits its operators: a task.
///
///     heddle::Chemistry chemistry(cb05, integrate, {c, temperature, pressure, &rates}, {.interval = 120});
///     loop.add(transport); loop.add(chemistry);
///
/// Cells are taken together by their numbers of attempts in the last call, so that vector lanes, threads and
/// ranks end at about the same time. Each cell remembers its step size. A cell's result depends on nothing
/// but the cell: it has the same bits whatever the ranks, threads, layout and order of the cells, if the
/// kernel has reproducible mathematics (Schedule(math="reproducible")).
///
/// Concentrations are neither clipped nor renormalised here: they may be negative by about the tolerance,
/// unless the kernel was generated with clip=True, and atoms are conserved as the mechanism conserves them.
class Chemistry {
public:
  /// Integrates the cells of a batch, with a kernel of one dimension:
  /// `[](const CellBatch& b) { cb05::integrate(b.concentration, b.temperature, ...); }`.
  using Integrate = std::function<void(const CellBatch& batch)>;

  /// Integrates the cells of a block where they lie, with a kernel of three dimensions, in a stream:
  /// `[](const CellBlock& b, Stream& s) { cb05::integrate_cuda(b.concentration, ..., s.native()); }`.
  using IntegrateBlock = std::function<void(const CellBlock& block, Stream& stream)>;

  /// transport: of all ranks, which make the same calls; null for one rank; must outlive this. Throws Error
  /// for fields that do not fit each other or the mechanism, fields on a device, and options that make no
  /// sense.
  Chemistry(ChemicalMechanism mechanism, Integrate integrate, const ChemistryFields& fields,
            const ChemistryOptions& options = {}, Transport* transport = nullptr);
  /// For fields on a device, or on the host where cells shall stay where they lie: none is lent to another
  /// rank, and cells are copied only where options.sort_below says so. A call waits for the stream, to look
  /// for cells that failed.
  Chemistry(ChemicalMechanism mechanism, IntegrateBlock integrate, const ChemistryFields& fields,
            const ChemistryOptions& options = {});
  ~Chemistry();
  Chemistry(const Chemistry&) = delete;
  Chemistry& operator=(const Chemistry&) = delete;

  [[nodiscard]] std::string_view name() const noexcept { return mechanism_.name; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Advances all cells by the interval. Throws Error where cells fail and the options say so, with the first
  /// one's state.
  void operator()(Stream& stream);

  [[nodiscard]] const ChemicalMechanism& mechanism() const noexcept { return mechanism_; }
  /// May change between calls.
  ChemistryOptions options;
  /// Of the last call, on this rank, in the order of the cells.
  [[nodiscard]] const std::vector<CellFailure>& failures() const noexcept { return failures_; }
  [[nodiscard]] const ChemistryReport& report() const noexcept { return report_; }
  /// The step (s) that each cell remembers, and its attempts in the last call: for output and checkpoints.
  [[nodiscard]] Field<double>& step() noexcept { return step_; }
  [[nodiscard]] Field<std::int64_t>& steps() noexcept { return steps_; }

private:
  struct Work;
  struct Sorting;
  struct Failed {
    int block;
    std::int64_t x, y, z;
    std::int32_t outcome;
  };

  void check_options() const;
  /// Of the options, in the memory of the cells.
  [[nodiscard]] AbsoluteTolerance tolerance();
  void check_fields(bool gathered) const;
  void integrate_blocks(Stream& stream);
  void gather_and_integrate();
  void collect_failures(const std::vector<Failed>& cells);

  ChemicalMechanism mechanism_;
  Integrate integrate_;
  IntegrateBlock integrate_block_;
  ChemistryFields fields_;
  Field<double> step_;
  Field<std::int64_t> steps_;
  std::unique_ptr<Field<std::int32_t>> outcome_; // where cells stay where they lie
  std::unique_ptr<Work> work_;
  std::unique_ptr<Sorting> sorting_; // where cells stay where they lie
  std::vector<double> tolerances_;   // of each species
  Buffer<double> device_tolerances_;
  std::vector<CellFailure> failures_;
  ChemistryReport report_;
};

} // namespace heddle

#endif
