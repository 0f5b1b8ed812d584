// SPDX-License-Identifier: Apache-2.0
#ifndef EXAMPLES_LIFT_LOOP_LEGACY_HPP
#define EXAMPLES_LIFT_LOOP_LEGACY_HPP

void advect(const double* q, const double* u, const double* v, double* q_new, int nx, int ny, int nh,
            double cx, double cy);
void sor(double* p, const double* rhs, const int* solid, int nx, int ny, int nz, double omega, double h2,
         int colour);
void diffuse_column(const double* a, const double* b, const double* c, const double* d, double* cp, double* x,
                    int nx, int ny, int nz);
void receive(const double* flux, const int* donor, const double* area, double* out, int count);

#endif
