// SPDX-License-Identifier: Apache-2.0
// Cells that stay where they lie, on a device or on the host; and what is known of cells that failed.
#include <algorithm>
#include <limits>
#include <utility>

#include "heddle/chemistry/chemistry.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

void Chemistry::integrate_blocks(Stream& stream) {
  const Field<double>& temperature = fields_.temperature;
  const Field<double>& pressure = fields_.pressure;
  const int blocks = fields_.concentration.blocks();
  for (int block = 0; block < blocks; ++block)
    integrate_block_({.concentration = fields_.concentration.view(block),
                      .temperature = temperature.view(block),
                      .pressure = pressure.view(block),
                      .rate_input = fields_.rate_input != nullptr
                                        ? std::as_const(*fields_.rate_input).view(block)
                                        : FieldView<const double>(),
                      .step = step_.view(block),
                      .outcome = outcome_->view(block),
                      .steps = steps_.view(block),
                      .absolute_tolerance = options.absolute_tolerance,
                      .interval = options.interval,
                      .relative_tolerance = options.relative_tolerance},
                     stream);
  stream.synchronise();
  report_ = {.lowest_concentration = std::numeric_limits<double>::quiet_NaN()};
  std::vector<Failed> failed;
  for (int block = 0; block < blocks; ++block) {
    for (const std::int64_t attempts : steps_.read(block)) {
      ++report_.cells;
      report_.attempts += attempts;
      report_.most_attempts = std::max(report_.most_attempts, attempts);
    }
    const FieldView<double> view = fields_.concentration.view(block);
    std::int64_t n = 0;
    for (const std::int32_t outcome : outcome_->read(block)) {
      const std::int64_t x = n % view.extent(0);
      const std::int64_t y = n / view.extent(0) % view.extent(1);
      if (outcome != 0) failed.push_back({block, x, y, n / view.extent(0) / view.extent(1), outcome});
      ++n;
    }
  }
  collect_failures(failed);
}

void Chemistry::collect_failures(const std::vector<Failed>& cells) {
  failures_.clear();
  for (const Failed& at : cells) {
    const auto& lower = fields_.concentration.box(at.block).lower;
    const auto values = [&](const auto& field) {
      std::vector<double> found;
      field.inspect(at.block, [&](const auto& view) {
        for (std::int64_t c = 0; c < view.extent(3); ++c)
          found.push_back(static_cast<double>(view(at.x, at.y, at.z, c)));
      });
      return found;
    };
    CellFailure failure{.cell = {at.x + lower[0], at.y + lower[1], at.z + lower[2]},
                        .outcome = at.outcome,
                        .steps = static_cast<std::int64_t>(values(steps_).front()),
                        .temperature = values(fields_.temperature).front(),
                        .pressure = values(fields_.pressure).front(),
                        .concentration = values(fields_.concentration),
                        .rate_input = {},
                        .reason = {}};
    if (fields_.rate_input != nullptr) failure.rate_input = values(*fields_.rate_input);
    failure.explain(mechanism_);
    failures_.push_back(std::move(failure));
  }
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
