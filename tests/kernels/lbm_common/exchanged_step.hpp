// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_EXCHANGED_STEP_HPP
#define HEDDLE_TESTS_EXCHANGED_STEP_HPP

#include <cstddef>
#include <utility>

#include "heddle/halo_exchange.hpp"
#include "heddle/task_graph.hpp"
#include "heddle/transport.hpp"

namespace test {

/// A step with what it exchanges before and after it.
template <class Sweep> class ExchangedStep {
public:
  ExchangedStep(Sweep sweep, heddle::Transport& transport)
      : sweep_(std::move(sweep)), before_(sweep_.before(), transport), after_(sweep_.after(), transport) {}
  void add_to(heddle::TaskGraph& loop) {
    loop.add(before_);
    loop.add(sweep_);
    loop.add(after_);
  }
  [[nodiscard]] std::size_t sent_bytes() const { return before_.sent_bytes() + after_.sent_bytes(); }

private:
  Sweep sweep_;
  heddle::HaloExchange before_;
  heddle::HaloExchange after_;
};

} // namespace test

#endif
