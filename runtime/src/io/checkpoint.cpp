// SPDX-License-Identifier: Apache-2.0
#include "heddle/io/checkpoint.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "checkpoint_folder.hpp"
#include "checkpoint_manifest.hpp"
#include "checkpoint_part.hpp"
#include "checkpoint_restore.hpp"
#include "file_writer.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/collective.hpp"

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr const char* where = "Checkpoint";

/// What a rank reports: text that begins with `good`, or an error.
constexpr char good = '+';
constexpr char bad = '-';

std::string report(const Error& error) {
  return bad + error.reason() + '\0' + error.hint();
}

[[noreturn]] void rethrow(const std::string& text, const std::string& prefix = {}) {
  const std::size_t cut = text.find('\0');
  throw Error(where, prefix + text.substr(1, cut - 1), text.substr(cut + 1));
}

/// What f returns, or why it does not.
template <class F> std::string attempt(F&& f) {
  try {
    return good + f();
  } catch (const Error& error) {
    return report(error);
  } catch (const std::exception& error) { // no memory
    return report({where, error.what()});
  }
}

} // namespace

struct Checkpoint::State {
  struct Field {
    CheckpointManifest::Field declared;
    std::vector<Block> blocks;
    std::optional<BlockGrid> grid; // of which it has the blocks of ranks, unless it came block by block
    std::set<int> ranks;
  };
  struct Number {
    CheckpointManifest::Number declared; // without bytes
    std::byte* place;
    std::size_t bytes;
    std::unique_ptr<const double> required{};
  };

  State(fs::path in, std::string called, Transport* transport, CheckpointOptions wanted)
      : folder(std::move(in), std::move(called)), options(std::move(wanted)),
        collective(transport, "checkpoint " + folder.name) {
    if (options.keep < 1)
      throw Error(where, "keep = " + std::to_string(options.keep) + " is not valid",
                  "keep at least 1 checkpoint");
  }

  CheckpointFolder folder;
  CheckpointOptions options;
  Collective collective;
  std::vector<Field> fields;
  std::vector<Number> numbers;
  /// What brings to the cells what they reach, for write(), and what they have reached to its owners, for
  /// read().
  struct Exchanges {
    std::vector<std::unique_ptr<HaloExchange>> halos;
    std::optional<TaskGraph> loop;

    void add(SparseExchange exchange, Transport& transport);
    void run() {
      if (loop) loop->run();
    }
  };
  std::vector<TaskGraph*> graphs; // whose lagged tasks end before anything is stored or restored
  Exchanges to_cells;
  Exchanges to_owners;
  bool ours = false; // the checkpoints in the folder are of this run, or of the one it goes on from

  void watch(const std::string& step) const {
    if (options.watch) options.watch(step);
  }
  /// All ranks have what rank 0 makes, or throw what it throws.
  template <class F> std::string by_rank_0(F&& f) {
    const std::string text = collective.broadcast(collective.rank() == 0 ? attempt(f) : std::string());
    if (text.front() == bad) rethrow(text);
    return text.substr(1);
  }

  void require_new_name(const std::string& name) const;
  std::size_t add_field(CheckpointManifest::Field declared);
  [[nodiscard]] CheckpointManifest write_part(std::int64_t step, const std::string& stem);
  void write_manifest(std::int64_t step, const std::vector<std::string>& reports);
  void require_whole(const CheckpointManifest::Part& part) const;
  void clean(std::int64_t step);
  void require_numbers(const CheckpointManifest& manifest) const;
  void require_same(const CheckpointManifest& manifest) const;
  [[nodiscard]] std::string restore(const CheckpointManifest& manifest);
  void judge(const CheckpointManifest& manifest, const std::vector<std::string>& reports) const;
  [[nodiscard]] std::string offer(std::int64_t damaged) const;
};

void Checkpoint::refuse_solid_boundary_nodes(const IndexList& list, std::string_view field) {
  if (list.solid_nodes() == 0) return;
  throw Error(
      where,
      "'" + std::string(field) + "' is over a list that holds " + std::to_string(list.solid_nodes()) +
          " cells behind walls, but only listed cells would be stored, so populations at walls would be lost",
      "use add(field, next step, step after it, transport), which stores them");
}

