// SPDX-License-Identifier: Apache-2.0
#include "lending.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::detail {

std::vector<Loan> loans(std::span<const double> work, double imbalance) {
  const double mean = std::accumulate(work.begin(), work.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(work.size(), 1));
  std::vector<Loan> found;
  if (work.empty() || !(*std::ranges::max_element(work) > imbalance * mean)) return found;
  std::vector<double> surplus;
  for (const double w : work)
    surplus.push_back(w - mean);
  std::size_t taker = 0;
  for (std::size_t giver = 0; giver < work.size(); ++giver) {
    while (surplus[giver] > 0) {
      while (taker < work.size() && !(surplus[taker] < 0))
        ++taker;
      if (taker == work.size()) return found; // the rest is rounding
      const double part = std::min(surplus[giver], -surplus[taker]);
      found.push_back({static_cast<int>(giver), static_cast<int>(taker), part});
      surplus[giver] -= part;
      surplus[taker] += part;
    }
  }
  return found;
}

Exchange::Rounds::Rounds(Transport& transport)
    : work(transport, "chemistry: work of ranks"), counts(transport, "chemistry: numbers of cells"),
      cells(transport, "chemistry: cells"), results(transport, "chemistry: results") {}

Exchange::Exchange(Transport* transport) : transport_(transport) {
  if (transport_ != nullptr && transport_->ranks() > 1) rounds_.emplace_back(*transport_);
}

void Exchange::decide(std::span<const std::int64_t> weights, double imbalance) {
  lent_.clear();
  out_.clear();
  in_.clear();
  borrowed_ = 0;
  if (rounds_.empty()) return;
  const int me = transport_->rank();
  const auto ranks = static_cast<std::size_t>(transport_->ranks());
  std::vector<double> work(ranks);
  double& mine = work[static_cast<std::size_t>(me)];
  for (const std::int64_t weight : weights)
    mine += static_cast<double>(weight);
  for (int rank = 0; rank < transport_->ranks(); ++rank) {
    if (rank == me) continue;
    rounds_[0].work.send(rank, &mine, 1);
    rounds_[0].work.receive(rank, &work[static_cast<std::size_t>(rank)], 1);
  }
  rounds_[0].work.run();

  auto next = static_cast<std::int64_t>(weights.size()); // cells leave from the last on
  for (const Loan& loan : loans(work, imbalance)) {
    if (loan.to == me) in_.push_back({loan.from, 0});
    if (loan.from != me) continue;
    const std::int64_t before = next;
    double left = loan.work;
    while (next > 0 && 2 * left >= static_cast<double>(weights[static_cast<std::size_t>(next - 1)]))
      left -= static_cast<double>(weights[static_cast<std::size_t>(lent_.emplace_back(--next))]);
    out_.push_back({loan.to, before - next});
  }
  for (Part& part : out_)
    rounds_[0].counts.send(part.rank, &part.cells, 1);
  for (Part& part : in_)
    rounds_[0].counts.receive(part.rank, &part.cells, 1);
  rounds_[0].counts.run();
  for (const Part& part : in_)
    borrowed_ += part.cells;
}

void Exchange::run(MessageRound<double>& round, const std::vector<Part>& out, std::span<double> sent,
                   const std::vector<Part>& in, std::span<double> received, std::int64_t numbers) {
  double* place = sent.data();
  for (const Part& part : out) {
    round.send(part.rank, place, part.cells * numbers);
    place += part.cells * numbers;
  }
  place = received.data();
  for (const Part& part : in) {
    round.receive(part.rank, place, part.cells * numbers);
    place += part.cells * numbers;
  }
  round.run();
}

void Exchange::send_cells(std::span<double> lent, std::span<double> borrowed, std::int64_t numbers) {
  if (!rounds_.empty()) run(rounds_[0].cells, out_, lent, in_, borrowed, numbers);
}

void Exchange::return_cells(std::span<double> borrowed, std::span<double> lent, std::int64_t numbers) {
  if (!rounds_.empty()) run(rounds_[0].results, in_, borrowed, out_, lent, numbers);
}

} // namespace heddle::detail
