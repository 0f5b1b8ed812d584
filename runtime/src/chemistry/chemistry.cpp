// SPDX-License-Identifier: Apache-2.0
#include "heddle/chemistry/chemistry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "cell_order.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "work.hpp"

namespace heddle {
namespace {

std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

void require_like(const Field<double>& field, const Field<double>& concentration, std::size_t components,
                  bool gathered) {
  const std::string what = "'" + std::string(field.name()) + "'";
  if (gathered && field.memory() == Memory::device)
    throw Error("Chemistry", what + " is on a device, but cells are gathered on the host",
                "on a device, pass a function of a CellBlock and a Stream");
  if ((field.memory() == Memory::device) != (concentration.memory() == Memory::device))
    throw Error("Chemistry", what + " is in other memory than '" + std::string(concentration.name()) + "'",
                "make all fields on the device, or none");
  if (!(field.grid() == concentration.grid()) || field.rank() != concentration.rank())
    throw Error("Chemistry", what + " has other blocks than '" + std::string(concentration.name()) + "'",
                "make all fields of one BlockGrid and rank");
  if (index(field.components()) != components)
    throw Error("Chemistry",
                what + " has " + std::to_string(field.components()) + " components, not " +
                    std::to_string(components),
                "it needs one per name of the mechanism, in that order");
}

FieldOptions like(const Field<double>& field, const char* name) {
  return {.ghost_layers = 0, .memory = field.memory(), .name = name, .rank = field.rank()};
}

} // namespace

Chemistry::Work::Work(const ChemistryFields& fields, std::size_t species_count, std::size_t input_count,
                      Transport* transport)
    : species(static_cast<std::int64_t>(species_count)), inputs(static_cast<std::int64_t>(input_count)),
      exchange(transport) {
  for (int block = 0; block < fields.concentration.blocks(); ++block) {
    const std::array<std::int64_t, 4> extents = fields.concentration.view(block).extents();
    for (std::int64_t z = 0; z < extents[2]; ++z)
      for (std::int64_t y = 0; y < extents[1]; ++y)
        for (std::int64_t x = 0; x < extents[0]; ++x)
          places.push_back({block, x, y, z});
  }
  outcomes.resize(places.size());
}

void Chemistry::Work::resize(std::int64_t cells) {
  if (cells <= row) return;
  row = (cells + LaneUse::strip - 1) / LaneUse::strip * LaneUse::strip;
  concentration.resize(index(row * species));
  rate_input.resize(index(row * inputs));
  for (std::vector<double>* const values : {&temperature, &pressure, &step})
    values->resize(index(row));
  outcome.resize(index(row));
  steps.resize(index(row));
}

CellBatch Chemistry::Work::batch(std::int64_t cells, const ChemistryOptions& options,
                                 const AbsoluteTolerance& tolerance) {
  return {.concentration = {concentration.data(), cells, species, row},
          .temperature = {temperature.data(), cells, 1, row},
          .pressure = {pressure.data(), cells, 1, row},
          .rate_input = {rate_input.data(), cells, inputs, row},
          .step = {step.data(), cells, 1, row},
          .outcome = {outcome.data(), cells, 1, row},
          .steps = {steps.data(), cells, 1, row},
          .absolute_tolerance = tolerance,
          .interval = options.interval,
          .relative_tolerance = options.relative_tolerance};
}

Chemistry::Chemistry(ChemicalMechanism mechanism, Integrate integrate, const ChemistryFields& fields,
                     const ChemistryOptions& chosen, Transport* transport)
    : options(chosen), mechanism_(std::move(mechanism)), integrate_(std::move(integrate)), fields_(fields),
      step_(fields.concentration.grid(), like(fields.concentration, "step")),
      steps_(fields.concentration.grid(), like(fields.concentration, "steps")) {
  if (!integrate_) throw Error("Chemistry", "there is no kernel to call", "pass a function of a CellBatch");
  check_fields(true);
  check_options();
  work_ = std::make_unique<Work>(fields_, mechanism_.species.size(), mechanism_.inputs.size(), transport);
}

Chemistry::Chemistry(ChemicalMechanism mechanism, IntegrateBlock integrate, const ChemistryFields& fields,
                     const ChemistryOptions& chosen)
    : options(chosen), mechanism_(std::move(mechanism)), integrate_block_(std::move(integrate)),
      fields_(fields), step_(fields.concentration.grid(), like(fields.concentration, "step")),
      steps_(fields.concentration.grid(), like(fields.concentration, "steps")),
      outcome_(std::make_unique<Field<std::int32_t>>(fields.concentration.grid(),
                                                     like(fields.concentration, "outcome"))) {
  if (!integrate_block_)
    throw Error("Chemistry", "there is no kernel to call", "pass a function of a CellBlock and a Stream");
  check_fields(false);
  check_options();
}

void Chemistry::check_fields(bool gathered) const {
  const Field<double>& concentration = fields_.concentration;
  require_like(concentration, concentration, mechanism_.species.size(), gathered);
  require_like(fields_.temperature, concentration, 1, gathered);
  require_like(fields_.pressure, concentration, 1, gathered);
  if (fields_.rate_input != nullptr)
    require_like(*fields_.rate_input, concentration, mechanism_.inputs.size(), gathered);
  else if (!mechanism_.inputs.empty())
    throw Error("Chemistry", "the rates of '" + mechanism_.name + "' need host values, and there is no field",
                "the first one is '" + mechanism_.inputs.front() + "': give rate_input");
}

Chemistry::~Chemistry() = default;

std::vector<FieldAccess> Chemistry::accesses() const {
  std::vector<FieldAccess> found;
  const auto add = [&](const auto& field, AccessMode mode) {
    found.push_back({&field, field.name(), mode, 0});
  };
  for (const AccessMode mode : {AccessMode::read, AccessMode::write}) {
    add(fields_.concentration, mode);
    add(step_, mode);
    add(steps_, mode);
  }
  add(fields_.temperature, AccessMode::read);
  add(fields_.pressure, AccessMode::read);
  if (fields_.rate_input != nullptr) add(*fields_.rate_input, AccessMode::read);
  return found;
}

void Chemistry::check_options() const {
  const auto require = [](bool good, const std::string& name, double value, const char* hint) {
    if (good) return;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%g", value);
    throw Error("ChemistryOptions", name + " is " + shown, hint);
  };
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  require(positive(options.interval), "interval", options.interval, "it is a time in seconds, above 0");
  require(positive(options.relative_tolerance), "relative_tolerance", options.relative_tolerance,
          "it must be above 0, for example 1e-3");
  require(positive(options.absolute_tolerance), "absolute_tolerance", options.absolute_tolerance,
          "it must be above 0, for example 1e-15 mol m-3");
  const std::vector<double>& each = options.absolute_tolerances;
  if (!each.empty() && each.size() != mechanism_.species.size())
    throw Error("ChemistryOptions",
                "absolute_tolerances has " + std::to_string(each.size()) + " numbers for the " +
                    std::to_string(mechanism_.species.size()) + " species of '" + mechanism_.name + "'",
                "give one per species, in the order of the mechanism, or none");
  for (std::size_t s = 0; s < each.size(); ++s)
    require(positive(each[s]), "the absolute tolerance of '" + mechanism_.species[s] + "'", each[s],
            "it must be above 0, for example 1e-15 mol m-3");
  require(options.sort_below >= 0 && options.sort_below <= 1, "sort_below", options.sort_below,
          "a part of the time of lanes, from 0 to 1");
  require(options.sort_below == 0 || integrate_block_, "sort_below", options.sort_below,
          "kernels of batches always get sorted cells: leave it at 0");
  require(options.imbalance >= 1, "imbalance", options.imbalance,
          "it is the largest work of a rank as a part of the mean: 1 or more");
}

AbsoluteTolerance Chemistry::tolerance() {
  const bool differ = !options.absolute_tolerances.empty();
  std::vector<double> each = options.absolute_tolerances;
  each.resize(mechanism_.species.size(), options.absolute_tolerance);
  const bool device = fields_.concentration.memory() == Memory::device;
  if (each != tolerances_) {
    tolerances_ = std::move(each);
    if (device) device_tolerances_ = Buffer<double>(std::span<const double>(tolerances_), Memory::device);
  }
  return {options.absolute_tolerance, device ? device_tolerances_.data() : tolerances_.data(), differ};
}

void Chemistry::operator()(Stream& stream) {
  check_options();
  if (integrate_block_)
    integrate_blocks(stream);
  else
    gather_and_integrate();
}

void Chemistry::gather_and_integrate() {
  Work& work = *work_;
  const auto own = static_cast<std::int64_t>(work.places.size());
  const std::int64_t species = work.species;
  const std::int64_t inputs = work.inputs;
  const auto at = [&](auto& field, std::int64_t cell) {
    const Work::Place& place = work.places[index(cell)];
    const auto view = field.view(place.block);
    return CellValues(&view(place.x, place.y, place.z), 1, view.extent(3), view.stride(3));
  };

  std::vector<std::int64_t> weights(index(own));
  for (std::int64_t n = 0; n < own; ++n) // one more for what a call costs besides its attempts
    weights[index(n)] = at(steps_, n)(0) + 1;
  work.exchange.decide(weights, options.imbalance);
  const std::vector<std::int64_t>& lent = work.exchange.lent();
  const auto lent_cells = static_cast<std::int64_t>(lent.size());
  const std::int64_t borrowed = work.exchange.borrowed();

  // Numbers of one cell, in a record.
  const auto pack = [&](std::int64_t cell, double* to) {
    const auto concentration = at(fields_.concentration, cell);
    for (std::int64_t s = 0; s < species; ++s)
      *to++ = concentration(0, s);
    if (inputs > 0) {
      const auto rates = at(*fields_.rate_input, cell);
      for (std::int64_t q = 0; q < inputs; ++q)
        *to++ = rates(0, q);
    }
    *to++ = at(fields_.temperature, cell)(0);
    *to++ = at(fields_.pressure, cell)(0);
    *to++ = at(step_, cell)(0);
    *to = static_cast<double>(weights[index(cell)]);
  };
  const std::int64_t out = work.numbers_out();
  const std::int64_t back = work.numbers_back();
  std::vector<double> leaving(index(lent_cells * out));
  std::vector<double> arriving(index(borrowed * out));
  for (std::int64_t n = 0; n < lent_cells; ++n)
    pack(lent[index(n)], &leaving[index(n * out)]);
  work.exchange.send_cells(leaving, arriving, out);

  // Cells that are computed here: those of this rank that stay, then borrowed ones, numbered from `own` on.
  std::vector<bool> away(index(own));
  for (const std::int64_t cell : lent)
    away[index(cell)] = true;
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> cell_weights;
  for (std::int64_t n = 0; n < own; ++n) {
    if (away[index(n)]) continue;
    cells.push_back(n);
    cell_weights.push_back(weights[index(n)]);
  }
  for (std::int64_t n = 0; n < borrowed; ++n) {
    cells.push_back(own + n);
    cell_weights.push_back(static_cast<std::int64_t>(arriving[index((n + 1) * out - 1)]));
  }
  const auto here = static_cast<std::int64_t>(cells.size());
  const std::vector<std::int64_t> order = detail::cell_order(cell_weights, thread_count());
  work.resize(here);
  const CellBatch batch = work.batch(here, options, tolerance());
  parallel_ranges(here, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> record(index(out));
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t cell = cells[index(order[index(n)])];
      const double* from = record.data();
      if (cell < own)
        pack(cell, record.data());
      else
        from = &arriving[index((cell - own) * out)];
      for (std::int64_t s = 0; s < species; ++s)
        batch.concentration(n, s) = *from++;
      for (std::int64_t q = 0; q < inputs; ++q)
        work.rate_input[index(n + q * work.row)] = *from++;
      work.temperature[index(n)] = *from++;
      work.pressure[index(n)] = *from++;
      batch.step(n) = *from;
    }
  });
  if (here > 0) integrate_(batch);
  LaneUse lanes;
  lanes.add(std::span(work.steps).first(index(here)), LaneUse::strip);

  const auto store = [&](std::int64_t cell, const auto& concentration, double step, std::int32_t outcome,
                         std::int64_t steps) {
    const auto to = at(fields_.concentration, cell);
    for (std::int64_t s = 0; s < species; ++s)
      to(0, s) = concentration(s);
    at(step_, cell)(0) = step;
    at(steps_, cell)(0) = steps;
    work.outcomes[index(cell)] = outcome;
  };
  std::vector<double> done_here(index(borrowed * back));
  std::vector<double> done_there(index(lent_cells * back));
  parallel_ranges(here, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t n = first; n < last; ++n) {
      const std::int64_t cell = cells[index(order[index(n)])];
      if (cell < own) {
        store(
            cell, [&](std::int64_t s) { return batch.concentration(n, s); }, batch.step(n), batch.outcome(n),
            batch.steps(n));
        continue;
      }
      double* to = &done_here[index((cell - own) * back)];
      for (std::int64_t s = 0; s < species; ++s)
        *to++ = batch.concentration(n, s);
      *to++ = batch.step(n);
      *to++ = static_cast<double>(batch.outcome(n));
      *to = static_cast<double>(batch.steps(n));
    }
  });
  work.exchange.return_cells(done_here, done_there, back);
  for (std::int64_t n = 0; n < lent_cells; ++n) {
    const double* const from = &done_there[index(n * back)];
    store(
        lent[index(n)], [&](std::int64_t s) { return from[s]; }, from[species],
        static_cast<std::int32_t>(from[species + 1]), static_cast<std::int64_t>(from[species + 2]));
  }

  report_ = {.cells = own, .lent = lent_cells, .borrowed = borrowed, .lanes = lanes};
  double lowest = std::numeric_limits<double>::infinity();
  for (std::int64_t n = 0; n < own; ++n) {
    const std::int64_t attempts = at(steps_, n)(0);
    report_.attempts += attempts;
    report_.most_attempts = std::max(report_.most_attempts, attempts);
    const auto concentration = at(fields_.concentration, n);
    for (std::int64_t s = 0; s < species; ++s)
      lowest = std::min(lowest, concentration(0, s));
  }
  report_.lowest_concentration = lowest;
  std::vector<Failed> failed;
  for (std::size_t n = 0; n < work.places.size(); ++n)
    if (work.outcomes[n] != 0) {
      const Work::Place& place = work.places[n];
      failed.push_back({place.block, place.x, place.y, place.z, work.outcomes[n]});
    }
  collect_failures(failed);
}

} // namespace heddle
