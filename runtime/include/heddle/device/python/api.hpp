// SPDX-License-Identifier: MIT-0
// What a call from Python needs of CPython's stable ABI (3.11 and newer) and of DLPack, declared
// here: compiling needs no Python.h, and one library serves every CPython from 3.11 on.
#ifndef HEDDLE_DEVICE_PYTHON_API_HPP
#define HEDDLE_DEVICE_PYTHON_API_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::python {

extern "C" {

struct PyObject;

/// Py_buffer: memory of an object, by the buffer protocol.
struct Buffer {
  void* buf;
  PyObject* obj;
  std::ptrdiff_t len;
  std::ptrdiff_t itemsize;
  int readonly;
  int ndim;
  char* format;
  std::ptrdiff_t* shape;
  std::ptrdiff_t* strides;
  std::ptrdiff_t* suboffsets;
  void* internal;
};

using FastCall = PyObject* (*)(PyObject* self, PyObject* const* arguments, std::ptrdiff_t count,
                               PyObject* keywords);

/// PyMethodDef.
struct Method {
  const char* name;
  FastCall call;
  int flags;
  const char* doc;
};

PyObject* PyCFunction_NewEx(Method* method, PyObject* self, PyObject* module);
PyObject* PyCapsule_New(void* pointer, const char* name, void (*destructor)(PyObject*));
void* PyCapsule_GetPointer(PyObject* capsule, const char* name);
int PyCapsule_IsValid(PyObject* capsule, const char* name);
PyObject* PyDict_New();
int PyDict_SetItemString(PyObject* dict, const char* key, PyObject* value);
void PyErr_Clear();
void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** trace);
void PyErr_Restore(PyObject* type, PyObject* value, PyObject* trace);
PyObject* PyErr_Occurred();
void PyErr_SetObject(PyObject* type, PyObject* value);
void* PyEval_SaveThread();
void PyEval_RestoreThread(void* state);
double PyFloat_AsDouble(PyObject* object);
PyObject* PyFloat_FromDouble(double value);
long long PyLong_AsLongLong(PyObject* object);
PyObject* PyLong_FromLongLong(long long value);
PyObject* PyNumber_Index(PyObject* object);
int PyObject_CheckBuffer(PyObject* object);
int PyObject_GetBuffer(PyObject* object, Buffer* buffer, int flags);
void PyBuffer_Release(Buffer* buffer);
PyObject* PyObject_CallObject(PyObject* function, PyObject* arguments);
PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
PyObject* PyObject_GetAttrString(PyObject* object, const char* name);
int PyObject_IsTrue(PyObject* object);
PyObject* PyObject_Str(PyObject* object);
PyObject* PyObject_Type(PyObject* object);
PyObject* PyObject_VectorcallMethod(PyObject* name, PyObject* const* arguments, std::size_t count,
                                    PyObject* keywords);
PyObject* PyTuple_GetItem(PyObject* tuple, std::ptrdiff_t index);
PyObject* PyTuple_New(std::ptrdiff_t size);
int PyTuple_SetItem(PyObject* tuple, std::ptrdiff_t index, PyObject* item);
std::ptrdiff_t PyTuple_Size(PyObject* tuple);
const char* PyUnicode_AsUTF8AndSize(PyObject* text, std::ptrdiff_t* size);
PyObject* PyUnicode_FromString(const char* text);
PyObject* PyUnicode_InternFromString(const char* text);
PyObject* PySequence_GetItem(PyObject* sequence, std::ptrdiff_t index);
std::ptrdiff_t PySequence_Size(PyObject* sequence);
PyObject* Py_BuildValue(const char* format, ...);
void Py_DecRef(PyObject* object);
void Py_IncRef(PyObject* object);
extern PyObject _Py_NoneStruct;

}  // extern "C"

inline constexpr int fast_call_with_keywords = 0x0080 | 0x0002;  ///< METH_FASTCALL | METH_KEYWORDS
inline constexpr int strides_and_format = 0x001c;                ///< PyBUF_RECORDS_RO

inline PyObject* none() {
  return &_Py_NoneStruct;
}

/// A reference that is given back.
class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* object) : object_(object) {
  }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {
  }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    Py_DecRef(object_);
  }
  PyObject* get() const {
    return object_;
  }
  PyObject* release() {
    return std::exchange(object_, nullptr);
  }
  explicit operator bool() const {
    return object_ != nullptr;
  }

 private:
  PyObject* object_ = nullptr;
};

/// DLPack's tensor (version 1) and the two structs that capsules hold.
struct DlTensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;  ///< may be null before version 1.2: row-major
  std::uint64_t byte_offset;
};

struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};

struct DlVersioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(DlVersioned*);
  std::uint64_t flags;
  DlTensor tensor;
};

/// What a type offers as __dlpack_c_exchange_api__ (DLPack 1.3): the same without a call of Python.
/// Functions return 0, or raise an error.
struct DlExchange {
  std::uint32_t major;
  std::uint32_t minor;
  const DlExchange* previous;
  void* allocator;
  int (*managed)(PyObject* object, DlVersioned** tensor);
  void* to_object;
  void* borrowed;
  int (*stream)(std::int32_t device_type, std::int32_t device, void** found);
};

inline constexpr std::uint64_t dl_read_only = 1;
enum DlDevice : std::int32_t { dl_cpu = 1, dl_cuda = 2, dl_cuda_host = 3, dl_cuda_managed = 13 };

}  // namespace heddle::python

#endif
