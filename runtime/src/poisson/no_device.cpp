// SPDX-License-Identifier: Apache-2.0
// Without CUDA.
#include "columns.hpp"
#include "heddle/core/error.hpp"
#include "register_transform.hpp"

namespace heddle {

template <class Real> std::unique_ptr<Columns<Real>> device_columns(const ColumnTables&) {
  throw Error("PoissonSolver", "this heddle::poisson was built without CUDA",
              "configure with -DHEDDLE_CUDA=ON");
}

template std::unique_ptr<Columns<float>> device_columns<float>(const ColumnTables&);
template std::unique_ptr<Columns<double>> device_columns<double>(const ColumnTables&);

bool has_register_transform(std::int64_t, std::int64_t) {
  return false;
}

template <class Real>
std::unique_ptr<PlaneTransform<Real>> register_transform(std::int64_t, std::int64_t, std::int64_t) {
  throw Error("register_transform", "this heddle::poisson was built without CUDA",
              "configure with -DHEDDLE_CUDA=ON");
}

template std::unique_ptr<PlaneTransform<float>> register_transform<float>(std::int64_t, std::int64_t,
                                                                          std::int64_t);
template std::unique_ptr<PlaneTransform<double>> register_transform<double>(std::int64_t, std::int64_t,
                                                                            std::int64_t);

} // namespace heddle
