/* SPDX-License-Identifier: Apache-2.0
 * A host in C calls the kernel of a mechanism once per time step: its arrays as they are, any strides. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reactions.h"

enum { cells = 3, species = 3 };

static const double wanted[species] = {7.1582e-01, 9.1851e-06, 2.8417e-01}; /* at 40 s, of SUNDIALS */

int main(void) {
  double concentration[cells][species]; /* the species of a cell lie together */
  double temperature[cells], pressure[cells];
  double step[cells] = {0}; /* no cell remembers one */
  int32_t outcome[cells];
  int64_t steps[cells];
  const int64_t extent[2] = {cells, species};
  const int64_t together[2] = {species, 1}; /* elements from cell to cell, and from species to species */
  const int64_t one = 1;
  int call, n, s;
  for (n = 0; n < cells; ++n) {
    temperature[n] = 298.15;
    pressure[n] = 101325.0;
    for (s = 0; s < species; ++s)
      concentration[n][s] = s == 0 ? 1.0 : 0.0;
  }
  for (call = 0; call < 10; ++call) {
    const int status = reactions_robertson_f64(&concentration[0][0], extent, together, temperature, extent,
                                               &one, pressure, extent, &one, step, extent, &one, outcome,
                                               extent, &one, steps, extent, &one, 1e-14, 4.0, 1e-7);
    if (status != 0) {
      printf("the kernel refused its arguments: %d\n", status);
      return 1;
    }
    for (n = 0; n < cells; ++n) {
      if (outcome[n] != 0) {
        printf("cell %d failed: %d\n", n, (int)outcome[n]);
        return 1;
      }
    }
  }
  for (n = 0; n < cells; ++n) {
    for (s = 0; s < species; ++s) {
      if (!(fabs(concentration[n][s] - wanted[s]) <= 2e-4 * wanted[s])) {
        printf("cell %d, species %d: %g, not %g\n", n, s, concentration[n][s], wanted[s]);
        return 1;
      }
    }
  }
  temperature[1] = -1.0;
  if (reactions_robertson_f64(&concentration[0][0], extent, together, temperature, extent, &one, pressure,
                              extent, &one, step, extent, &one, outcome, extent, &one, steps, extent, &one,
                              1e-14, 4.0, 1e-7) != 0 ||
      outcome[0] != 0 || outcome[1] != 3) {
    printf("a temperature of -1 K is no failure of its cell\n");
    return 1;
  }
  { /* with a tolerance per species: the same as one for all; none may be below 0 */
    double tolerances[species] = {1e-14, 1e-14, 1e-14};
    double other[cells][species];
    temperature[1] = 298.15;
    for (n = 0; n < cells; ++n) {
      step[n] = 0;
      for (s = 0; s < species; ++s)
        other[n][s] = concentration[n][s] = s == 0 ? 1.0 : 0.0;
    }
    if (reactions_robertson_f64(&other[0][0], extent, together, temperature, extent, &one, pressure, extent,
                                &one, step, extent, &one, outcome, extent, &one, steps, extent, &one, 1e-14,
                                4.0, 1e-7) != 0)
      return 1;
    for (n = 0; n < cells; ++n)
      step[n] = 0;
    if (reactions_each_f64(&concentration[0][0], extent, together, temperature, extent, &one, pressure,
                           extent, &one, step, extent, &one, outcome, extent, &one, steps, extent, &one,
                           tolerances, 4.0, 1e-7) != 0 ||
        memcmp(other, concentration, sizeof other) != 0) {
      printf("three equal tolerances are not one for all\n");
      return 1;
    }
    tolerances[2] = -1e-14;
    if (reactions_each_f64(&concentration[0][0], extent, together, temperature, extent, &one, pressure,
                           extent, &one, step, extent, &one, outcome, extent, &one, steps, extent, &one,
                           tolerances, 4.0, 1e-7) != 0 ||
        outcome[0] != 3 || memcmp(other, concentration, sizeof other) != 0) {
      printf("a tolerance of -1e-14 is no failure\n");
      return 1;
    }
  }
  return 0;
}
