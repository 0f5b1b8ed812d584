// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_REPORT_HPP
#define LBM_VALIDATION_REPORT_HPP

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "case.hpp"
#include "record.hpp"

namespace validation {

/// What one case gave, by precision: the quantities of all its runs, and their graphs put together by title.
struct Entry {
  Case one;
  std::map<Precision, std::vector<Quantity>> quantities;
  std::vector<Graph> graphs;
};

/// What computes. A device takes one run at a time, and some cores for what is done on the host.
struct Machine {
  int cores, devices;
};

/// Computes what `record` lacks of the cases, on all cores and devices at once: short runs first, then the
/// longest; on devices those that have a form for them. So many of the dearest are left out that the rest is
/// expected to end within `limit` seconds, and no run begins that would end later; those left out then are
/// printed. report: called with all that is known after every run, so that a table that is stopped leaves
/// what it has.
std::vector<Entry> compute(const std::vector<Case>& cases, const Machine& machine, double limit,
                           Record& record, const std::function<void(const std::vector<Entry>&)>& report);

/// Prints the runs in the order of work, when each is expected to begin and to end, the end of all, and what
/// `compute` leaves out for its limit.
void print_plan(const std::vector<Case>& cases, const Machine& machine, double limit, const Record& record);

/// Writes the table as Markdown: a row a quantity; value and error of each precision. Returns how many values
/// are off. calls: in how many calls of the program it was computed.
int write_table(const std::vector<Entry>& entries, int calls, const std::filesystem::path& path);

/// Writes the graphs as text, a point a line, and reads them.
void write_curves(const std::vector<Graph>& graphs, const std::filesystem::path& path);
std::vector<Graph> read_curves(const std::filesystem::path& path);

/// Draws graphs as one PNG; only where heddle::plot is built.
void draw(const std::vector<Graph>& graphs, const std::filesystem::path& path);

} // namespace validation

#endif
