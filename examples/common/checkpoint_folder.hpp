// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EXAMPLES_CHECKPOINT_FOLDER_HPP
#define HEDDLE_EXAMPLES_CHECKPOINT_FOLDER_HPP

#include <filesystem>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/transport.hpp"

namespace example {

/// Where a program with the options --out, --checkpoint-every and --resume has its checkpoints.
inline std::filesystem::path checkpoint_folder(const std::filesystem::path& out) {
  return out / "checkpoint";
}

/// Where files lie until the run is over: those of a run with checkpoints outlast its loss. name: of the
/// checkpoints. Throws heddle::Error where `out` has the checkpoints of another run, or none to go on from.
/// All ranks.
inline heddle::OutputFolderOptions place_of_files(const std::filesystem::path& out, const char* name,
                                                  bool writes, bool resumes, heddle::Transport& transport) {
  if (!resumes && !writes) return {};
  const std::string folder = "'" + checkpoint_folder(out).string() + "'";
  const bool any = !heddle::Checkpoint(checkpoint_folder(out), name, transport).steps().empty();
  if (any && !resumes)
    throw heddle::Error("folder " + folder, "it has checkpoints of another run",
                        "continue from it with --resume last, choose another --out, or remove them");
  if (!any && resumes)
    throw heddle::Error("--resume", "there is no checkpoint in " + folder,
                        "give the --out of a run that used --checkpoint-every");
  return {.unfinished = "checkpoint/unfinished", .stays = true, .resume = resumes};
}

} // namespace example

#endif