Checkpoint::Checkpoint(fs::path folder, std::string name, CheckpointOptions options)
    : state_(std::make_unique<State>(std::move(folder), std::move(name), nullptr, std::move(options))) {}
Checkpoint::Checkpoint(fs::path folder, std::string name, Transport& transport, CheckpointOptions options)
    : state_(std::make_unique<State>(std::move(folder), std::move(name), &transport, std::move(options))) {}
Checkpoint::~Checkpoint() = default;

void Checkpoint::State::require_new_name(const std::string& name) const {
  bool known = name.empty();
  for (const Field& field : fields)
    known = known || field.declared.name == name;
  for (const Number& number : numbers)
    known = known || number.declared.name == name;
  if (known)
    throw Error("Checkpoint::add", "'" + name + "' is not a valid name, or is already in use",
                "choose another name");
}

std::size_t Checkpoint::State::add_field(CheckpointManifest::Field declared) {
  require_new_name(declared.name);
  fields.push_back({std::move(declared), {}, {}, {}});
  return fields.size() - 1;
}

std::size_t Checkpoint::part_of(const Declared& field, const BlockGrid& grid, int rank) {
  const CheckpointManifest::Field declared{field.name, field.type.name, field.components, field.listed};
  for (std::size_t i = 0; i < state_->fields.size(); ++i) {
    State::Field& known = state_->fields[i];
    if (known.declared != declared || known.grid != grid || known.ranks.contains(rank)) continue;
    known.ranks.insert(rank);
    return i;
  }
  const std::size_t number = state_->add_field(declared);
  state_->fields[number].grid = grid;
  state_->fields[number].ranks.insert(rank);
  return number;
}

std::size_t Checkpoint::listed_field(const std::string& name, const Type& type, int components) {
  const CheckpointManifest::Field declared{name, type.name, components, true};
  for (std::size_t i = 0; i < state_->fields.size(); ++i) {
    if (state_->fields[i].declared == declared) return i; // one more block
  }
  return state_->add_field(declared);
}

void Checkpoint::add_block(std::size_t field, Block block) {
  state_->fields[field].blocks.push_back(std::move(block));
}

void Checkpoint::State::Exchanges::add(SparseExchange exchange, Transport& transport) {
  if (!loop)
    loop.emplace(
        TaskGraphOptions{.name = exchange.name(), .memory = exchange.memory(), .overlap = Overlap::off});
  halos.push_back(std::make_unique<HaloExchange>(std::move(exchange), transport));
  loop->add(*halos.back());
}

void Checkpoint::add_exchanges(SparseExchange before, SparseExchange after, Transport& transport) {
  state_->to_cells.add(std::move(before), transport);
  state_->to_owners.add(std::move(after), transport);
}

void Checkpoint::add_number(const std::string& name, const Type& type, std::byte* place, std::size_t bytes) {
  state_->require_new_name(name);
  state_->numbers.push_back({{name, type.name, {}}, place, bytes});
}

void Checkpoint::add(TaskGraph& graph) {
  const TaskGraph::State state = graph.state();
  add(std::string(graph.name()) + " iterations", *state.iterations);
  for (LaggedState* const lagged : state.lagged) {
    add(lagged->task + " phase", lagged->phase);
    add(lagged->task + " arguments", lagged->arguments);
    for (const LaggedState::Result& result : lagged->results) {
      const std::string name = lagged->task + ": " + result.name + " to be published";
      const auto taken = [&]<class T>() {
        if (auto* const dense = result.as<Field<T>>()) return add(*dense, name), true;
        if (auto* const listed = result.as<SparseField<T>>()) return add(*listed, name), true;
        return false;
      };
      const auto one_of = [&]<class... T>() { return (taken.template operator()<T>() || ...); };
      if (!one_of.template operator()<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                      std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>())
        throw Error(where, "'" + name + "' cannot be stored", "let lagged tasks write fields");
    }
  }
  state_->graphs.push_back(&graph);
}

void Checkpoint::require(const std::string& name, double value) {
  State& s = *state_;
  s.require_new_name(name);
  // A place that nothing but write() reads: read() has compared it when it restores the same value.
  auto required = std::make_unique<double>(value);
  auto* place = reinterpret_cast<std::byte*>(required.get());
  s.numbers.push_back({{name, type<double>().name, {}}, place, sizeof value, std::move(required)});
}

