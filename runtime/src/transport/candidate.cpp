// SPDX-License-Identifier: Apache-2.0
#include "heddle/transport/candidate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

namespace {

struct Entry {
  std::string name;
  int preference;
  Launcher launcher;
  RegisteredTransport::Candidate candidate;
};

/// In the order of preference. Made when the first one registers, before main().
std::vector<Entry>& registry() {
  static std::vector<Entry> entries;
  return entries;
}

/// "HEDDLE_TRANSPORT can be auto, peer or threads here".
std::string usable(const std::vector<TransportCandidate>& candidates) {
  std::vector<std::string> names;
  for (const TransportCandidate& candidate : candidates) {
    if (candidate.fits) names.push_back(candidate.name);
  }
  if (names.empty()) return "no transport can be used here";
  std::string text = "HEDDLE_TRANSPORT can be auto";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text + " here";
}

std::string wanted_transport() {
  return env_var("HEDDLE_TRANSPORT").value_or("auto");
}

} // namespace

RegisteredTransport::RegisteredTransport(const char* name, int preference, Launcher launcher,
                                         Candidate candidate) noexcept {
  std::vector<Entry>& entries = registry();
  if (std::ranges::any_of(entries,
                          [&](const Entry& e) { return e.name == name && e.launcher == launcher; })) {
    std::fprintf(stderr, "two transports are registered as '%s'\n", name);
    std::abort(); // before main(): nobody could catch an Error
  }
  const auto place = std::ranges::upper_bound(entries, preference, {}, &Entry::preference);
  entries.insert(place, {name, preference, launcher, candidate});
}

std::vector<TransportCandidate> registered_candidates(const LaunchRequest& request) {
  std::vector<TransportCandidate> candidates;
  for (const Entry& entry : registry()) {
    if (entry.launcher == request.launcher) candidates.push_back(entry.candidate(request));
  }
  for (const Entry& entry : registry()) {
    if (std::ranges::find(candidates, entry.name, &TransportCandidate::name) == candidates.end())
      candidates.push_back(unavailable(entry.name, request.reason_elsewhere, request.hint_elsewhere));
  }
  return candidates;
}

TransportCandidate unavailable(std::string name, std::string reason, std::string hint) {
  return {.name = std::move(name), .reason = std::move(reason), .hint = std::move(hint), .elsewhere = true};
}

TransportCandidate unavailable_to_one(std::string name) {
  return unavailable(std::move(name), "there is one rank",
                     "HEDDLE_RANKS=<number> gives this process several");
}

TransportCandidate unavailable_on_hosts(std::string name) {
  return unavailable(std::move(name), "the fields lie in host memory",
                     "it takes fields on devices (--device cuda, where the program has that)");
}

CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates,
                                 const std::string& wanted) {
  std::string known;
  for (const TransportCandidate& candidate : candidates) {
    if (wanted == "auto" ? candidate.fits : candidate.name == wanted) {
      if (!candidate.fits)
        throw Error("select_transport", wanted + " cannot be used: " + candidate.reason,
                    candidate.hint + (candidate.hint.empty() ? "" : "; ") + usable(candidates));
      std::string line = "transport " + candidate.name + ": " + candidate.reason;
      if (wanted != "auto") line += "; asked for by name";
      if (!known.empty()) line.append(" (not ").append(known).append(")");
      return {&candidate, line};
    }
    if (candidate.elsewhere) continue;
    known += (known.empty() ? "" : ", ") + candidate.name + ": " + candidate.reason;
  }
  if (wanted == "auto") throw Error("select_transport", "no transport is usable", known);
  throw Error("select_transport", "there is no transport '" + wanted + "'", usable(candidates));
}

CandidateChoice select_candidate(const std::vector<TransportCandidate>& candidates) {
  return select_candidate(candidates, wanted_transport());
}

TransportChoice select_transport(const std::vector<TransportCandidate>& candidates,
                                 const std::string& wanted) {
  const CandidateChoice choice = select_candidate(candidates, wanted);
  return {choice.candidate->make(), choice.line};
}

TransportChoice select_transport(const std::vector<TransportCandidate>& candidates) {
  return select_transport(candidates, wanted_transport());
}

} // namespace heddle
