// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "heddle/core/error.hpp"
#include "report.hpp"

namespace validation {
namespace {

std::string number(double value, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

/// Relative where there is something to relate it to.
std::string error(const Quantity& quantity) {
  const double off = quantity.value - quantity.reference;
  return quantity.reference == 0 ? number(off, 2) : number(100 * off / quantity.reference, 2) + " %";
}

const Quantity* find(const Entry& entry, Precision precision, const std::string& name) {
  const auto found = entry.quantities.find(precision);
  if (found == entry.quantities.end()) return nullptr;
  const auto& all = found->second;
  const auto at = std::ranges::find(all, name, &Quantity::name);
  return at == all.end() ? nullptr : &*at;
}

/// The names of all quantities of a case, in order.
std::vector<std::string> names(const Entry& entry) {
  std::vector<std::string> found;
  for (const Precision precision : every_precision) {
    const auto computed = entry.quantities.find(precision);
    if (computed == entry.quantities.end()) continue;
    for (const Quantity& quantity : computed->second) {
      if (std::ranges::find(found, quantity.name) == found.end()) found.push_back(quantity.name);
    }
  }
  return found;
}

std::string tolerance(double reference, double allowed) {
  return reference == 0 ? number(allowed, 2) : number(100 * allowed / std::abs(reference), 2) + " %";
}

/// The reference, the tolerance and, in brackets, the others that some precision has.
std::string tolerances(const Entry& entry, const std::string& name) {
  std::string text;
  std::vector<std::string> told;
  for (const Precision precision : every_precision) {
    const Quantity* quantity = find(entry, precision, name);
    if (quantity == nullptr || precision == Precision::f16) continue;
    const std::string allowed = tolerance(quantity->reference, quantity->allowed(precision));
    if (text.empty()) text = number(quantity->reference, 6) + " | " + allowed;
    if (!told.empty() && std::ranges::find(told, allowed) == told.end())
      text += std::string(" (") + name_of(precision) + ": " + allowed + ")";
    told.push_back(allowed);
  }
  return text;
}

/// How far a precision lies from another.
std::string distance(const Entry& entry, const std::string& name, Precision from, Precision to) {
  const Quantity *one = find(entry, from, name), *other = find(entry, to, name);
  return one == nullptr || other == nullptr ? "" : number(one->value - other->value, 2);
}

} // namespace

int write_table(const std::vector<Entry>& entries, int calls, const std::filesystem::path& path) {
  std::ofstream out(path);
  out << "# Validation of the lattice Boltzmann family\n\n"
         "Written by `lbm-validation`. Errors are against the reference, in per cent of it where it is not "
         "0. f64 and "
         "f32: populations and arithmetic; f32 moments: the moments of the regularised operator in memory; "
         "mixed: the "
         "same with the stress in f16; f16: populations in f16, arithmetic in f32. Values in bold miss the "
         "tolerance. "
         "All are judged by one, but for those in brackets: of f32 and moments where rounding shows, of "
         "moments where "
         "their operator has an error that others do not have. f16 has none: its distance to f64 stands "
         "beside it, as that "
         "of mixed to f32 moments.";
  if (calls > 1) out << " Computed in " << calls << " calls.";
  out << "\n\n![Curves](validation.png)\n";
  int missed = 0;
  for (const Entry& entry : entries) {
    out << "\n## " << entry.one.name << "\n\n"
        << entry.one.setting << ". Reference: " << entry.one.source << "."
        << (entry.one.without.empty() ? "" : " " + entry.one.without) << "\n\n"
        << "| quantity | reference | tolerance |";
    for (const Precision precision : every_precision)
      out << " " << name_of(precision) << " | error |";
    out << " mixed - f32 moments | f16 - f64 "
           "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const std::string& name : names(entry)) {
      out << "| " << name << " | " << tolerances(entry, name) << " |";
      for (const Precision precision : every_precision) {
        const Quantity* quantity = find(entry, precision, name);
        if (quantity == nullptr) {
          out << " | |";
          continue;
        }
        // a NaN misses, too
        const bool holds = std::abs(quantity->value - quantity->reference) <= quantity->allowed(precision);
        if (!holds) ++missed;
        const char* bold = holds ? "" : "**";
        out << " " << bold << number(quantity->value, 6) << bold << " | " << error(*quantity) << " |";
      }
      out << " " << distance(entry, name, Precision::mixed, Precision::moments) << " | "
          << distance(entry, name, Precision::f16, Precision::f64) << " |\n";
    }
  }
  out.close();
  if (!out) throw heddle::Error("lbm-validation", "cannot write '" + path.string() + "'");
  return missed;
}

} // namespace validation
