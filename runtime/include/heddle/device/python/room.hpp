// SPDX-License-Identifier: MIT-0
// Whether the memory of an array goes on where a kernel accesses cells around a view of it.
#ifndef HEDDLE_DEVICE_PYTHON_ROOM_HPP
#define HEDDLE_DEVICE_PYTHON_ROOM_HPP

#include <cstdint>

#include "heddle/device/python/api.hpp"
#include "heddle/device/python/array.hpp"

namespace heddle::python {

/// The cells of an array that a kernel accesses. Axes are in the order of the kernel.
struct Cells {
  const void* data;  ///< of the first interior cell
  const std::int64_t* extent;
  const std::int64_t* stride;  ///< in elements
  int space;
  int last;  ///< length of the axis behind these; 0 for none
  const int* before;
  const int* after;
};

/// Memory with axes, as an object of Python owns it. axes = 0: bytes without structure.
struct Memory {
  const char* data;
  std::int64_t bytes;
  int axes = 0;
  std::int64_t extent[most_axes] = {};
  std::int64_t stride[most_axes] = {};
};

/// The lowest and the highest byte accessed lie in the memory.
inline bool within_bytes(const Cells& cells, std::int64_t element, const Memory& memory) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int d = 0; d < cells.space + (cells.last != 0 ? 1 : 0); ++d) {
    const std::int64_t first = d < cells.space ? -cells.before[d] : 0;
    const std::int64_t last = cells.extent[d] - 1 + (d < cells.space ? cells.after[d] : 0);
    const bool down = cells.stride[d] < 0;
    low += cells.stride[d] * (down ? last : first);
    high += cells.stride[d] * (down ? first : last);
  }
  const std::int64_t offset = static_cast<const char*>(cells.data) - memory.data;
  return offset + low * element >= 0 && offset + (high + 1) * element <= memory.bytes;
}

/// Each axis of the cells runs along one axis of the memory and stays within it. Of a memory whose
/// axes are not nested (larger strides step over smaller ones) the bytes alone are compared.
inline bool within(const Cells& cells, std::int64_t element, const Memory& memory) {
  if (!within_bytes(cells, element, memory)) {
    return false;
  }
  int order[most_axes];
  int count = 0;
  for (int k = 0; k < memory.axes; ++k) {
    if (memory.extent[k] < 2) {
      continue;
    }
    int at = count++;
    for (; at > 0 && memory.stride[order[at - 1]] < memory.stride[k]; --at) {
      order[at] = order[at - 1];
    }
    order[at] = k;
  }
  std::int64_t below = 1;
  for (int i = count - 1; i >= 0; --i) {
    if (memory.stride[order[i]] < below) {
      return true;
    }
    below = memory.stride[order[i]] * memory.extent[order[i]];
  }
  std::int64_t rest = (static_cast<const char*>(cells.data) - memory.data) / element;
  std::int64_t place[most_axes] = {};
  bool taken[most_axes] = {};
  for (int i = 0; i < count; ++i) {
    place[i] = rest / memory.stride[order[i]];
    rest %= memory.stride[order[i]];
  }
  for (int d = 0; d < cells.space; ++d) {
    const std::int64_t step = cells.stride[d] < 0 ? -cells.stride[d] : cells.stride[d];
    int along = 0;
    while (along < count && memory.stride[order[along]] > step) {
      ++along;
    }
    if (along == count || taken[along] || step % memory.stride[order[along]] != 0) {
      return true;
    }
    taken[along] = true;
    const std::int64_t each = cells.stride[d] / memory.stride[order[along]];
    const std::int64_t one = place[along] - each * cells.before[d];
    const std::int64_t other = place[along] + each * (cells.extent[d] - 1 + cells.after[d]);
    const std::int64_t extent = memory.extent[order[along]];
    if (one < 0 || one >= extent || other < 0 || other >= extent) {
      return false;
    }
  }
  return true;
}

/// The memory that an array is a view of, as far as Python tells: `base` of NumPy's arrays, what
/// `memory_of` knows of others (address and bytes), else its own elements.
inline bool has_room(const Cells& cells, const Array& array, PyObject* object,
                     PyObject* memory_of) {
  const std::int64_t element = array.type.bytes();
  Memory own{static_cast<const char*>(array.data), 0, array.axes, {}, {}};
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int d = 0; d < array.axes; ++d) {
    own.extent[d] = array.shape[d];
    own.stride[d] = array.stride[d];
    (array.stride[d] < 0 ? low : high) += (array.shape[d] - 1) * array.stride[d];
  }
  if (low < 0) {
    own.axes = 0;
  }
  own.data += low * element;
  own.bytes = (high - low + 1) * element;
  if (within(cells, element, own)) {
    return true;
  }
  Owned owner;
  PyObject* at = object;
  for (int depth = 0; depth < 8 && PyObject_CheckBuffer(object) != 0; ++depth) {
    Owned base(PyObject_GetAttrString(at, "base"));
    if (!base) {
      PyErr_Clear();
      break;
    }
    if (base.get() == none() || PyObject_CheckBuffer(base.get()) == 0) {
      break;
    }
    owner = std::move(base);
    at = owner.get();
  }
  Buffer buffer;
  if (owner && PyObject_GetBuffer(owner.get(), &buffer, strides_and_format) == 0) {
    Memory whole{static_cast<const char*>(buffer.buf), buffer.len, 0, {}, {}};
    if (buffer.itemsize == element && buffer.ndim <= most_axes) {
      whole.axes = buffer.ndim;
      for (int d = 0; d < buffer.ndim; ++d) {
        whole.extent[d] = buffer.shape[d];
        whole.stride[d] = buffer.strides[d] / element;
      }
    }
    const bool fits = within(cells, element, whole);
    PyBuffer_Release(&buffer);
    return fits;
  }
  PyErr_Clear();  // arrays of a GPU may have the protocol, and refuse it
  const Owned arguments(PyTuple_New(1));
  Py_IncRef(object);
  PyTuple_SetItem(arguments.get(), 0, object);
  const Owned found(PyObject_CallObject(memory_of, arguments.get()));
  if (!found) {
    throw Raised{};
  }
  if (found.get() == none()) {
    return false;
  }
  const Owned address(PySequence_GetItem(found.get(), 0));
  const Owned bytes(PySequence_GetItem(found.get(), 1));
  return within_bytes(cells, element,
                      {reinterpret_cast<const char*>(PyLong_AsLongLong(address.get())),
                       PyLong_AsLongLong(bytes.get()),
                       0,
                       {},
                       {}});
}

}  // namespace heddle::python

#endif
