/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure projection from C and Fortran: arrays of the caller, with strides of any order and sign, corrected
 * in place.
 *
 * Axes are x, y, z. A pointer leads to the first interior cell (for velocities: the face at its lower end),
 * strides count elements, and one layer of ghost cells lies around: in Fortran order k, j, i (PALM) the
 * strides of x, y, z are {n_k n_j, n_k, 1}. PALM numbers w by the upper face: pass the address of w(nzb, nys,
 * nxl), which is the lower face of the first cell. An object serves one thread at a time.
 */
#ifndef HEDDLE_PROJECTION_PROJECTION_H
#define HEDDLE_PROJECTION_PROJECTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heddle_projection_f64 heddle_projection_f64;
typedef struct heddle_projection_f32 heddle_projection_f32;

/* What lies at a side. At walls the velocity through the side is 0 (the caller's tangential ghosts are not
 * touched). */
/* What a flow meets at a side. */
enum heddle_side { heddle_periodic = 0, heddle_wall = 1, heddle_open = 2 };

/* cells: along x, y, z. sides: of heddle_side, at the lower and upper end of x, of y, of z. heights
 * (cells[2]), density (cells[2]) and face_density (cells[2] + 1, from the lowest face) may be null: 1 each.
 * Null where something is wrong: heddle_projection_error says what. */
heddle_projection_f64* heddle_projection_create_f64(const int64_t cells[3], double width_x, double width_y,
                                                    const double* heights, const double* density,
                                                    const double* face_density, const int32_t sides[6]);
heddle_projection_f32* heddle_projection_create_f32(const int64_t cells[3], double width_x, double width_y,
                                                    const double* heights, const double* density,
                                                    const double* face_density, const int32_t sides[6]);
/* Null is allowed. */
void heddle_projection_destroy_f64(heddle_projection_f64* projection);
void heddle_projection_destroy_f32(heddle_projection_f32* projection);

/* Makes u, v, w free of divergence (see heddle::Projection) and fills the faces at the upper ends, which are
 * the first ghost cells. 0, or -1 where something is wrong. */
int heddle_projection_apply_f64(heddle_projection_f64* projection, double* u, double* v, double* w,
                                const int64_t stride[3], double step);
int heddle_projection_apply_f32(heddle_projection_f32* projection, float* u, float* v, float* w,
                                const int64_t stride[3], double step);

/* Replaces a right-hand side by the pressure, in place. Ghost cells stay. 0, or -1 where something is wrong.
 */
int heddle_pressure_solve_f64(heddle_projection_f64* projection, double* field, const int64_t stride[3]);
int heddle_pressure_solve_f32(heddle_projection_f32* projection, float* field, const int64_t stride[3]);

/* The largest divergence of a velocity; negative where something is wrong, which a NaN in it is. */
double heddle_divergence_f64(heddle_projection_f64* projection, double* u, double* v, double* w,
                             const int64_t stride[3]);
double heddle_divergence_f32(heddle_projection_f32* projection, float* u, float* v, float* w,
                             const int64_t stride[3]);

/* What went wrong last on this thread: where, why, what to do. */
const char* heddle_projection_error(void);

#ifdef __cplusplus
}
#endif

#endif
