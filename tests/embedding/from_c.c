/* SPDX-License-Identifier: Apache-2.0
 * The flat entries from C11: every order of the axes in memory, ghost layers, walking backwards, components
 * far apart and interleaved; and every violated precondition gets its own number. */
#include "embedding.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 13, NY = 6, NZ = 5, COMPONENTS = 4 };

static int failures = 0;

static double unset(void) {
  return nan("");
}

static void expect(int is, int should, const char* what) {
  if (is != should) {
    fprintf(stderr, "%s: %d instead of %d\n", what, is, should);
    ++failures;
  }
}

/* An array of this test: interior NX x NY x NZ with ghost layers, the axes in any order in memory. */
typedef struct {
  double* memory;
  double* first; /* the first interior cell, component 0 */
  int64_t count;
  int64_t extent[4];
  int64_t stride[4];
} array;

/* order: which axis is fastest, second, slowest (3 is the component). reversed: bit d turns axis d round. */
static array make(const int order[4], int ghosts, unsigned reversed, int step, int whole) {
  array a;
  const int64_t interior[4] = {NX, NY, NZ, COMPONENTS};
  int64_t stride = step;
  int64_t first = 0;
  for (int d = 0; d < 4; ++d)
    a.extent[d] = interior[d];
  for (int i = 0; i < 4; ++i) {
    const int d = order[i];
    const int margin = d == 3 ? 0 : ghosts;
    const int64_t length = interior[d] + 2 * margin;
    if ((reversed >> d) & 1U) {
      a.stride[d] = -stride;
      first += (length - 1 - margin) * stride;
    } else {
      a.stride[d] = stride;
      first += margin * stride;
    }
    stride *= length;
  }
  a.count = stride;
  a.memory = malloc((size_t)a.count * sizeof(double));
  if (!a.memory) {
    fputs("not enough memory for the test\n", stderr);
    exit(2);
  }
  for (int64_t i = 0; i < a.count; ++i)
    a.memory[i] = whole ? (double)((i * 7919 + 13) % 1021) : unset();
  a.first = a.memory + first;
  return a;
}

static double at(const array* a, int64_t x, int64_t y, int64_t z, int64_t c) {
  return a->first[x * a->stride[0] + y * a->stride[1] + z * a->stride[2] + c * a->stride[3]];
}

static double diffused(const array* u, int64_t x, int64_t y, int64_t z) {
  return at(u, x, y, z, 0) + 0.25 * (at(u, x - 1, y, z, 0) + at(u, x + 1, y, z, 0) + at(u, x, y - 1, z, 0) +
                                     at(u, x, y + 1, z, 0) + at(u, x, y, z - 1, 0) + at(u, x, y, z + 1, 0) -
                                     6.0 * at(u, x, y, z, 0));
}

static double mixed(const array* f, int64_t x, int64_t y, int64_t z, int64_t c) {
  switch (c) {
  case 0:
    return at(f, x - 1, y, z, 1) + 0.5 * at(f, x, y, z, 0);
  case 1:
    return at(f, x, y + 1, z, 2) - 0.5 * at(f, x, y, z, 1);
  case 2:
    return at(f, x, y, z - 1, 3) + 0.5 * at(f, x + 1, y, z, 2);
  default:
    return at(f, x, y, z + 1, 0) - 0.5 * at(f, x, y - 1, z, 3);
  }
}

/* Elements of `out` that are not what the loops say; every element outside the interior must still be NaN. */
static int64_t mismatches(const array* out, const array* in, int components) {
  int64_t wrong = 0;
  int64_t untouched = 0;
  for (int64_t c = 0; c < components; ++c)
    for (int64_t z = 0; z < NZ; ++z)
      for (int64_t y = 0; y < NY; ++y)
        for (int64_t x = 0; x < NX; ++x)
          wrong += at(out, x, y, z, c) != (components == 1 ? diffused(in, x, y, z) : mixed(in, x, y, z, c));
  for (int64_t i = 0; i < out->count; ++i)
    untouched += isnan(out->memory[i]) != 0;
  return wrong + llabs(out->count - untouched - (int64_t)NX * NY * NZ * components);
}

static void layouts(void) {
  static const int orders[][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 0, 2, 3},
                                  {0, 2, 1, 3}, {3, 0, 1, 2}, {2, 3, 1, 0}};
  int cases = 0;
  for (size_t o = 0; o < sizeof orders / sizeof orders[0]; ++o)
    for (int ghosts = 1; ghosts <= 3; ++ghosts)
      for (unsigned reversed = 0; reversed < 8; ++reversed)
        for (int step = 1; step <= 2; ++step) {
          array in = make(orders[o], ghosts, reversed, step, 1);
          array out = make(orders[(o + 1) % 6], ghosts, reversed ^ 5U, 1, 0);
          expect(
              embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, out.extent, out.stride, 0.25),
              0, "diffuse");
          expect((int)mismatches(&out, &in, 1), 0, "mismatches of diffuse");
          for (int64_t i = 0; i < out.count; ++i)
            out.memory[i] = unset();
          expect(embedding_mix_f64(in.first, in.extent, in.stride, out.first, out.extent, out.stride, 0.5), 0,
                 "mix");
          expect((int)mismatches(&out, &in, COMPONENTS), 0, "mismatches of mix");
          for (int64_t i = 0; i < out.count; ++i)
            out.memory[i] = unset();
          expect(embedding_mix_f64_reference(in.first, in.extent, in.stride, out.first, out.extent,
                                             out.stride, 0.5),
                 0, "mix, reference");
          expect((int)mismatches(&out, &in, COMPONENTS), 0, "mismatches of mix, reference");
          if (in.stride[0] == 1 && out.stride[0] == 1) {
            expect(embedding_diffuse_f64_unit(in.first, in.extent, in.stride, out.first, out.extent,
                                              out.stride, 0.25),
                   0, "diffuse, unit stride");
          }
          free(in.memory);
          free(out.memory);
          ++cases;
        }
  printf("%d layouts\n", cases);
}

