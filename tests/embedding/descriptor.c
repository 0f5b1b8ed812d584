/* SPDX-License-Identifier: Apache-2.0
 * From a Fortran 2018 array descriptor to a flat entry. A descriptor has byte strides of any sign, so an
 * assumed-shape section goes through without a copy. The section passed is the interior; what lies around it
 * is read as ghost cells. */
#include "embedding.h"

#include <ISO_Fortran_binding.h>

static int strides_in_elements(const CFI_cdesc_t* array, int rank, int64_t* extent, int64_t* stride) {
  if (array->rank != rank || array->type != CFI_type_double) return 0;
  for (int d = 0; d < rank; ++d) {
    if (array->dim[d].sm % (CFI_index_t)array->elem_len != 0) return 0;
    extent[d] = array->dim[d].extent;
    stride[d] = array->dim[d].sm / (CFI_index_t)array->elem_len;
  }
  return 1;
}

int diffuse_described(const CFI_cdesc_t* u_next, const CFI_cdesc_t* u, double alpha);
int mix_described(const CFI_cdesc_t* g, const CFI_cdesc_t* f, double beta);
int begins_at(const CFI_cdesc_t* section, const void* address);

int diffuse_described(const CFI_cdesc_t* u_next, const CFI_cdesc_t* u, double alpha) {
  int64_t extent[2][3];
  int64_t stride[2][3];
  if (!strides_in_elements(u_next, 3, extent[0], stride[0]) ||
      !strides_in_elements(u, 3, extent[1], stride[1]))
    return -100;
  return embedding_diffuse_f64(u->base_addr, extent[1], stride[1], u_next->base_addr, extent[0], stride[0],
                               alpha);
}

int mix_described(const CFI_cdesc_t* g, const CFI_cdesc_t* f, double beta) {
  int64_t extent[2][4];
  int64_t stride[2][4];
  if (!strides_in_elements(g, 4, extent[0], stride[0]) || !strides_in_elements(f, 4, extent[1], stride[1]))
    return -100;
  return embedding_mix_f64(f->base_addr, extent[1], stride[1], g->base_addr, extent[0], stride[0], beta);
}

int begins_at(const CFI_cdesc_t* section, const void* address) {
  return section->base_addr == address;
}
