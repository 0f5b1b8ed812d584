// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_LOCAL_COPIES_HPP
#define HEDDLE_SRC_HALO_LOCAL_COPIES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_plan.hpp"

namespace heddle {

/// What crosses between blocks of this rank in host memory, row by row from where it is to where it goes:
/// without the message buffer, and without a kernel that asks for each value to which field it belongs.
class LocalCopies {
public:
  /// From the tables of what is packed and unpacked. nullopt where a field does not store the values of
  /// messages. Refers to the fields, not to the exchange.
  [[nodiscard]] static std::optional<LocalCopies> of(const DenseExchange& exchange,
                                                     const HaloPlan::Local& local);

  [[nodiscard]] bool empty() const { return copies_.empty(); }

  /// Copies for where the fields lie now.
  void run() const;

private:
  struct Copy {
    std::size_t field;
    std::int64_t component;
    int from_block, to_block;
    std::array<std::int64_t, 3> from, to, count; // first cells, and how many
  };

  template <class Value> void run_as() const;

  std::vector<DenseExchange::Location> locations_;
  std::size_t value_bytes_ = 0;
  std::vector<Copy> copies_;
  std::vector<std::int64_t> rows_before_; // of each copy: the rows of all copies in front of it; and of all
};

} // namespace heddle

#endif
