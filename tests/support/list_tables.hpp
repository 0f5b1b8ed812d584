// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_LIST_TABLES_HPP
#define HEDDLE_TESTS_LIST_TABLES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "heddle/device/run.hpp"
#include "heddle/sparse/index_list.hpp"

/// The numbers of runs and their segments say what the table says.
inline void check_runs(const heddle::IndexList& list) {
  for (std::int64_t n = 0; n < list.cells(); n += heddle::IndexList::chunk) {
    for (int r = 0; r < list.rows(); ++r) {
      const std::uint32_t* const number =
          list.neighbour_run() + n / heddle::IndexList::chunk * list.rows() + r;
      if (*number == heddle::run_entry::unknown) FAIL() << "nothing is known of row " << r << " cell " << n;
      std::uint32_t entries[heddle::run_cells] = {};
      std::uint32_t done = *number < heddle::run_entry::first_of_segments ? 0xFFFFU : 0;
      for (std::uint32_t lane = 0; lane < heddle::run_cells; ++lane)
        entries[lane] = *number + lane;
      for (const std::uint32_t* pair = number + (*number - heddle::run_entry::first_of_segments);
           done != 0xFFFFU; pair += heddle::run_entry::words_of_pair) {
        for (std::uint32_t lane = 0; lane < heddle::run_cells; ++lane) {
          if (((pair[0] >> lane) & 1U) != 0) entries[lane] = pair[1] + lane;
          if (((pair[0] >> (16 + lane)) & 1U) != 0) entries[lane] = pair[2] + lane;
        }
        if (pair[0] == 0) FAIL() << "a pair of segments without a lane, row " << r << " cell " << n;
        done |= (pair[0] | pair[0] >> 16U) & 0xFFFFU;
      }
      const std::uint32_t* const table = list.neighbour() + r * list.neighbour_stride() + n;
      if (!std::equal(entries, entries + heddle::run_cells, table)) FAIL() << "row " << r << " cell " << n;
    }
  }
}

#endif
