// SPDX-License-Identifier: Apache-2.0
// Mass action from tables: what CVODE is given.
#ifndef HEDDLE_BENCH_CHEMISTRY_MASS_ACTION_HPP
#define HEDDLE_BENCH_CHEMISTRY_MASS_ACTION_HPP

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

struct Reaction {
  std::vector<int> reactants; // one entry per molecule
  std::vector<std::pair<int, double>> changes;
};

/// f and the Jacobian of a mechanism, in compressed columns with a diagonal.
class MassAction {
public:
  MassAction(const std::vector<Reaction>& reactions, int species);

  void tendency(const double* k, const double* y, double* f) const;
  /// values: of all entries, in the order of rows().
  void jacobian(const double* k, const double* y, double* values) const;

  [[nodiscard]] const std::vector<std::int64_t>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::int64_t>& rows() const { return rows_; }

private:
  struct Term { // of f or of the Jacobian: factor k_q times concentrations
    int reaction;
    int place;
    double factor;
    int others[3]; // -1: none
  };
  static double product(const Term& term, const double* k, const double* y);

  int species_;
  std::vector<Reaction> reactions_;
  std::vector<Term> partials_;
  std::vector<std::int64_t> columns_;
  std::vector<std::int64_t> rows_;
};

#endif
