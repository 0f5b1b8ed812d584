// SPDX-License-Identifier: MIT-0
// An array of Python as memory: by the buffer protocol (NumPy), else by DLPack (CuPy, PyTorch, JAX,
// ...). Nothing is copied.
#ifndef HEDDLE_DEVICE_PYTHON_ARRAY_HPP
#define HEDDLE_DEVICE_PYTHON_ARRAY_HPP

#include <cstdint>
#include <string>

#include "heddle/device/python/api.hpp"
#include "heddle/device/python/call.hpp"

namespace heddle::python {

/// What is wrong with a call, and what to do about it.
struct Failure {
  std::string what;
  std::string hint;
};

/// Python raised an error that is passed on.
struct Raised {};

/// A name in a message.
inline std::string quoted(const char* name) {
  return "'" + std::string(name) + "'";
}

inline std::string text(Type type) {
  const char* kind = type.kind == 'f'   ? "float"
                     : type.kind == 'i' ? "int"
                     : type.kind == 'u' ? "uint"
                                        : "";
  return type.kind == 'b'   ? "bool"
         : type.kind == '?' ? "another type"
                            : kind + std::to_string(type.bits);
}

inline constexpr int most_axes = 5;

inline PyObject* interned(const char* name) {
  return PyUnicode_InternFromString(name);
}

/// The text of an object, for messages.
inline std::string text(PyObject* object) {
  const Owned string(object == nullptr ? nullptr : PyObject_Str(object));
  const char* found = string ? PyUnicode_AsUTF8AndSize(string.get(), nullptr) : nullptr;
  if (found == nullptr) {
    PyErr_Clear();
    return "?";
  }
  return found;
}

inline std::string type_name(PyObject* object) {
  const Owned type(PyObject_Type(object));
  return text(Owned(PyObject_GetAttrString(type.get(), "__name__")).get());
}

/// The text of the error that Python has raised, which is forgotten.
inline std::string error_text() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const Owned owned_type(type);
  const Owned owned_value(value);
  const Owned owned_trace(trace);
  const Owned name(PyObject_GetAttrString(type, "__name__"));
  return text(name.get()) + ": " + text(value);
}

/// "(3, 4)"
inline std::string listed(const std::int64_t* numbers, int count) {
  std::string result = "(";
  for (int i = 0; i < count; ++i) {
    result += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return result + (count == 1 ? ",)" : ")");
}

/// The type that a format of the buffer protocol stands for; kind ? for any other.
inline Type type_of(const char* format, std::ptrdiff_t bytes) {
  if (format == nullptr) {
    return {'u', 8};
  }
  if (*format == '@' || *format == '=' || *format == '<') {
    ++format;  // emitted kernels run on little-endian machines
  }
  if (*format == '\0' || format[1] != '\0') {
    return {'?', 0};
  }
  const int bits = static_cast<int>(bytes) * 8;
  switch (*format) {
    case 'd':
    case 'f':
    case 'e':
      return {'f', bits};
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return {'i', bits};
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return {'u', bits};
    case '?':
      return {'b', 1};
    default:
      return {'?', 0};
  }
}

/// The functions that a type offers in place of __dlpack__; null where it offers none. Those of
/// subclasses of PyTorch's tensors may not know what the class changes.
inline const DlExchange* exchange_of_type(PyObject* type) {
  const Owned capsule(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  constexpr const char* name = "dlpack_exchange_api";
  if (!capsule || PyCapsule_IsValid(capsule.get(), name) == 0) {
    PyErr_Clear();
    return nullptr;
  }
  const Owned home(PyObject_GetAttrString(type, "__torch_function__"));
  PyErr_Clear();
  if (home && text(Owned(PyObject_GetAttrString(type, "__name__")).get()) != "Tensor") {
    return nullptr;
  }
  const auto* found = static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule.get(), name));
  while (found != nullptr && found->major != 1) {
    found = found->previous;
  }
  return found;
}

/// The same, known from the calls before.
inline const DlExchange* exchange_of(PyObject* type) {
  static PyObject* types[2] = {nullptr, nullptr};
  static const DlExchange* known[2] = {nullptr, nullptr};
  static int last = 0;
  for (int i = 0; i < 2; ++i) {
    if (types[i] == type) {
      return known[i];
    }
  }
  last = 1 - last;
  Py_IncRef(type);  // types that come and go are few
  known[last] = exchange_of_type(type);
  types[last] = type;
  return known[last];
}