/* Both fields in one array, value beside value: no element is shared, so this is allowed. */
static void interleaved(void) {
  const int order[4] = {0, 1, 2, 3};
  array in = make(order, 1, 0, 2, 1);
  array out = in;
  out.first = in.first + 1;
  int64_t wrong = 0;
  double* expected = malloc(sizeof(double) * NX * NY * NZ * COMPONENTS);
  if (!expected) exit(2);
  int64_t i = 0;
  for (int64_t c = 0; c < COMPONENTS; ++c)
    for (int64_t z = 0; z < NZ; ++z)
      for (int64_t y = 0; y < NY; ++y)
        for (int64_t x = 0; x < NX; ++x)
          expected[i++] = mixed(&in, x, y, z, c);
  expect(embedding_mix_f64(in.first, in.extent, in.stride, out.first, out.extent, out.stride, 0.5), 0,
         "interleaved");
  i = 0;
  for (int64_t c = 0; c < COMPONENTS; ++c)
    for (int64_t z = 0; z < NZ; ++z)
      for (int64_t y = 0; y < NY; ++y)
        for (int64_t x = 0; x < NX; ++x)
          wrong += at(&out, x, y, z, c) != expected[i++];
  expect((int)wrong, 0, "mismatches of interleaved fields");
  free(expected);
  free(in.memory);
}

static void preconditions(void) {
  const int order[4] = {0, 1, 2, 3};
  array in = make(order, 1, 0, 1, 1);
  array out = make(order, 1, 0, 1, 0);
  int64_t extent[4] = {NX, NY, NZ, COMPONENTS};
  int64_t stride[4] = {out.stride[0], out.stride[1], out.stride[2], out.stride[3]};

  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, NULL, out.extent, out.stride, 0.25), -1,
         "null output");
  expect(embedding_diffuse_f64(NULL, in.extent, in.stride, out.first, out.extent, out.stride, 0.25), -1,
         "null input");
  extent[1] = NY - 1;
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, extent, out.stride, 0.25), -2,
         "extents");
  extent[1] = NY;
  extent[3] = COMPONENTS - 1;
  expect(embedding_mix_f64(in.first, in.extent, in.stride, out.first, extent, out.stride, 0.5), -2,
         "components");
  stride[2] = 0;
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, out.extent, stride, 0.25), -3,
         "stride 0");
  stride[2] = out.stride[2];
  stride[0] = 2;
  expect(embedding_diffuse_f64_unit(in.first, in.extent, in.stride, out.first, out.extent, stride, 0.25), -3,
         "unit stride promised, two given");
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, in.first, in.extent, in.stride, 0.25), -4,
         "one array as both fields");
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, in.first + 3, in.extent, in.stride, 0.25), -4,
         "fields shifted against each other");
  const int64_t most = INT64_MAX;
  stride[0] = 1;
  stride[1] = NX / 2;
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, out.extent, stride, 0.25), -4,
         "rows of the output that overlap each other");
  stride[1] = most;
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, out.extent, stride, 0.25), -3,
         "a stride out of all memory");
  expect(embedding_diffuse_f64(in.first, in.extent, stride, out.first, out.extent, out.stride, 0.25), -3,
         "such a stride of the input");
  stride[1] = -most - 1;
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, out.first, out.extent, stride, 0.25), -3,
         "the lowest stride");
  extent[0] = most;
  extent[3] = COMPONENTS;
  expect(embedding_diffuse_f64(in.first, extent, in.stride, out.first, extent, out.stride, 0.25), -2,
         "the highest extent");
  extent[0] = extent[1] = (int64_t)1 << 32;
  expect(embedding_diffuse_f64(in.first, extent, in.stride, out.first, extent, out.stride, 0.25), -2,
         "extents whose product is 0 in 64 bits");
  double* between = (double*)((char*)out.first + 1);
  expect(embedding_diffuse_f64(in.first, in.extent, in.stride, between, out.extent, out.stride, 0.25), -7,
         "an address between two elements");
  double* ghosts = in.first + NY * in.stride[1];
  extent[0] = NX;
  extent[1] = 1;
  expect(embedding_diffuse_f64(in.first, extent, in.stride, in.first + in.stride[1], extent, in.stride, 0.25),
         -4, "the output in ghost cells of the input, whose rows are those of its interior");
  expect(embedding_diffuse_f64(ghosts - in.stride[1], extent, in.stride, ghosts, extent, in.stride, 0.25), -4,
         "the output in ghost cells of the input");
  int64_t changed = 0;
  for (int64_t i = 0; i < out.count; ++i)
    changed += !isnan(out.memory[i]);
  expect((int)changed, 0, "elements written by refused calls");

  int64_t layers[4] = {in.stride[0], in.stride[1], 0,
                       in.stride[3]}; /* one layer stands for all, where it is only read */
  expect(embedding_diffuse_f64(in.first, in.extent, layers, out.first, out.extent, out.stride, 0.25), 0,
         "input of stride 0");
  int64_t unlike = 0;
  for (int64_t z = 0; z < NZ; ++z)
    for (int64_t y = 0; y < NY; ++y)
      for (int64_t x = 0; x < NX; ++x)
        unlike += at(&out, x, y, z, 0) != at(&out, x, y, 0, 0);
  expect((int)unlike, 0, "layers that differ though the input's do not");
  free(in.memory);
  free(out.memory);
}

int main(void) {
  layouts();
  interleaved();
  preconditions();
  if (failures) fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