std::vector<std::int64_t> Checkpoint::steps() const {
  return state_->folder.steps();
}

// -------------------------------------------------------------------------------------------------------
// writing

void Checkpoint::write(std::int64_t step) {
  State& s = *state_;
  const std::string stem = s.by_rank_0([&] {
    if (step < 0) throw Error(where, "step " + std::to_string(step) + " is negative", "use 0 or more");
    if (s.fields.empty() && s.numbers.empty())
      throw Error(where, "there is nothing to write", "call add() with a field first");
    const std::vector<std::int64_t> there = s.folder.steps();
    if (!s.ours && !there.empty()) {
      throw Error(where,
                  s.folder.path.string() + " has checkpoints of '" + s.folder.name +
                      "' from another run, the last of step " + std::to_string(there.back()),
                  "continue from it with read(), write to another folder, or remove them");
    }
    s.folder.make();
    return s.folder.unused_stem(step);
  });
  s.to_cells.run();
  const std::vector<std::string> reports =
      s.collective.gather(attempt([&] { return s.write_part(step, stem).text(); }));
  const auto place = [&] {
    s.write_manifest(step, reports);
    return std::string();
  };
  const std::string text = s.collective.broadcast(s.collective.rank() == 0 ? attempt(place) : std::string());
  if (text.front() == bad) {
    s.folder.remove_parts(stem); // each rank: not all may have the folder of rank 0
    rethrow(text);
  }
  (void)s.by_rank_0([&] {
    s.watch("sync " + s.folder.path.string());
    sync_folder(s.folder.path, where);
    return std::string();
  });
  s.ours = true;
  if (s.collective.rank() == 0) s.clean(step);
}

CheckpointManifest Checkpoint::State::write_part(std::int64_t step, const std::string& stem) {
  for (TaskGraph* const graph : graphs)
    graph->finish();
  CheckpointManifest manifest{folder.name, step, {}, {}, {}, {}};
  for (const Number& number : numbers) {
    manifest.numbers.push_back(number.declared);
    manifest.numbers.back().bytes.assign(number.place, number.place + number.bytes);
  }
  std::size_t blocks = 0;
  for (const Field& field : fields) {
    manifest.fields.push_back(field.declared);
    blocks += field.blocks.size();
  }
  if (blocks == 0) return manifest;

  const std::string file = stem + "." + std::to_string(collective.rank()) + ".part";
  watch("write " + file);
  PartWriter part(folder.path / file);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (const Block& block : fields[f].blocks) {
      manifest.blocks.push_back(part.write(block, f, fields[f].declared));
      watch("written in " + file + ": " + to_string(block.box) + " of " + fields[f].declared.name);
    }
  }
  watch("finish " + file);
  manifest.parts.push_back({file, part.finish()});
  return manifest;
}

/// Throws unless rank 0 sees all of a part: a manifest must not name what lies in another folder.
void Checkpoint::State::require_whole(const CheckpointManifest::Part& part) const {
  const fs::path file = folder.path / part.file;
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(file, problem);
  if (!problem && bytes == part.bytes) return;
  throw Error(where,
              file.string() + " was written, but rank 0 finds " +
                  (problem ? "no such file" : std::to_string(bytes) + " bytes") + " instead of " +
                  std::to_string(part.bytes) + " bytes",
              "give all ranks the same folder, on a file system that they share");
}

/// Puts the checkpoint in place if all ranks have written their parts.
void Checkpoint::State::write_manifest(std::int64_t step, const std::vector<std::string>& reports) {
  CheckpointManifest all;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const std::string who = reports.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    if (reports[rank].front() == bad) rethrow(reports[rank], who);
    CheckpointManifest one = CheckpointManifest::parse(reports[rank].substr(1), where);
    if (rank == 0) {
      all = std::move(one);
      continue;
    }
    if (one.fields != all.fields) {
      throw Error(where, who + "it stores different fields than rank 0",
                  "add the same fields on all ranks; use declare_listed() on ranks without blocks");
    }
    for (CheckpointManifest::Block& block : one.blocks) {
      block.part = all.parts.size();
      all.blocks.push_back(std::move(block));
    }
    all.parts.insert(all.parts.end(), one.parts.begin(), one.parts.end());
  }
  watch("sync parts in " + folder.path.string());
  sync_folder(folder.path, where);
  for (const CheckpointManifest::Part& part : all.parts)
    require_whole(part);
  const fs::path place = folder.manifest(step);
  watch("write " + place.filename().string());
  FileWriter file(place, where);
  file.write(all.text());
  file.close();
  watch("rename " + place.filename().string());
  file.commit();
}

