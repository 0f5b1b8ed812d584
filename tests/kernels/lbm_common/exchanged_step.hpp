// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_EXCHANGED_STEP_HPP
#define HEDDLE_TESTS_EXCHANGED_STEP_HPP

#include <cstddef>
#include <utility>

#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/transport.hpp"

namespace test {

/// A step with what it exchanges before and after it. All bytes of messages are checked, so that faults are
/// found.
template <class Sweep> class ExchangedStep {
public:
  /// together: blocks of a host, too, are packed in one call, as on a device.
  ExchangedStep(Sweep sweep, heddle::Transport& transport, bool together = false)
      : sweep_(std::move(sweep)),
        before_(sweep_.before(), transport, {.stamps = heddle::Stamps::checksums, .as_on_device = together}),
        after_(sweep_.after(), transport, {.stamps = heddle::Stamps::checksums, .as_on_device = together}) {}
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
