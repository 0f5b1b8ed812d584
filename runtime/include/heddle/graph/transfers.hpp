// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_TRANSFERS_HPP
#define HEDDLE_GRAPH_TRANSFERS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/period.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"

namespace heddle {

/// A Field or Buffer and its copy on the host, in pinned memory, which begins with zeros. Of what lies on the
/// host anyway there is no copy: host() is the object itself. It must outlive graphs and must not move.
template <class F> class HostCopy {
public:
  explicit HostCopy(F& object) : object_(&object) {
    if (object.memory() == Memory::device) copy_.emplace(object.like(Memory::pinned));
  }
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;

  [[nodiscard]] F& object() const noexcept { return *object_; }
  [[nodiscard]] F& host() noexcept { return copy_ ? *copy_ : *object_; }
  [[nodiscard]] const F& host() const noexcept { return copy_ ? *copy_ : *object_; }
  /// Whether there are two.
  [[nodiscard]] bool crosses() const noexcept { return copy_.has_value(); }

private:
  F* object_;
  std::optional<F> copy_;
};

/// What crosses between a device and the host, derived from what tasks declare. Tasks on the host access
/// host() of a HostCopy, others its object; a copy comes before a task that accesses what a task of the other
/// side has written since, and nowhere else. What nobody on the other side reads never crosses.
///
///     heddle::Transfers transfers;
///     transfers.pair("rain", rain);                    // HostCopy<Field<float>> rain
///     transfers.add(microphysics);                     // writes rain.object() on the device
///     transfers.add("maximum", {{&rain.host(), "rain"}}, [&](heddle::Stream&) { ... }, {.every = 60});
///     transfers.add_to(graph);                         // every 60 iterations: rain to the host, "maximum"
///     std::fputs(transfers.report().c_str(), stdout);
///
/// The caller sees to it that both sides hold the same values before the first iteration
/// (copy.host().copy_from), or says with outside() which side is written. Copies are of whole fields, ghost
/// layers too, in one piece per block; on a device they are work in a stream, and are recorded with a loop. A
/// task that writes may leave cells as they are, so what it writes is brought to its side first if it is
/// newer on the other.
class Transfers {
public:
  /// A copy, and the iterations in which it happens.
  struct Copy {
    std::string name; // "upload q", "download q"
    bool up = false;
    std::int64_t bytes = 0;
    std::int64_t every = 1;
    std::string at; // "before 'stage'", "after 'read'", "at the end"
  };

  Transfers();
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// A side of a HostCopy: its object, on a device, or what host() gives.
  enum class Side { device, host };

  /// Both sides of a copy, which must outlive the graph. name: for the report.
  template <class F> void pair(std::string name, HostCopy<F>& copy) {
    known_.push_back(&copy);
    if (!copy.crosses()) return;
    F& device = copy.object();
    F& host = copy.host();
    pair(Sides{std::move(name), &copy, &host, &device, static_cast<std::int64_t>(device.bytes()),
               [&host, &device](Stream& stream) { device.copy_from(host, stream); },
               [&host, &device](Stream& stream) { host.copy_from(device, stream); }});
  }
  /// What code between runs, or another graph, does with one side of a copy that pair() has been given.
  /// read: at the end of each iteration this side is up to date. write: at the beginning of each iteration
  /// this side counts as the newer one, so run one iteration at a time: in run(n) each one would take it
  /// anew. At most one side of a copy is written.
  template <class F> void outside(const HostCopy<F>& copy, Side side, AccessMode mode) {
    outside_.push_back({&copy, side, mode});
  }

  /// As TaskGraph::add. Tasks keep their order.
  template <class T>
    requires Task<std::remove_reference_t<T>>
  void add(T&& task, const Period& period = {}) {
    std::string name(std::string_view(task.name()));
    const std::vector<FieldAccess> accesses = task.accesses();
    if constexpr (std::is_lvalue_reference_v<T>) {
      add(std::move(name), accesses, period, [&task, period](TaskGraph& graph) { graph.add(task, period); });
    } else {
      auto kept = std::make_shared<std::remove_reference_t<T>>(std::forward<T>(task));
      add(std::move(name), accesses, period,
          [kept, period](TaskGraph& graph) { graph.add(std::move(*kept), period); });
    }
  }
  /// The same from parts.
  void add(std::string name, std::vector<FieldAccess> accesses, std::function<void(Stream&)> function,
           const Period& period = {}, Memory memory = Memory::host);

  /// Adds all tasks and copies to a graph. Throws Error for a second call, a task that accesses both sides of
  /// a copy, and an outside() of both sides written or of a copy that is not paired.
  void add_to(TaskGraph& graph);

  /// After add_to: the copies, in the order of an iteration.
  [[nodiscard]] const std::vector<Copy>& copies() const noexcept { return copies_; }
  /// A line for each copy and a sum: "upload q: 1048576 bytes before 'stage'". Empty if nothing crosses.
  [[nodiscard]] std::string report() const;

private:
  struct Sides {
    std::string name;
    const void* copy;
    AccessedObject host, device;
    std::int64_t bytes;
    std::function<void(Stream&)> upload, download;
  };
  struct Entry;
  struct Placed;
  struct Outside {
    const void* copy;
    Side side;
    AccessMode mode;
    bool operator==(const Outside&) const = default;
  };

  void pair(Sides sides);
  void add(std::string name, const std::vector<FieldAccess>& accesses, const Period& period,
           std::function<void(TaskGraph&)> join);
  void check_outside() const;
  void place(const Sides& sides);
  void join(TaskGraph& graph, const Placed& copy);

  std::vector<const void*> known_; // copies, of which those in sides_ have two sides
  std::vector<Sides> sides_;
  std::vector<Entry> entries_;
  std::vector<Outside> outside_;
  bool added_ = false;
  std::vector<Placed> placed_;
  std::vector<Copy> copies_;
};

} // namespace heddle

#endif