/// Removes what the new checkpoint of `step` replaces. A failure here harms nothing, and the next one tries
/// again.
void Checkpoint::State::clean(std::int64_t step) {
  std::vector<std::int64_t> there = folder.steps();
  std::erase_if(there, [&](std::int64_t other) {
    if (other <= step) return false;
    watch("remove step " + std::to_string(other));
    folder.remove(other);
    return true;
  });
  while (there.size() > static_cast<std::size_t>(options.keep)) {
    watch("remove step " + std::to_string(there.front()));
    folder.remove(there.front());
    there.erase(there.begin());
  }
  watch("remove what is left over");
  folder.remove_unnamed_parts();
}

// -------------------------------------------------------------------------------------------------------
// reading

std::int64_t Checkpoint::read() {
  const std::string step = state_->by_rank_0([&] {
    const std::vector<std::int64_t> there = state_->folder.steps();
    if (there.empty()) {
      throw Error(
          where, "there is no checkpoint of '" + state_->folder.name + "' in " + state_->folder.path.string(),
          "check the folder, and that the run reached its first checkpoint");
    }
    return std::to_string(there.back());
  });
  const std::int64_t newest = std::stoll(step);
  read(newest);
  return newest;
}

void Checkpoint::read(std::int64_t step) {
  State& s = *state_;
  const std::string text = s.by_rank_0([&] {
    const std::vector<std::int64_t> there = s.folder.steps();
    if (!std::ranges::binary_search(there, step)) {
      std::string steps;
      for (const std::int64_t other : there)
        steps += (steps.empty() ? "" : ", ") + std::to_string(other);
      throw Error(where,
                  "there is no checkpoint of step " + std::to_string(step) + " in " + s.folder.path.string(),
                  there.empty() ? "check the folder" : "choose one of the steps " + steps);
    }
    try {
      s.require_numbers(s.folder.load(step));
    } catch (const Error& error) {
      throw Error(where, error.reason(), error.hint().empty() ? s.offer(step) : error.hint());
    }
    return s.folder.text(step);
  });
  const CheckpointManifest manifest = CheckpointManifest::parse(text, where);
  const std::vector<std::string> reports = s.collective.gather(attempt([&] { return s.restore(manifest); }));
  (void)s.by_rank_0([&] {
    s.judge(manifest, reports);
    return std::string();
  });
  s.to_owners.run();
  s.ours = true;
}

void Checkpoint::State::require_numbers(const CheckpointManifest& manifest) const {
  for (const Number& number : numbers) {
    if (!number.required) continue;
    const auto stored =
        std::ranges::find(manifest.numbers, number.declared.name, &CheckpointManifest::Number::name);
    if (stored == manifest.numbers.end() || stored->type != number.declared.type)
      continue; // said by require_same
    double value = 0;
    std::memcpy(&value, stored->bytes.data(), sizeof value);
    if (value == *number.required) continue;
    throw Error(where,
                folder.manifest(manifest.step).string() + ": its " + number.declared.name + " is " +
                    number_text(value) + ", but this run has " + number_text(*number.required),
                "use the options with which it was written");
  }
}

