// SPDX-License-Identifier: Apache-2.0
// Without CUDA.
#include "columns.hpp"
#include "heddle/error.hpp"

namespace heddle {

template <class Real> std::unique_ptr<Columns<Real>> device_columns(const ColumnTables&) {
  throw Error("PoissonSolver", "this heddle::poisson was built without CUDA",
              "configure with -DHEDDLE_CUDA=ON");
}

template std::unique_ptr<Columns<float>> device_columns<float>(const ColumnTables&);
template std::unique_ptr<Columns<double>> device_columns<double>(const ColumnTables&);

} // namespace heddle
