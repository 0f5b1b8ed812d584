// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_RANK_VALUES_HPP
#define HEDDLE_PROJECTION_RANK_VALUES_HPP

#include <algorithm>
#include <span>
#include <vector>

#include "heddle/transport/message_round.hpp"

namespace heddle {

/// A few numbers of each rank, known to all. Sums are formed in the order of the ranks, so that all ranks get
/// the same bits, and the same ones every time. All ranks make the same calls.
class RankValues {
public:
  explicit RankValues(Transport& transport)
      : rank_(transport.rank()), ranks_(transport.ranks()), round_(transport, "values of ranks") {}

  /// The numbers of rank 0, then those of rank 1, and so on; as many on each rank.
  [[nodiscard]] std::vector<double> gather(std::span<const double> own) {
    std::vector<double> sent(own.begin(), own.end()), all(own.size() * static_cast<std::size_t>(ranks_));
    const auto count = static_cast<std::int64_t>(own.size());
    for (int r = 0; r < ranks_; ++r) {
      double* const to = all.data() + r * count;
      if (r == rank_) {
        std::copy(own.begin(), own.end(), to);
      } else {
        round_.send(r, sent.data(), count);
        round_.receive(r, to, count);
      }
    }
    if (ranks_ > 1) round_.run();
    return all;
  }
  [[nodiscard]] double sum(double own) {
    double total = 0;
    for (const double value : gather({&own, 1}))
      total += value;
    return total;
  }
  /// NaN if one of them is.
  [[nodiscard]] double largest(double own) { return largest({&own, 1}).front(); }
  /// The same of each of several numbers, in one round of messages.
  [[nodiscard]] std::vector<double> largest(std::span<const double> own) {
    std::vector<double> result(own.begin(), own.end());
    const std::vector<double> all = gather(own);
    for (std::size_t n = 0; n < all.size(); ++n) {
      double& most = result[n % own.size()];
      if (all[n] > most || all[n] != all[n]) most = all[n];
    }
    return result;
  }

private:
  int rank_, ranks_;
  MessageRound<double> round_;
};

} // namespace heddle

#endif
