// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_FIELDS_HPP
#define HEDDLE_CLOUDS_FIELDS_HPP

#include <memory>

#include "case.hpp"
#include "heddle/io/output.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/transport/transport.hpp"
#include "options.hpp"
#include "saves.hpp"
#include "snapshot.hpp"

namespace clouds {

/// Files of the air for ParaView, written now and then by rank 0: fields.pvd and, for each of its times (s),
/// an image of the whole domain, whatever the number of ranks. Its cells (m) have, in single precision,
///
///     wind     m/s, over the ground, at the centre: means of the components on both sides
///     theta_l  K, liquid water potential temperature
///     q, q_c   kg/kg, total water and cloud water
///     rain     kg/kg, in a case with rain
class Fields {
public:
  /// For a run that is at `progress`, which must outlive this. Throws heddle::Error where files of another
  /// run are to be continued. All ranks.
  Fields(const Options& options, const Case& what, const std::array<std::int64_t, 3>& cells,
         RunState& progress, heddle::OutputFolder& results, heddle::Transport& transport);

  /// Whether a multiple of --fields-every was reached since the last files, or there are none yet.
  [[nodiscard]] bool due(double time) const;
  /// Writes files. All ranks; air: on rank 0. Throws heddle::Error where they cannot be written.
  void update(const Snapshot& air);

private:
  void add_arrays(bool rains);

  const Case* what_;
  double every_;
  RunState* progress_;
  std::unique_ptr<heddle::Output> output_; // on rank 0
  const Snapshot* air_ = nullptr;          // while it is written
};

/// Bytes of the files of a run.
[[nodiscard]] double bytes_of_fields(const Options& options, const Case& what,
                                     const std::array<std::int64_t, 3>& cells);

} // namespace clouds

#endif
