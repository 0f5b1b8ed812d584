// SPDX-License-Identifier: Apache-2.0
#ifndef LEGACY_HPP
#define LEGACY_HPP

/// q_new = q - c (u dq/dx + v dq/dy) on nx x ny cells; each array has a layer of ghost cells around.
void transport(const double* q, const double* u, const double* v, double* q_new, int nx, int ny, double c);

#endif
