// SPDX-License-Identifier: Apache-2.0
#include "heddle/graph/transfers.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

/// A task of functions that may have a period. It keeps the names of what it accesses.
class Function {
public:
  static constexpr bool takes_versions = false;
  Function(std::string name, std::vector<FieldAccess> accesses, std::function<void(Stream&)> work,
           Memory memory)
      : name_(std::move(name)), accesses_(std::move(accesses)), work_(std::move(work)), memory_(memory) {
    for (const FieldAccess& access : accesses_)
      names_.emplace_back(access.name);
  }
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    std::vector<FieldAccess> found = accesses_;
    for (std::size_t n = 0; n < found.size(); ++n)
      found[n].name = names_[n];
    return found;
  }
  [[nodiscard]] Memory memory() const { return memory_; }
  [[nodiscard]] static std::string arguments() { return {}; } // its results depend on its fields alone
  void operator()(Stream& stream) const { work_(stream); }

private:
  std::string name_;
  std::vector<FieldAccess> accesses_;
  std::vector<std::string> names_;
  std::function<void(Stream&)> work_;
  Memory memory_;
};

} // namespace

struct Transfers::Entry {
  std::string name;
  std::vector<FieldAccess> accesses;
  std::int64_t every;
  std::function<void(TaskGraph&)> join;
};

struct Transfers::Placed {
  const Sides* sides;
  bool up;
  std::size_t before; // the number of a task; that of all tasks: at the end
  std::int64_t every;
  std::string at;
};

Transfers::Transfers() = default;
Transfers::~Transfers() = default;

void Transfers::pair(Sides sides) {
  sides_.push_back(std::move(sides));
}

void Transfers::add(std::string name, std::vector<FieldAccess> accesses,
                    std::function<void(Stream&)> function, const Period& period, Memory memory) {
  add(Function(std::move(name), std::move(accesses), std::move(function), memory), period);
}

void Transfers::add(std::string name, const std::vector<FieldAccess>& accesses, const Period& period,
                    std::function<void(TaskGraph&)> join) {
  entries_.push_back({std::move(name), accesses, period.every, std::move(join)});
}

void Transfers::check_outside() const {
  for (const Outside& one : outside_) {
    if (std::ranges::count(known_, one.copy) == 0)
      throw Error("Transfers", "outside() names a copy that is not paired", "call pair() for it, too");
    const Outside other{one.copy, one.side == Side::host ? Side::device : Side::host, AccessMode::write};
    if (one.mode == AccessMode::write && std::ranges::count(outside_, other) > 0)
      throw Error("Transfers", "both sides of a copy are written outside of the graph",
                  "say which one is the newer at the beginning of an iteration");
  }
}

void Transfers::place(const Sides& sides) {
  enum class Newer { none, host, device };
  const auto outside = [&](Side side, AccessMode mode) {
    return std::ranges::count(outside_, Outside{sides.copy, side, mode}) > 0;
  };
  const auto is_used_outside = [&](Side side) {
    return outside(side, AccessMode::read) || outside(side, AccessMode::write);
  };
  bool host_is_used = is_used_outside(Side::host), device_is_used = is_used_outside(Side::device);
  for (const Entry& entry : entries_) {
    bool host = false, device = false;
    for (const FieldAccess& access : entry.accesses) {
      host = host || access.object == sides.host;
      device = device || access.object == sides.device;
    }
    if (host && device)
      throw Error("Transfers",
                  "task '" + entry.name + "' accesses '" + sides.name +
                      "' on the device and its copy on the host",
                  "a task works on one of them");
    host_is_used = host_is_used || host;
    device_is_used = device_is_used || device;
  }
  if (!host_is_used || !device_is_used) return;

  // An iteration after another: what the first begins with is what it leaves.
  Newer newer = Newer::none;
  std::vector<Placed> placed;
  for (int round = 0; round < 3; ++round) {
    const Newer began = newer;
    placed.clear();
    if (outside(Side::host, AccessMode::write)) newer = Newer::host;
    if (outside(Side::device, AccessMode::write)) newer = Newer::device;
    for (std::size_t task = 0; task < entries_.size(); ++task) {
      const Entry& entry = entries_[task];
      bool uses = false, writes = false, on_host = false;
      for (const FieldAccess& access : entry.accesses) {
        if (access.object != sides.host && access.object != sides.device) continue;
        uses = true;
        writes = writes || access.mode == AccessMode::write;
        on_host = access.object == sides.host;
      }
      if (!uses) continue;
      const Newer here = on_host ? Newer::host : Newer::device;
      const bool stale = newer != Newer::none && newer != here;
      if (stale) {
        placed.push_back({&sides, !on_host, task, entry.every, "before '" + entry.name + "'"});
        if (entry.every == 1) newer = Newer::none; // else in the other iterations this side is still old
      }
      if (!writes || newer == here) continue;
      if (entry.every == 1) {
        newer = here;
      } else { // who reads it on the other side does not know whether it was written: it crosses at once
        placed.push_back({&sides, on_host, task + 1, entry.every, "after '" + entry.name + "'"});
      }
    }
    const bool old_host = newer == Newer::device && outside(Side::host, AccessMode::read);
    const bool old_device = newer == Newer::host && outside(Side::device, AccessMode::read);
    if (old_host || old_device) {
      placed.push_back({&sides, old_device, entries_.size(), 1, "at the end"});
      newer = Newer::none;
    }
    if (newer == began) break;
  }
  placed_.insert(placed_.end(), placed.begin(), placed.end());
}

void Transfers::join(TaskGraph& graph, const Placed& copy) {
  const Sides& sides = *copy.sides;
  const std::string name = (copy.up ? "upload " : "download ") + sides.name;
  const FieldAccess from{copy.up ? sides.host : sides.device, "from", AccessMode::read};
  const FieldAccess to{copy.up ? sides.device : sides.host, "to", AccessMode::write};
  graph.add(Function(name, {from, to}, copy.up ? sides.upload : sides.download, Memory::device),
            {.every = copy.every});
  copies_.push_back({name, copy.up, sides.bytes, copy.every, copy.at});
}

void Transfers::add_to(TaskGraph& graph) {
  if (added_)
    throw Error("Transfers", "its tasks are in a graph already", "make one Transfers for each graph");
  added_ = true;
  check_outside();
  for (const Sides& sides : sides_)
    place(sides);
  for (std::size_t task = 0; task <= entries_.size(); ++task) {
    for (const Placed& copy : placed_)
      if (copy.before == task) join(graph, copy);
    if (task < entries_.size()) entries_[task].join(graph);
  }
}

std::string Transfers::report() const {
  std::string text;
  double up = 0, down = 0; // of an iteration, on average
  for (const Copy& copy : copies_) {
    text += copy.name + ": " + std::to_string(copy.bytes) + " bytes " + copy.at;
    if (copy.every > 1) text += ", every " + std::to_string(copy.every) + " iterations";
    text += '\n';
    (copy.up ? up : down) += static_cast<double>(copy.bytes) / static_cast<double>(copy.every);
  }
  if (text.empty()) return text;
  return text + "an iteration: " + std::to_string(static_cast<std::int64_t>(up)) + " bytes up, " +
         std::to_string(static_cast<std::int64_t>(down)) + " bytes down\n";
}

} // namespace heddle
