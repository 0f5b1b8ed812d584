// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/projection.h"

#include <array>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/projection/projection.hpp"

namespace {

using heddle::FieldView;
using heddle::StaggeredGrid;

thread_local std::string last_error;

/// Runs f and returns what it returns; notes what it throws and returns `failed`.
template <class Result, class F> Result noting(Result failed, F&& f) noexcept {
  try {
    return f();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "an exception of an unknown type";
  }
  return failed;
}

template <class Pointer> void require(const char* function, Pointer pointer, const char* name) {
  if (pointer == nullptr) throw heddle::Error(function, std::string(name) + " is null");
}

heddle::SideKind side_kind(std::int32_t side) {
  switch (side) {
  case heddle_periodic:
    return heddle::SideKind::periodic;
  case heddle_wall:
    return heddle::SideKind::no_slip;
  case heddle_open:
    return heddle::SideKind::open;
  default:
    throw heddle::Error("heddle_projection_create",
                        "the kind of side " + std::to_string(side) + " is unknown",
                        "use 0 (periodic), 1 (wall) or 2 (open)");
  }
}

StaggeredGrid make_grid(const std::int64_t* cells, double width_x, double width_y, const double* heights,
                        const double* density, const double* face_density, const std::int32_t* sides) {
  require("heddle_projection_create", cells, "cells");
  require("heddle_projection_create", sides, "sides");
  StaggeredGrid grid;
  grid.cells = {cells[0], cells[1], cells[2]};
  if (cells[2] < 1) throw heddle::Error("heddle_projection_create", "the grid has no levels");
  grid.width_x = width_x;
  grid.width_y = width_y;
  if (heights != nullptr) grid.heights.assign(heights, heights + cells[2]);
  if (density != nullptr) grid.density.assign(density, density + cells[2]);
  if (face_density != nullptr) grid.face_density.assign(face_density, face_density + cells[2] + 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.lower[axis].kind = side_kind(sides[2 * axis]);
    grid.upper[axis].kind = side_kind(sides[2 * axis + 1]);
  }
  return grid;
}

template <class Real> class Handle {
public:
  explicit Handle(const StaggeredGrid& grid) : projection_(grid) {}

  int apply(Real* u, Real* v, Real* w, const std::int64_t* stride, double step) {
    projection_(velocity("heddle_projection_apply", u, v, w, stride), step);
    return 0;
  }

  double divergence(Real* u, Real* v, Real* w, const std::int64_t* stride) {
    heddle::Stream stream;
    const heddle::DivergenceNorms norms =
        projection_.operators().norms(velocity("heddle_divergence", u, v, w, stride), stream);
    if (std::isnan(norms.largest))
      throw heddle::Error("heddle_divergence", "the velocity has no divergence: it has a NaN or infinities",
                          "look for it in u, v and w");
    return norms.largest;
  }

  int solve(Real* field, const std::int64_t* stride) {
    const auto view = this->view("heddle_pressure_solve", field, "field", stride);
    const FieldView<Real> p = projection_.array();
    copy(view, p);
    projection_.solver().solve(p.data());
    copy(p, view);
    return 0;
  }

private:
  FieldView<Real> view(const char* function, Real* data, const char* name, const std::int64_t* stride) const {
    require(function, data, name);
    require(function, stride, "stride");
    const auto& n = projection_.operators().grid().cells;
    return {data, {n[0], n[1], n[2], 1}, {stride[0], stride[1], stride[2], 1}};
  }

  heddle::Velocity<Real> velocity(const char* function, Real* u, Real* v, Real* w,
                                  const std::int64_t* stride) const {
    return {view(function, u, "u", stride), view(function, v, "v", stride), view(function, w, "w", stride)};
  }

  /// Levels run fastest, in bundles that fill cache lines where they lie one behind the other.
  static void copy(const FieldView<Real>& from, const FieldView<Real>& to) {
    constexpr std::int64_t bundle = 16;
    heddle::parallel_ranges(from.extent(1), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t y = first; y < last; ++y) {
        for (std::int64_t low = 0; low < from.extent(2); low += bundle) {
          const std::int64_t high = std::min(low + bundle, from.extent(2));
          for (std::int64_t x = 0; x < from.extent(0); ++x)
            for (std::int64_t z = low; z < high; ++z)
              to(x, y, z) = from(x, y, z);
        }
      }
    });
  }

  heddle::Projection<Real> projection_;
};

} // namespace

struct heddle_projection_f64 : Handle<double> {
  using Handle::Handle;
};
struct heddle_projection_f32 : Handle<float> {
  using Handle::Handle;
};

heddle_projection_f64* heddle_projection_create_f64(const std::int64_t cells[3], double width_x,
                                                    double width_y, const double* heights,
                                                    const double* density, const double* face_density,
                                                    const std::int32_t sides[6]) {
  return noting<heddle_projection_f64*>(nullptr, [&] {
    return new heddle_projection_f64(
        make_grid(cells, width_x, width_y, heights, density, face_density, sides));
  });
}
heddle_projection_f32* heddle_projection_create_f32(const std::int64_t cells[3], double width_x,
                                                    double width_y, const double* heights,
                                                    const double* density, const double* face_density,
                                                    const std::int32_t sides[6]) {
  return noting<heddle_projection_f32*>(nullptr, [&] {
    return new heddle_projection_f32(
        make_grid(cells, width_x, width_y, heights, density, face_density, sides));
  });
}

void heddle_projection_destroy_f64(heddle_projection_f64* projection) {
  delete projection;
}
void heddle_projection_destroy_f32(heddle_projection_f32* projection) {
  delete projection;
}

int heddle_projection_apply_f64(heddle_projection_f64* projection, double* u, double* v, double* w,
                                const std::int64_t stride[3], double step) {
  return noting(-1, [&] {
    require("heddle_projection_apply", projection, "projection");
    return projection->apply(u, v, w, stride, step);
  });
}
int heddle_projection_apply_f32(heddle_projection_f32* projection, float* u, float* v, float* w,
                                const std::int64_t stride[3], double step) {
  return noting(-1, [&] {
    require("heddle_projection_apply", projection, "projection");
    return projection->apply(u, v, w, stride, step);
  });
}

int heddle_pressure_solve_f64(heddle_projection_f64* projection, double* field,
                              const std::int64_t stride[3]) {
  return noting(-1, [&] {
    require("heddle_pressure_solve", projection, "projection");
    return projection->solve(field, stride);
  });
}
int heddle_pressure_solve_f32(heddle_projection_f32* projection, float* field, const std::int64_t stride[3]) {
  return noting(-1, [&] {
    require("heddle_pressure_solve", projection, "projection");
    return projection->solve(field, stride);
  });
}

double heddle_divergence_f64(heddle_projection_f64* projection, double* u, double* v, double* w,
                             const std::int64_t stride[3]) {
  return noting(-1.0, [&] {
    require("heddle_divergence", projection, "projection");
    return projection->divergence(u, v, w, stride);
  });
}
double heddle_divergence_f32(heddle_projection_f32* projection, float* u, float* v, float* w,
                             const std::int64_t stride[3]) {
  return noting(-1.0, [&] {
    require("heddle_divergence", projection, "projection");
    return projection->divergence(u, v, w, stride);
  });
}

const char* heddle_projection_error(void) {
  return last_error.c_str();
}