/// Whether a tensor has a derivative, which writing to its memory would leave behind.
inline bool has_derivative(PyObject* object) {
  static PyObject* const name = interned("requires_grad");
  const Owned found(PyObject_GetAttr(object, name));
  PyErr_Clear();
  return found && PyObject_IsTrue(found.get()) == 1;
}

/// Memory of an object as long as this lives. Axes are in the order of Python.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (buffered_) {
      PyBuffer_Release(&buffer_);
    }
    if (managed_ != nullptr && managed_->deleter != nullptr) {
      managed_->deleter(managed_);
    }
    Py_DecRef(capsule_);
  }

  /// own_type: the object's. name: of the argument. gpu: whether a device takes it, in `stream`
  /// (-1: its own). Throws Failure for what is no array. DLPack comes first, which costs NumPy half
  /// the time, and where a type offers it without a call of Python, that.
  void take(PyObject* object, PyObject* own_type, const char* name, bool gpu, std::int64_t stream) {
    static PyObject* without_mask = nullptr;  // the type that was last seen to have none
    if (own_type != without_mask) {
      if (type_name(object) == "MaskedArray") {
        throw Failure{quoted(name) + " is a masked array, and kernels do not see its mask.",
                      "pass an array without a mask, such as array.filled(value)"};
      }
      Py_IncRef(own_type);  // types that come and go are few
      without_mask = own_type;
    }
    const DlExchange* const exchange = exchange_of(own_type);
    if (exchange != nullptr && (!gpu || stream == -1) && !has_derivative(object)) {
      if (exchange->managed(object, &managed_) == 0 && managed_ != nullptr) {
        read_only = (managed_->flags & dl_read_only) != 0;
        take(managed_->tensor, name);
        return;
      }
      managed_ = nullptr;
      PyErr_Clear();  // __dlpack__ says what is wrong
    }
    static PyObject* unversioned = nullptr;  // the type that last refused the keyword max_version
    std::string said;
    if (own_type != unversioned) {
      capsule_ = exported(object, gpu, stream, true);
      if (capsule_ != nullptr) {
        from_capsule(name);
        return;
      }
      said = error_text();
    }
    if (!gpu && from_buffer(object, name)) {
      return;
    }
    capsule_ = exported(object, gpu, stream, false);
    if (capsule_ == nullptr) {
      const std::string again = error_text();
      refuse(object, name, gpu, said.empty() || said.starts_with("TypeError") ? again : said);
    }
    Py_IncRef(own_type);  // types that come and go are few
    unversioned = own_type;
    from_capsule(name);
  }

  void* data = nullptr;
  int axes = 0;
  std::int64_t shape[most_axes];
  std::int64_t stride[most_axes];  ///< in elements
  Type type{'?', 0};
  bool read_only = false;
  std::int32_t device_type = dl_cpu;
  std::int32_t device = 0;

 private:
  void set_axes(int count, const char* name) {
    axes = count;
    if (count > most_axes) {
      throw Failure{quoted(name) + " has " + std::to_string(count) + " axes.", ""};
    }
  }

  bool from_buffer(PyObject* object, const char* name) {
    if (PyObject_CheckBuffer(object) == 0) {
      return false;
    }
    if (PyObject_GetBuffer(object, &buffer_, strides_and_format) != 0) {
      PyErr_Clear();  // a type that the protocol has no letter for; DLPack may
      return false;
    }
    buffered_ = true;
    data = buffer_.buf;
    type = type_of(buffer_.format, buffer_.itemsize);
    read_only = buffer_.readonly != 0;
    set_axes(buffer_.ndim, name);
    for (int d = 0; d < axes; ++d) {
      shape[d] = buffer_.shape[d];
      if (shape[d] > 1 && buffer_.strides[d] % buffer_.itemsize != 0) {
        throw Failure{"the elements of " + quoted(name) + " lie no whole number of elements apart.",
                      "pass a field of a structured array as a copy"};
      }
      stride[d] = buffer_.strides[d] / buffer_.itemsize;
    }
    return true;
  }

  static PyObject* exported(PyObject* object, bool gpu, std::int64_t stream, bool versioned) {
    static PyObject* const method = interned("__dlpack__");
    static PyObject* const version = Py_BuildValue("(ii)", 1, 0);
    static PyObject* const none_words = PyTuple_New(0);
    static PyObject* const words[] = {Py_BuildValue("(s)", "max_version"),
                                      Py_BuildValue("(s)", "stream"),
                                      Py_BuildValue("(ss)", "stream", "max_version")};
    const Owned number(gpu ? PyLong_FromLongLong(stream) : nullptr);
    PyObject* arguments[3] = {object, nullptr, nullptr};
    int more = 0;
    if (gpu) {
      arguments[++more] = number.get();
    }
    if (versioned) {
      arguments[++more] = version;
    }
    PyObject* const keywords = more == 0 ? none_words : gpu ? words[more] : words[0];
    return PyObject_VectorcallMethod(method, arguments, 1, more == 0 ? nullptr : keywords);
  }

  void from_capsule(const char* name) {
    const DlTensor* tensor = nullptr;
    if (PyCapsule_IsValid(capsule_, "dltensor_versioned") != 0) {
      const auto* managed =
          static_cast<DlVersioned*>(PyCapsule_GetPointer(capsule_, "dltensor_versioned"));
      if (managed->major != 1) {
        throw Failure{quoted(name) + " comes with version " + std::to_string(managed->major) +
                          " of DLPack; version 1 is asked for.",
                      ""};
      }
      tensor = &managed->tensor;
      read_only = (managed->flags & dl_read_only) != 0;
    } else if (PyCapsule_IsValid(capsule_, "dltensor") != 0) {
      tensor = &static_cast<DlManaged*>(PyCapsule_GetPointer(capsule_, "dltensor"))->tensor;
    } else {
      throw Failure{"the __dlpack__ of " + quoted(name) + " returned no tensor.", ""};
    }
    take(*tensor, name);
  }

  void take(const DlTensor& tensor, const char* name) {
    data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    device_type = tensor.device_type;
    device = tensor.device_id;
    const char kind = tensor.lanes != 1  ? '?'
                      : tensor.code == 0 ? 'i'
                      : tensor.code == 1 ? 'u'
                      : tensor.code == 2 ? 'f'
                      : tensor.code == 6 ? 'b'
                                         : '?';
    type = {kind, kind == 'b' ? 1 : tensor.bits};
    set_axes(tensor.ndim, name);
    std::int64_t dense = 1;
    for (int d = axes - 1; d >= 0; --d) {
      shape[d] = tensor.shape[d];
      stride[d] = tensor.strides != nullptr ? tensor.strides[d] : dense;
      dense *= shape[d];
    }
  }

  [[noreturn]] static void refuse(PyObject* object, const char* name, bool gpu,
                                  const std::string& said) {
    const Owned has(PyObject_GetAttrString(object, "__dlpack__"));
    if (!has) {
      PyErr_Clear();
      throw Failure{quoted(name) + " is no array, but of type " + type_name(object) + ".",
                    std::string("pass an array with __dlpack__") +
                        (gpu ? ": of CuPy, PyTorch, JAX" : ": of NumPy, PyTorch, JAX")};
    }
    std::string where;
    const Owned device_method(PyObject_GetAttrString(object, "__dlpack_device__"));
    const Owned device(device_method ? PyObject_CallObject(device_method.get(), nullptr) : nullptr);
    const Owned kind(device ? PySequence_GetItem(device.get(), 0) : nullptr);
    const long long number = kind ? PyLong_AsLongLong(kind.get()) : 0;
    PyErr_Clear();
    if (gpu && number == dl_cpu) {
      throw Failure{quoted(name) + " lies in the memory of the host, but the kernels run on a GPU.",
                    "pass arrays of the GPU, or load with target=\"cpu\""};
    }
    throw Failure{quoted(name) + " cannot be shared: " + said,
                  "it is of type " + type_name(object)};
  }

  Buffer buffer_;
  bool buffered_ = false;
  PyObject* capsule_ = nullptr;
  DlVersioned* managed_ = nullptr;
};

}  // namespace heddle::python

#endif
