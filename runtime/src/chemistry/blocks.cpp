// SPDX-License-Identifier: Apache-2.0
// Cells that stay where they lie, on a device or on the host; and what is known of cells that failed.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heddle/chemistry/chemistry.hpp"
#include "heddle/core/error.hpp"
#include "work.hpp"

namespace heddle {

void Chemistry::integrate_blocks(Stream& stream) {
  const Field<double>& temperature = fields_.temperature;
  const Field<double>& pressure = fields_.pressure;
  const int blocks = fields_.concentration.blocks();
  const AbsoluteTolerance each = tolerance();
  const std::int64_t lanes =
      fields_.concentration.memory() == Memory::device ? LaneUse::warp : LaneUse::strip;
  if (!sorting_) sorting_ = std::make_unique<Sorting>(fields_.concentration.memory(), blocks);
  for (int block = 0; block < blocks; ++block) {
    const CellBlock cells{.concentration = fields_.concentration.view(block),
                          .temperature = temperature.view(block),
                          .pressure = pressure.view(block),
                          .rate_input = fields_.rate_input != nullptr
                                            ? std::as_const(*fields_.rate_input).view(block)
                                            : FieldView<const double>(),
                          .step = step_.view(block),
                          .outcome = outcome_->view(block),
                          .steps = steps_.view(block),
                          .absolute_tolerance = each,
                          .interval = options.interval,
                          .relative_tolerance = options.relative_tolerance};
    Sorting::Block& sorting = sorting_->blocks[static_cast<std::size_t>(block)];
    sorting.order.clear();
    if (options.sort_below > 0) sorting.keys.find(cells, stream);
    if (options.sort_below > 0 && sorting.wanted) {
      sorting.order = detail::by_keys(sorting.keys.get(stream));
      integrate_block_(sorting_->cells.pack(cells, sorting.order, stream), stream);
      sorting_->cells.unpack(cells, stream);
    } else {
      integrate_block_(cells, stream);
    }
  }
  stream.synchronise();
  report_ = {.lowest_concentration = std::numeric_limits<double>::quiet_NaN()};
  std::vector<Failed> failed;
  for (int block = 0; block < blocks; ++block) {
    const std::vector<std::int64_t> steps = steps_.read(block);
    for (const std::int64_t attempts : steps) {
      ++report_.cells;
      report_.attempts += attempts;
      report_.most_attempts = std::max(report_.most_attempts, attempts);
    }
    const auto row = static_cast<std::size_t>(steps_.view(block).extent(0));
    LaneUse as_they_lie;
    for (std::size_t first = 0; first < steps.size(); first += row)
      as_they_lie.add(std::span(steps).subspan(first, row), lanes);
    Sorting::Block& sorting = sorting_->blocks[static_cast<std::size_t>(block)];
    const auto in_order = [&](const std::vector<std::int32_t>& order) {
      LaneUse use;
      std::vector<std::int64_t> attempts;
      attempts.reserve(order.size());
      for (const std::int32_t cell : order)
        attempts.push_back(steps[static_cast<std::size_t>(cell)]);
      use.add(attempts, lanes);
      return use;
    };
    report_.lanes.add(sorting.order.empty() ? as_they_lie : in_order(sorting.order));
    sorting.wanted = as_they_lie.share() < options.sort_below;
    if (sorting.wanted) { // unless copies would gain nothing even if all attempts were known
      std::vector<std::int32_t> keys;
      keys.reserve(steps.size());
      for (const std::int64_t attempts : steps)
        keys.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(attempts, detail::cell_keys)));
      sorting.wanted = in_order(detail::by_keys(keys)).share() > as_they_lie.share();
    }
    outcome_->inspect(block, [&](const FieldView<const std::int32_t>& outcome) {
      for (std::int64_t z = 0; z < outcome.extent(2); ++z)
        for (std::int64_t y = 0; y < outcome.extent(1); ++y)
          for (std::int64_t x = 0; x < outcome.extent(0); ++x)
            if (outcome(x, y, z) != 0) failed.push_back({block, x, y, z, outcome(x, y, z)});
    });
  }
  collect_failures(failed);
}

void Chemistry::collect_failures(const std::vector<Failed>& cells) {
  failures_.assign(cells.size(), {});
  for (std::size_t n = 0; n < cells.size(); ++n) {
    const Failed& at = cells[n];
    const auto& lower = fields_.concentration.box(at.block).lower;
    failures_[n].cell = {at.x + lower[0], at.y + lower[1], at.z + lower[2]};
    failures_[n].outcome = at.outcome;
  }
  // A block is looked at once for all of its cells, as one on a device is copied for that.
  const auto each_component = [&](const auto& field, const auto& set) {
    for (std::size_t n = 0; n < cells.size();) {
      const int block = cells[n].block;
      field.inspect(block, [&](const auto& view) {
        for (; n < cells.size() && cells[n].block == block; ++n)
          for (std::int64_t c = 0; c < view.extent(3); ++c)
            set(failures_[n], view(cells[n].x, cells[n].y, cells[n].z, c));
      });
    }
  };
  each_component(steps_, [](CellFailure& failure, std::int64_t value) { failure.steps = value; });
  each_component(fields_.temperature,
                 [](CellFailure& failure, double value) { failure.temperature = value; });
  each_component(fields_.pressure, [](CellFailure& failure, double value) { failure.pressure = value; });
  each_component(fields_.concentration,
                 [](CellFailure& failure, double value) { failure.concentration.push_back(value); });
  if (fields_.rate_input != nullptr)
    each_component(*fields_.rate_input,
                   [](CellFailure& failure, double value) { failure.rate_input.push_back(value); });
  for (CellFailure& failure : failures_)
    failure.explain(mechanism_);
  if (failures_.empty() || !options.stop_on_failure) return;
  const std::size_t count = failures_.size();
  throw Error("chemistry '" + mechanism_.name + "'",
              std::to_string(count) + (count == 1 ? " cell" : " cells") +
                  " could not be integrated; the first: " + failures_.front().describe(mechanism_),
              failures_.front().outcome == 3
                  ? "mend the value; ChemistryOptions::stop_on_failure = false goes on with the other cells"
                  : "a shorter interval or a larger tolerance may do; ChemistryOptions::stop_on_failure = "
                    "false goes on");
}

} // namespace heddle
