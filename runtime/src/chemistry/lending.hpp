// SPDX-License-Identifier: Apache-2.0
// Cells that other ranks compute for a call.
#ifndef HEDDLE_SRC_CHEMISTRY_LENDING_HPP
#define HEDDLE_SRC_CHEMISTRY_LENDING_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/transport/message_round.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle::detail {

/// Work that one rank takes from another.
struct Loan {
  int from;
  int to;
  double work;
};

/// Loans after which all ranks have the mean work; none where the largest is at most `imbalance` times the
/// mean already. The same on all ranks.
[[nodiscard]] std::vector<Loan> loans(std::span<const double> work, double imbalance);

/// Which cells of this rank leave, and how many come; and the messages with them. A record is the numbers of
/// one cell. All ranks make the same calls in the same order.
class Exchange {
public:
  /// transport: null for one rank.
  explicit Exchange(Transport* transport);

  struct Part {
    int rank;
    std::int64_t cells;
  };

  /// Decides from the weights of this rank's cells. lent() are then numbers of cells, in the order in which
  /// they leave.
  void decide(std::span<const std::int64_t> weights, double imbalance);
  [[nodiscard]] const std::vector<std::int64_t>& lent() const noexcept { return lent_; }
  [[nodiscard]] std::int64_t borrowed() const noexcept { return borrowed_; }

  /// Records of lent cells go out, those of borrowed ones come.
  void send_cells(std::span<double> lent, std::span<double> borrowed, std::int64_t numbers);
  /// The way back.
  void return_cells(std::span<double> borrowed, std::span<double> lent, std::int64_t numbers);

private:
  static void run(MessageRound<double>& round, const std::vector<Part>& out, std::span<double> sent,
                  const std::vector<Part>& in, std::span<double> received, std::int64_t numbers);

  struct Rounds {
    explicit Rounds(Transport& transport);
    MessageRound<double> work;
    MessageRound<std::int64_t> counts;
    MessageRound<double> cells;
    MessageRound<double> results;
  };

  Transport* transport_;
  std::vector<Rounds> rounds_; // none for one rank
  std::vector<Part> out_;
  std::vector<Part> in_;
  std::vector<std::int64_t> lent_;
  std::int64_t borrowed_ = 0;
};

} // namespace heddle::detail

#endif
