// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_HALO_STATE_HPP
#define HEDDLE_GRID_HALO_STATE_HPP

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

namespace heddle {

/// What is known of the ghost layers of a field between two graphs, or between sweeps that are called without
/// one. Each run of a TaskGraph looks at it before its first task and updates it after its last one; a
/// HaloExchange updates it, and so does a sweep that is called by itself. It costs a few comparisons per run
/// and field, and nothing per cell.
class HaloState {
public:
  /// Cells along x, y and z.
  using Cells = std::array<int, 3>;
  static constexpr Cells every_layer{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(),
                                     std::numeric_limits<int>::max()};

  /// The larger number along each axis.
  [[nodiscard]] static constexpr Cells most(const Cells& a, const Cells& b) noexcept {
    return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])};
  }

  /// Sweeps have changed cells of the field: which sweep was the last, in which graph. Empty: nothing of that
  /// kind is known, or other code has filled the ghost layers.
  [[nodiscard]] const std::string& changed_by() const noexcept { return changed_by_; }
  /// How many ghost layers exchanges have brought up to date since.
  [[nodiscard]] const Cells& exchanged() const noexcept { return exchanged_; }
  /// Which sweep has written ghost cells that no exchange has taken to their owners since.
  [[nodiscard]] const std::string& pushed_by() const noexcept { return pushed_by_; }

  void changed(std::string_view sweep) {
    changed_by_ = sweep;
    exchanged_ = {};
  }
  void pushed(std::string_view sweep) { pushed_by_ = sweep; }
  /// So many ghost layers have the values of their owners.
  void filled(const Cells& layers) noexcept { exchanged_ = most(exchanged_, layers); }
  /// All of them have.
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
  Cells exchanged_{};
};

} // namespace heddle

#endif
