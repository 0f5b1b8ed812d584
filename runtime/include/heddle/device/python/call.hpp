// SPDX-License-Identifier: MIT-0
// What a call of a kernel from Python needs to know of the kernel. call.cpp does the rest.
//
// Python's axes are the reverse of the kernel's: u[z, y, x], and f[q, z, y, x] with components.
#ifndef HEDDLE_DEVICE_PYTHON_CALL_HPP
#define HEDDLE_DEVICE_PYTHON_CALL_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/python/api.hpp"

namespace heddle::python {

/// A number type: kind f, i, u or b, and its bits.
struct Type {
  char kind;
  int bits;
  bool operator==(const Type&) const = default;
  /// Of an element in memory, where a bool takes a whole one.
  std::int64_t bytes() const {
    return bits == 1 ? 1 : bits / 8;
  }
};

/// table: so many values that follow each other; words: any number of them. Of a list of cells: how
/// many it has, how many entries a selection of them has, and the elements between two slots of a
/// field that links lead to.
enum class Role {
  array,
  profile,
  table,
  words,
  number,
  integer,
  cell_count,
  entry_count,
  slot_stride,
  output,
  work
};

/// What a kernel takes. Axes are in the order of the kernel, x first.
struct Parameter {
  const char* name;
  Role role;
  bool written = false;
  int space = 0;  ///< axes of space of an array
  int last = 0;   ///< length of the axis behind these: components, two colours, or the values of a
                  ///< table; 0 for none
  bool split = false;
  bool linked = false;     ///< links lead to its elements
  bool per_entry = false;  ///< words: one for each entry of a selection of cells
  int before[3] = {};      ///< so many cells before and after the interior are accessed
  int after[3] = {};
  int axis = 0;         ///< that of a profile
  int around = 0;       ///< values of a profile before and after those of the interior
  bool given = true;    ///< whether a call has to give it,
  long long usual = 0;  ///< else its value

  /// All axes of an array.
  int axes() const {
    return space + (last != 0 ? 1 : 0);
  }
};

/// An argument as an entry takes it.
struct Value {
  void* data;
  std::int64_t extent[4];
  std::int64_t stride[4];
  double number;
  std::int64_t integer;
};

/// How many cells an array has along an axis of space.
inline std::int64_t cells_along(const Parameter& parameter, const Value& value, int axis) {
  return value.extent[axis] * (axis == 0 && parameter.split ? 2 : 1);
}

/// A kernel in one precision. types: of each parameter.
struct Variant {
  const char* precision;
  const Type* types;
  int (*call)(const Value* values, void* stream);
};

/// How memory of a GPU is had; none for kernels of the host.
struct Device {
  int (*enter)(int device, int* before);
  void (*leave)(int before);
  void* (*allocate)(std::size_t bytes, void* stream);
  int (*fetch)(void* to, const void* from, std::size_t bytes, void* stream);
  void (*release)(void* memory, void* stream);
};

inline constexpr int most_parameters = 128;

struct Kernel {
  const char* name;
  const char* signature;
  const Parameter* parameters;
  int count;
  const Variant* variants;
  int variant_count;
  int dimensions;
  bool list;  ///< runs over a list of cells: one dimension, no ghost layers
  int colours;
  bool scanned[3];  ///< axes along which a cell has no number of its own in a reduction
  int layer[3];     ///< -1 or 1: only the first or the last cells along an axis, of those given
  const Device* device;
  PyObject** names;      ///< of the parameters
  PyObject** callbacks;  ///< the class of errors, stream_of, memory_of
};

/// Of all arrays only the first or the last cells along an axis, where the kernel runs over these.
/// types: of the parameters. extent, values: of the cells given; afterwards of those at the face.
inline void keep_layer(const Kernel& kernel, const Type* types, int axis, std::int64_t* extent,
                       Value* values) {
  if (kernel.layer[axis] == 0 || extent[axis] <= 0) {
    return;
  }
  const bool last = kernel.layer[axis] > 0;
  for (int i = 0; i < kernel.count; ++i) {
    const Parameter& parameter = kernel.parameters[i];
    Value& value = values[i];
    const std::int64_t bytes = types[i].bytes();
    if (parameter.role == Role::array && axis < parameter.space) {
      const std::int64_t before = last ? value.extent[axis] - 1 : 0;
      value.data = static_cast<char*>(value.data) + before * value.stride[axis] * bytes;
      value.extent[axis] = 1;
    } else if (parameter.role == Role::profile && parameter.axis == axis && last) {
      value.data = static_cast<char*>(value.data) + (extent[axis] - 1) * bytes;
    }
  }
  extent[axis] = 1;
}

/// How many values the scratch of a reduction over so many cells needs; see the kernel's header.
inline std::size_t room_for_work(const Kernel& kernel, const std::int64_t* extent) {
  std::int64_t tiles = kernel.colours;
  bool first = true;
  for (int d = 0; d < kernel.dimensions; ++d) {
    if (!kernel.scanned[d]) {
      tiles *= first ? (extent[d] + 31) / 32 : extent[d];
      first = false;
    }
  }
  return static_cast<std::size_t>(tiles + tiles / 1024 + 1);
}

/// A function of Python: keywords to arguments, arrays checked against what the kernel asks for,
/// and what is wrong as an error with the kernel's signature. self: a capsule with the kernel.
PyObject* call(PyObject* self, PyObject* const* arguments, std::ptrdiff_t count,
               PyObject* keywords);

/// Add a kernel to a dictionary, as a function of Python under its name.
void add(PyObject* kernels, Kernel& kernel, Method& method, PyObject** names, PyObject** callbacks);

}  // namespace heddle::python

#endif
