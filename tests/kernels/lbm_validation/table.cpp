// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "heddle/error.hpp"
#include "report.hpp"

namespace validation {
namespace {

constexpr Precision columns[] = {Precision::f64, Precision::f32, Precision::mixed, Precision::f16};

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
  for (const Precision precision : columns) {
    const auto computed = entry.quantities.find(precision);
    if (computed == entry.quantities.end()) continue;
    for (const Quantity& quantity : computed->second) {
      if (std::ranges::find(found, quantity.name) == found.end()) found.push_back(quantity.name);
    }
  }
  return found;
}

} // namespace

int write_table(const std::vector<Entry>& entries, const std::filesystem::path& path) {
  std::ofstream out(path);
  out << "# Validation of the lattice Boltzmann family\n\n"
         "Written by `lbm-validation`. Errors are against the reference, in per cent of it where it is not "
         "0. f32 and f64: "
         "populations and arithmetic; mixed: moments in memory, the stress in f16, the rest f32; f16: "
         "populations in f16, "
         "arithmetic in f32, its last column is its distance to f64. Values in bold miss the tolerance, "
         "which f16 has "
         "none of.\n\n![Curves](validation.png)\n";
  int missed = 0;
  for (const Entry& entry : entries) {
    out << "\n## " << entry.one.name << "\n\n"
        << entry.one.setting << ". Reference: " << entry.one.source << ".\n\n"
        << "| quantity | reference | tolerance | f64 | error | f32 | error | mixed | error | f16 | error | "
           "f16 - f64 |\n"
        << "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const std::string& name : names(entry)) {
      const Quantity* some = nullptr;
      for (const Precision precision : columns)
        if (some == nullptr) some = find(entry, precision, name);
      const double tolerance = some->tolerance;
      out << "| " << name << " | " << number(some->reference, 6) << " | "
          << (some->reference == 0 ? number(tolerance, 2)
                                   : number(100 * tolerance / std::abs(some->reference), 2) + " %")
          << " |";
      for (const Precision precision : columns) {
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
      const Quantity* exact = find(entry, Precision::f64, name);
      const Quantity* half = find(entry, Precision::f16, name);
      out << (exact != nullptr && half != nullptr ? " " + number(half->value - exact->value, 2) : "")
          << " |\n";
    }
  }
  out.close();
  if (!out) throw heddle::Error("lbm-validation", "cannot write '" + path.string() + "'");
  return missed;
}

} // namespace validation
