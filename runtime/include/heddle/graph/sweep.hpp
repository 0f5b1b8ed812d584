// SPDX-License-Identifier: Apache-2.0
// What emitted sweep classes derive from: a kernel bound to fields, as a task for heddle::TaskGraph.
#ifndef HEDDLE_GRAPH_SWEEP_HPP
#define HEDDLE_GRAPH_SWEEP_HPP

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "heddle/core/dispatch.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/kernel_arguments.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_watch.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/kernel_exchange.hpp"
#include "heddle/sparse/cell_range.hpp"

namespace heddle {

/// What stands for the value of a parameter that a caller has not named, `double alpha = heddle::required;`:
/// code that needs it does not compile.
struct Required {
  template <class T>
  [[gnu::error("a parameter of this sweep has no value: name all of them, {.alpha = 0.1, .beta = 2}")]]
  operator T() const;
};
inline constexpr Required required;

/// The scalars of a kernel that has none.
struct NoParameters {
  [[nodiscard]] static std::tuple<> values() { return {}; }
};

/// What all sweeps have. `Derived` is the emitted class, a kernel in the sense of heddle::call_kernel;
/// `axes` are the dimensions of the kernel; `Scalars` is a struct whose values() are the kernel's last
/// arguments.
template <class Derived, int axes, class Scalars> class Sweep {
public:
  /// Of so many interleaved blocks the kernel takes a cell at once on a device. Some kernels have their own.
  static constexpr int interleave = 1;

  static constexpr int dimensions = axes;
  /// It may lag: it works on the versions of its fields that a stream names.
  static constexpr bool takes_versions = true;

  /// "module::kernel".
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// Where the fields lie: a sweep over device memory only puts work into its stream.
  [[nodiscard]] Memory memory() const noexcept { return domain_.memory; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const { return domain_.accesses; }
  /// Of the first field that is no plane: its blocks, and the rank that has them.
  [[nodiscard]] const BlockGrid& grid() const noexcept { return *domain_.grid; }
  [[nodiscard]] int rank() const noexcept { return domain_.rank; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }
  /// What it uses beside its fields.
  [[nodiscard]] const std::vector<SweepDomain::Used>& uses() const noexcept { return domain_.uses; }

  /// A call without a graph. Throws Error where it reads what an exchange should have brought before: what
  /// sweeps have changed in other blocks or beyond a periodic face (HaloState).
  void operator()(Stream& stream) const {
    watch_.follow();
    static_cast<const Derived&>(*this).in_graph(stream);
  }

  Scalars parameters;

protected:
  /// arguments: those of `bind`.
  template <class... Arguments>
  explicit Sweep(const char* name, const Arguments&... arguments)
      : parameters(scalars_of(arguments...)), name_(name),
        domain_{.kernel = after_module(name), .axes = axes, .interleave = Derived::interleave} {}

  /// arguments: in the order of the kernel's arguments, see kernel_arguments.hpp; a CellRange stands for its
  /// two ends, the Scalars for their values. Throws Error for fields that do not fit the kernel.
  template <class... Arguments> void bind(const Arguments&... arguments) {
    (declare<false>(arguments), ...);
    (declare<true>(arguments), ...);
    side_by_side_ = !(is_reduction<Arguments> || ...);
    if (domain_.grid != nullptr)
      watch_ = HaloWatch(name_, cover_of<Derived>(*domain_.grid, domain_.rank), domain_.accesses);
    launch_ = [arguments...](const Derived& sweep, const Stream& stream, const SweepCells& cells) {
      std::apply([&](const auto&... passed) { call_kernel<Derived>(stream, passed...); },
                 std::tuple_cat(sweep.passed(arguments, cells)...));
    };
  }

  /// One call of the kernel. Of interleaved blocks, a device takes all with the first.
  void call(const Stream& stream, SweepCells cells) const {
    cells.versions = stream.versions();
    if constexpr (Derived::interleave > 1) {
      cells.interleaved = runs_on_device<Derived>(stream);
      if (cells.interleaved && cells.block % Derived::interleave != 0) return;
    }
    launch_(static_cast<const Derived&>(*this), stream, cells);
  }

  /// work(block, stream) for each block. On a device they go side by side, in branches of the stream: one
  /// block may not fill it. Blocks of a reduction share its scratch memory, and follow each other.
  template <class Work> void each_block(Stream& stream, const Work& work) const {
    if (side_by_side_) return side_by_side(stream, blocks(), work);
    for (int block = 0; block < blocks(); ++block)
      work(block, stream);
  }

  [[nodiscard]] const SweepDomain& domain() const noexcept { return domain_; }
  [[nodiscard]] const CellRange& range() const noexcept { return range_; }
  [[nodiscard]] int blocks() const noexcept { return static_cast<int>(domain_.blocks.size()); }

private:
  static const char* after_module(const char* name) {
    const char* colon = std::strrchr(name, ':');
    return colon != nullptr ? colon + 1 : name;
  }

  template <class First, class... Others>
  static Scalars scalars_of(const First& first, const Others&... others) {
    if constexpr (std::is_same_v<First, Scalars>)
      return first;
    else
      return scalars_of(others...);
  }
  static NoParameters scalars_of() { return {}; }

  /// planes: declare these, or the other arguments, which say where the sweep runs.
  template <bool planes, class Argument> void declare(const Argument& argument) {
    if constexpr (is_plane<Argument> != planes)
      return;
    else if constexpr (std::is_same_v<Argument, CellRange>)
      range_ = argument;
    else if constexpr (!std::is_same_v<Argument, Scalars>)
      argument.declare(domain_);
  }
  template <class Argument> auto passed(const Argument& argument, const SweepCells& cells) const {
    if constexpr (std::is_same_v<Argument, Scalars>)
      return parameters.values();
    else if constexpr (std::is_same_v<Argument, CellRange>)
      return std::tuple(cells.range.first, cells.range.last);
    else
      return argument.template passed<axes>(cells);
  }

  const char* name_;
  SweepDomain domain_;
  CellRange range_{};
  bool side_by_side_ = false; // its blocks on a device
  Lifetime lifetime_;
  HaloWatch watch_;
  std::function<void(const Derived&, const Stream&, const SweepCells&)> launch_;
};

/// A sweep over all cells of each block.
template <class Derived, int axes, class Scalars = NoParameters>
class DenseSweep : public Sweep<Derived, axes, Scalars> {
public:
  using base = DenseSweep;
  using Exchanged = DenseExchange;

  template <class... Arguments>
  explicit DenseSweep(const char* name, const Arguments&... arguments)
      : Sweep<Derived, axes, Scalars>(name, arguments...) {
    this->bind(arguments...);
  }

  /// What graphs call.
  void in_graph(Stream& stream) const {
    this->each_block(stream, [&](int block, Stream& branch) { this->call(branch, {.block = block}); });
  }
};

/// A sweep over the cells of a list that a CellRange names, for example list.all().
template <class Derived, class Scalars = NoParameters> class RangeSweep : public Sweep<Derived, 1, Scalars> {
public:
  using base = RangeSweep;
  static constexpr bool over_list = true;
  using Exchanged = SparseExchange;

  template <class... Arguments>
  explicit RangeSweep(const char* name, const Arguments&... arguments)
      : Sweep<Derived, 1, Scalars>(name, arguments...) {
    this->bind(arguments...);
  }

  void in_graph(Stream& stream) const { this->call(stream, {.range = this->range()}); }
};

/// A sweep over cells of a list that a Buffer names (heddle::cells).
template <class Derived, class Scalars = NoParameters> class CellSweep : public Sweep<Derived, 1, Scalars> {
public:
  using base = CellSweep;
  static constexpr bool over_list = true;
  static constexpr bool some_cells = true;
  using Exchanged = SparseExchange;

  template <class... Arguments>
  explicit CellSweep(const char* name, const Arguments&... arguments)
      : Sweep<Derived, 1, Scalars>(name, arguments...) {
    this->bind(arguments...);
  }

  void in_graph(Stream& stream) const { this->call(stream, {}); }
};

/// A sweep over cells of one block that Buffers name, by their coordinates from the first cell.
template <class Derived, int axes, class Scalars = NoParameters>
class BlockCellSweep : public Sweep<Derived, axes, Scalars> {
public:
  using base = BlockCellSweep;
  static constexpr bool some_cells = true;
  using Exchanged = DenseExchange;

  /// block: its number on this rank.
  template <class... Arguments>
  explicit BlockCellSweep(const char* name, int block, const Arguments&... arguments)
      : Sweep<Derived, axes, Scalars>(name, arguments...), block_(block) {
    this->bind(arguments...);
  }

  void in_graph(Stream& stream) const { this->call(stream, {.block = block_}); }

private:
  int block_;
};

/// A sweep with what it exchanges with other blocks, for heddle::HaloExchange.
template <class Whole, class Kind = typename Whole::Exchanged> class WithHalo : public Whole {
public:
  using base = WithHalo;
  using Whole::Whole;

  /// What other blocks have to send before a sweep: from owners to ghost cells. Throws Error for fields that
  /// do not fit together.
  [[nodiscard]] Kind before() const { return exchange(before_, " before", Direction::owner_to_ghost); }
  /// What a sweep leaves for other blocks: from ghost cells to owners. Throws Error as before() does.
  [[nodiscard]] Kind after() const { return exchange(after_, " after", Direction::ghost_to_owner); }

protected:
  MakeExchange<Kind> before_; // empty: nothing is exchanged
  MakeExchange<Kind> after_;

private:
  [[nodiscard]] Kind exchange(const MakeExchange<Kind>& make, const char* when, Direction direction) const {
    const std::string name = std::string(this->name()) + when;
    return make ? make(name, direction) : Kind(name + ", nothing crosses");
  }
};

/// A DenseSweep that can be computed in parts, so that heddle::TaskGraph computes the interior of blocks
/// while messages travel.
template <class Derived, int axes, class Scalars = NoParameters>
class SplitDenseSweep : public WithHalo<Sweep<Derived, axes, Scalars>, DenseExchange> {
public:
  using base = SplitDenseSweep;
  static constexpr bool in_boxes = true; ///< its parts are boxes of cells (BlockPart)

  template <class... Arguments>
  explicit SplitDenseSweep(const char* name, const Arguments&... arguments)
      : SplitDenseSweep::WithHalo(name, arguments...) {
    this->bind(arguments...);
  }

  using Sweep<Derived, axes, Scalars>::operator();
  void in_graph(Stream& stream) const { (*this)(stream, BlockPart()); }
  /// The cells of `part` alone, for graphs: exchanges are not looked for.
  void operator()(Stream& stream, const BlockPart& part) const {
    this->each_block(stream, [&](int block, Stream& branch) {
      for (const Box& box : part.boxes(this->domain().blocks[static_cast<std::size_t>(block)]))
        this->call(branch, {.block = block, .box = &box});
    });
  }
};

/// A RangeSweep that can be computed in parts.
template <class Derived, class Scalars = NoParameters>
class SplitRangeSweep : public WithHalo<Sweep<Derived, 1, Scalars>, SparseExchange> {
public:
  using base = SplitRangeSweep;
  static constexpr bool over_list = true;

  template <class... Arguments>
  explicit SplitRangeSweep(const char* name, const Arguments&... arguments)
      : SplitRangeSweep::WithHalo(name, arguments...) {
    this->bind(arguments...);
  }

  using Sweep<Derived, 1, Scalars>::operator();
  void in_graph(Stream& stream) const { (*this)(stream, BlockPart()); }
  /// The cells of `part` alone, for graphs: exchanges are not looked for.
  void operator()(Stream& stream, const BlockPart& part) const {
    this->call(stream, {.range = this->domain().list->part(this->range(), part)});
  }
};

} // namespace heddle

#endif
