// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_TRACED_HPP
#define HEDDLE_LBM_BLOCKS_TRACED_HPP

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/trace.hpp"

/// Reads back what heddle::Trace writes.
namespace traced {

/// The complete events, with the names of their rows; seconds. Events of another form are not read.
inline std::vector<heddle::Trace::Span> parse(const std::string& json) {
  constexpr const char* head = "{\"name\": \"%127[^\"]\", \"ph\": \"%c\", \"pid\": %d, \"tid\": %d, %n";
  std::map<std::pair<int, int>, std::string> rows;
  std::vector<heddle::Trace::Span> spans;
  for (auto at = json.find("{\"name\""); at != std::string::npos; at = json.find("{\"name\"", at + 1)) {
    std::array<char, 128> name{}, of_row{};
    char phase = 0;
    int process = 0, thread = 0, length = 0;
    if (std::sscanf(json.c_str() + at, head, name.data(), &phase, &process, &thread, &length) != 4) continue;
    const char* const rest = json.c_str() + at + length;
    double begin = 0, duration = 0;
    if (phase == 'M' && std::sscanf(rest, "\"args\": {\"name\": \"%127[^\"]\"", of_row.data()) == 1) {
      rows[{process, thread}] = of_row.data();
    } else if (std::sscanf(rest, "\"ts\": %lf, \"dur\": %lf}", &begin, &duration) == 2) {
      spans.push_back(
          {name.data(), process, rows.at({process, thread}), 1e-6 * begin, 1e-6 * (begin + duration)});
    }
  }
  return spans;
}

/// Of each journey of a message: how many steps of its process lie within it whose names begin with `first`
/// and end with `last`.
inline std::vector<int> steps_within_journeys(const heddle::Trace& trace, const std::string& first,
                                              const std::string& last) {
  const std::vector<heddle::Trace::Span> spans = parse(trace.json());
  std::vector<int> counts;
  for (const heddle::Trace::Span& journey : spans) {
    if (journey.row != "messages") continue;
    counts.push_back(static_cast<int>(std::count_if(spans.begin(), spans.end(), [&](const auto& span) {
      return span.process == journey.process && span.name.starts_with(first) && span.name.ends_with(last) &&
             span.begin >= journey.begin && span.end <= journey.end;
    })));
  }
  return counts;
}

} // namespace traced

#endif
