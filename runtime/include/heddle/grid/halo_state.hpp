// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_HALO_STATE_HPP
#define HEDDLE_GRID_HALO_STATE_HPP

#include <string>
#include <string_view>

namespace heddle {

/// What is known of the ghost layers of a field between two graphs. Each run of a TaskGraph looks at it
/// before its first task and updates it after its last one; a HaloExchange updates it, too. Sweeps that are
/// called without a graph do not. It costs a few comparisons per run and field, and nothing per cell or step.
class HaloState {
public:
  /// Sweeps have changed cells of the field, and no exchange has brought these to the ghost layers since:
  /// which sweep of which graph. Empty: nothing of that kind is known.
  [[nodiscard]] const std::string& changed_by() const noexcept { return changed_by_; }
  /// Which sweep has written ghost cells that no exchange has taken to their owners since.
  [[nodiscard]] const std::string& pushed_by() const noexcept { return pushed_by_; }

  void changed(std::string_view sweep) { changed_by_ = sweep; }
  void pushed(std::string_view sweep) { pushed_by_ = sweep; }
  /// The ghost layers have the values of their owners.
  void filled() noexcept { changed_by_.clear(); }
  /// The owners have what was written to the ghost layers.
  void returned() noexcept { pushed_by_.clear(); }
  /// All values are new, those of the ghost layers too.
  void reset() noexcept {
    filled();
    returned();
  }

private:
  std::string changed_by_;
  std::string pushed_by_;
};

} // namespace heddle

#endif
