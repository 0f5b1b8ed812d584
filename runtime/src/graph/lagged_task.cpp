// SPDX-License-Identifier: Apache-2.0
#include "lagged_task.hpp"

#include <cstdio>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"

namespace heddle {

std::string to_string(const LaggedReport& report) {
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "%.3f", report.waited_seconds);
  return std::to_string(report.triggers) + " triggers, " + std::to_string(report.synchronous) +
         " synchronous, " + std::to_string(report.waits) + " waited " + seconds + " s, " +
         std::to_string(report.bytes) + " bytes of copies";
}

LaggedTask::LaggedTask(const TaskNode& node, int threads, bool stream, Background::Place place)
    : name_(node.name), function_(node.function), copied_(node.copied), arguments_(node.arguments) {
  state_.task = name_;
  for (const TaskNode::Access& access : node.accesses) {
    Object* known = nullptr;
    for (Object& object : objects_) {
      if (object.original == access.object) known = &object;
    }
    if (known == nullptr)
      known = &objects_.emplace_back(Object{access.object, access.kind, nullptr, access.name});
    (access.mode == AccessMode::write ? known->written : known->read) = true;
  }
  background_ = stream ? background_stream(std::move(place)) : background_thread(std::move(place), threads);
}

std::string LaggedTask::shapes() const {
  std::string all;
  for (const Object& object : objects_)
    all += object.kind->shape(object.original) + '\n';
  return all;
}

std::uint64_t LaggedTask::arguments() const {
  const std::string values = arguments_();
  Hash hash;
  hash.add(reinterpret_cast<const std::byte*>(values.data()), values.size());
  return hash.value();
}

/// Nothing is under way.
void LaggedTask::make_versions(const std::string& shapes) {
  if (handed_out_ && !shapes_.empty()) {
    throw Error("TaskGraph",
                "a field of lagged task '" + name_ +
                    "' has changed its shape, and a checkpoint holds the old one",
                "make graph and Checkpoint anew when fields change");
  }
  background_->finish();
  versions_ = {};
  state_.results.clear();
  for (Object& object : objects_) {
    object.version = object.kind->like(object.original);
    versions_.set(object.original, object.version, *object.kind->type);
    if (object.written) state_.results.push_back({object.name, object.version.get(), object.kind->type});
  }
  shapes_ = shapes;
}

void LaggedTask::compute_at_once(Stream& stream) {
  ++synchronous_;
  state_.phase = LaggedState::idle; // until it has succeeded
  function_(stream);
  state_.phase = LaggedState::published;
}

void LaggedTask::begin(Stream& stream) {
  for (const Object& object : objects_) {
    // A task need not write all that belongs to a result: the rest stays what it is.
    const bool first = state_.phase != LaggedState::pending;
    if (object.read || first) object.kind->copy(object.version.get(), object.original, stream);
  }
  state_.phase = LaggedState::idle; // until it has been begun
  background_->launch(copied_(), versions_, stream);
  state_.phase = LaggedState::pending;
}

void LaggedTask::trigger(Stream& stream) {
  ++triggers_;
  try {
    background_->join(stream);
  } catch (...) {
    state_.phase = LaggedState::idle;
    throw;
  }
  const std::string now = shapes();
  const std::uint64_t values = arguments();
  const bool known = now == shapes_;
  const bool same = known && values == state_.arguments && state_.phase != LaggedState::idle;
  if (!known) make_versions(now);
  state_.arguments = values;
  if (!same) return compute_at_once(stream);
  if (state_.phase == LaggedState::pending) {
    for (const Object& object : objects_) {
      if (object.written)
        object.kind->copy(const_cast<void*>(object.original), object.version.get(), stream); // declared so
    }
  }
  begin(stream);
}

void LaggedTask::finish() {
  try {
    background_->finish();
  } catch (...) {
    state_.phase = LaggedState::idle;
    throw;
  }
}

LaggedReport LaggedTask::report() const {
  LaggedReport report{.triggers = triggers_, .synchronous = synchronous_};
  background_->add_waits(report);
  for (const Object& object : objects_) {
    if (object.version) report.bytes += static_cast<std::int64_t>(object.kind->bytes(object.version.get()));
  }
  return report;
}

LaggedState& LaggedTask::state() {
  if (const std::string now = shapes(); now != shapes_) make_versions(now);
  handed_out_ = true;
  return state_;
}

} // namespace heddle
