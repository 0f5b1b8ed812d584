// SPDX-License-Identifier: Apache-2.0
#include "mass_action.hpp"

#include <algorithm>
#include <set>

MassAction::MassAction(const std::vector<Reaction>& reactions, int species)
    : species_(species), reactions_(reactions) {
  std::set<std::pair<int, int>> places; // column and row
  for (int i = 0; i < species; ++i)
    places.emplace(i, i);
  for (const Reaction& reaction : reactions_)
    for (const int j : reaction.reactants)
      for (const auto& change : reaction.changes)
        places.emplace(j, change.first);
  columns_.assign(static_cast<std::size_t>(species) + 1, 0);
  for (const auto& [column, row] : places) {
    rows_.push_back(row);
    ++columns_[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(species); ++j)
    columns_[j + 1] += columns_[j];
  const std::vector<std::pair<int, int>> sorted(places.begin(), places.end());
  for (std::size_t q = 0; q < reactions_.size(); ++q) {
    const std::vector<int>& reactants = reactions_[q].reactants;
    for (std::size_t m = 0; m < reactants.size(); ++m)
      for (const auto& [i, nu] : reactions_[q].changes) {
        const auto at = std::ranges::lower_bound(sorted, std::pair(reactants[m], i));
        Term term{static_cast<int>(q), static_cast<int>(at - sorted.begin()), nu, {-1, -1, -1}};
        int n = 0;
        for (std::size_t other = 0; other < reactants.size(); ++other)
          if (other != m) term.others[n++] = reactants[other];
        partials_.push_back(term);
      }
  }
}

double MassAction::product(const Term& term, const double* k, const double* y) {
  double value = term.factor * k[term.reaction];
  for (int n = 0; n < 3 && term.others[n] >= 0; ++n)
    value *= y[term.others[n]];
  return value;
}

void MassAction::tendency(const double* k, const double* y, double* f) const {
  std::fill(f, f + species_, 0.0);
  for (std::size_t q = 0; q < reactions_.size(); ++q) {
    double rate = k[q];
    for (const int s : reactions_[q].reactants)
      rate *= y[s];
    for (const auto& [i, nu] : reactions_[q].changes)
      f[i] += nu * rate;
  }
}

void MassAction::jacobian(const double* k, const double* y, double* values) const {
  std::fill(values, values + rows_.size(), 0.0);
  for (const Term& term : partials_)
    values[term.place] += product(term, k, y);
}