void Checkpoint::State::require_same(const CheckpointManifest& manifest) const {
  const std::string file = folder.manifest(manifest.step).string();
  const auto names = [](const auto& all) {
    std::string text;
    for (const auto& one : all)
      text += (text.empty() ? "'" : ", '") + one.name + "'";
    return text.empty() ? std::string("none") : text;
  };
  for (const Field& field : fields) {
    const CheckpointManifest::Field& wanted = field.declared;
    const CheckpointManifest::Field* found = nullptr;
    for (const CheckpointManifest::Field& other : manifest.fields) {
      if (other.name == wanted.name) found = &other;
    }
    const std::string what = file + ": field '" + wanted.name + "' ";
    if (found == nullptr) {
      throw Error(where, what + "is not in the checkpoint; its fields are " + names(manifest.fields),
                  "use the options with which it was written");
    }
    if (found->type != wanted.type) {
      throw Error(where, what + "was stored as " + found->type + ", but this run uses " + wanted.type,
                  "use the precision with which it was written");
    }
    if (found->components != wanted.components) {
      throw Error(where,
                  what + "has " + std::to_string(found->components) + " components, but this run uses " +
                      std::to_string(wanted.components),
                  "use the options with which it was written");
    }
    if (found->listed != wanted.listed) {
      throw Error(where,
                  what + (found->listed ? "was stored for listed cells, but this run uses all cells"
                                        : "was stored for all cells, but this run uses listed cells"),
                  "use the options with which it was written");
    }
  }
  if (fields.size() != manifest.fields.size()) {
    throw Error(where,
                file + ": it has fields that this run did not add; its fields are " + names(manifest.fields),
                "use the options with which it was written");
  }
  bool same = numbers.size() == manifest.numbers.size();
  for (std::size_t i = 0; same && i < numbers.size(); ++i) {
    same = numbers[i].declared.name == manifest.numbers[i].name &&
           numbers[i].declared.type == manifest.numbers[i].type;
  }
  if (!same) {
    throw Error(where,
                file + ": its numbers are " + names(manifest.numbers) +
                    ", which differ from those of this run in name or type",
                "use the options with which it was written");
  }
}

/// Restores what is here, and says of each field how many cells it has here.
std::string Checkpoint::State::restore(const CheckpointManifest& manifest) {
  for (TaskGraph* const graph : graphs) {
    try {
      graph->finish();
    } catch (...) { // of a past that this run gives up
    }
  }
  require_same(manifest);
  std::string cells;
  CheckpointSource source(folder.path, manifest);
  for (const Field& field : fields) {
    std::int64_t count = 0;
    for (const Block& block : field.blocks) {
      source.restore(field.declared, block);
      count += block.cells;
    }
    cells += std::to_string(count) + " ";
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::memcpy(numbers[i].place, manifest.numbers[i].bytes.data(), numbers[i].bytes);
  return cells;
}

/// Throws Error unless all ranks have restored all that there is.
void Checkpoint::State::judge(const CheckpointManifest& manifest,
                              const std::vector<std::string>& reports) const {
  std::vector<std::int64_t> here(fields.size());
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const std::string& text = reports[rank];
    if (text.front() == bad) {
      const std::size_t cut = text.find('\0');
      const std::string who = reports.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
      const std::string hint = text.substr(cut + 1);
      throw Error(where, who + text.substr(1, cut - 1), hint.empty() ? offer(manifest.step) : hint);
    }
    std::istringstream counts(text.substr(1));
    for (std::int64_t& sum : here) {
      std::int64_t count = 0;
      counts >> count;
      sum += count;
    }
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    std::int64_t there = 0;
    for (const CheckpointManifest::Block& block : manifest.blocks) {
      if (manifest.fields[block.field].name == fields[f].declared.name) there += block.cells;
    }
    if (there == here[f]) continue;
    throw Error(where,
                folder.manifest(manifest.step).string() + ": field '" + fields[f].declared.name + "' has " +
                    std::to_string(there) + " cells, but this run has " + std::to_string(here[f]),
                "use the domain and the geometry with which it was written");
  }
}

/// Says which other checkpoint can be read instead of a damaged one, the newest first; it looks at all its
/// bytes.
std::string Checkpoint::State::offer(std::int64_t damaged) const {
  std::vector<std::int64_t> there = folder.steps();
  while (!there.empty()) {
    const std::int64_t step = there.back();
    there.pop_back();
    if (step == damaged) continue;
    try {
      const CheckpointManifest manifest = folder.load(step);
      CheckpointSource(folder.path, manifest).verify();
      return "the checkpoint of step " + std::to_string(step) + " is whole: go on from that one";
    } catch (const Error&) {
      continue; // damaged, too
    }
  }
  return "no other checkpoint is whole";
}

} // namespace heddle
