// SPDX-License-Identifier: MIT-0
// A call of a kernel from Python; compiled once for all modules.
#include "heddle/device/python/call.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "heddle/device/preconditions.hpp"
#include "heddle/device/python/array.hpp"
#include "heddle/device/python/room.hpp"

namespace heddle::python {
namespace {

/// One call.
class Call {
 public:
  explicit Call(const Kernel& kernel)
      : kernel_(kernel), arrays_(new Array[static_cast<std::size_t>(arrays_of(kernel))]) {
  }

  PyObject* run(PyObject* const* arguments, std::ptrdiff_t count, PyObject* keywords) {
    if (count != 0) {
      throw Failure{"arguments are given by keyword.", ""};
    }
    read_keywords(arguments, keywords);
    take_arrays();
    const Variant& variant = chosen();
    check_arrays(variant);
    take_numbers(variant);
    if (kernel_.list) {
      check_list();
    }
    return called(variant);
  }

 private:
  static int arrays_of(const Kernel& kernel) {
    int count = 0;
    for (int i = 0; i < kernel.count; ++i) {
      count += is_array(kernel.parameters[i]) ? 1 : 0;
    }
    return count;
  }
  static bool is_array(const Parameter& parameter) {
    return parameter.role == Role::array || parameter.role == Role::profile ||
           parameter.role == Role::table || parameter.role == Role::words;
  }
  static bool is_integer(const Parameter& parameter) {
    return parameter.role == Role::integer || parameter.role == Role::cell_count ||
           parameter.role == Role::entry_count || parameter.role == Role::slot_stride;
  }
  static bool is_result(const Parameter& parameter) {
    return parameter.role == Role::output || parameter.role == Role::work;
  }

  void read_keywords(PyObject* const* arguments, PyObject* keywords) {
    static PyObject* const ghosts = interned("ghosts");
    static PyObject* const stream = interned("stream");
    for (int i = 0; i < kernel_.count; ++i) {
      given_[i] = nullptr;
    }
    const std::ptrdiff_t count = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      PyObject* const word = PyTuple_GetItem(keywords, k);
      const int at = place(word, static_cast<int>(k));
      if (at >= 0) {
        given_[at] = arguments[k];
      } else if (same(word, ghosts) && !kernel_.list) {
        set_ghosts(arguments[k]);
      } else if (same(word, stream) && kernel_.device != nullptr) {
        stream_given_ = arguments[k];
      } else {
        throw Failure{"there is no argument '" + text(word) + "'.", ""};
      }
    }
    std::string missing;
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      if (given_[i] == nullptr && parameter.given && !is_result(parameter)) {
        missing += (missing.empty() ? "" : ", ") + quoted(parameter.name);
      }
    }
    if (!missing.empty()) {
      throw Failure{"the call lacks " + missing + ".", ""};
    }
  }

  /// Words of a call are interned, so that most are found by their address, and most calls name
  /// arguments in order.
  int place(PyObject* word, int likely) const {
    if (likely < kernel_.count && kernel_.names[likely] == word) {
      return likely;
    }
    for (int i = 0; i < kernel_.count; ++i) {
      if (kernel_.names[i] == word) {
        return is_result(kernel_.parameters[i]) ? -1 : i;
      }
    }
    for (int i = 0; i < kernel_.count; ++i) {
      if (!is_result(kernel_.parameters[i]) && same(word, kernel_.names[i])) {
        return i;
      }
    }
    return -1;
  }

  static bool same(PyObject* a, PyObject* b) {
    return a == b || std::strcmp(PyUnicode_AsUTF8AndSize(a, nullptr),
                                 PyUnicode_AsUTF8AndSize(b, nullptr)) == 0;
  }

  void set_ghosts(PyObject* object) {
    const int axes = kernel_.dimensions;
    const std::ptrdiff_t size = PySequence_Size(object);
    if (size < 0) {
      PyErr_Clear();
      const std::int64_t all = whole(object, "ghosts");
      for (int d = 0; d < axes; ++d) {
        ghosts_[d] = all;
      }
    } else if (size == axes) {
      for (int d = 0; d < axes; ++d) {
        const Owned one(PySequence_GetItem(object, axes - 1 - d));
        ghosts_[d] = whole(one.get(), "ghosts");
      }
    } else {
      throw Failure{"ghosts has " + std::to_string(size) + " numbers, but the kernel has " +
                        std::to_string(axes) + " axes.",
                    "ghosts=1 for all axes, or one number for each, in the order of Python"};
    }
    for (int d = 0; d < axes; ++d) {
      if (ghosts_[d] < 0) {
        throw Failure{"ghosts is " + std::to_string(ghosts_[d]) + ".",
                      "a number of cells is not negative"};
      }
    }
  }

  static std::int64_t whole(PyObject* object, const char* name) {
    const Owned number(PyNumber_Index(object));
    const long long value = number ? PyLong_AsLongLong(number.get()) : 0;
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw Failure{quoted(name) + " is " + text(object) + ", which is no whole number of 64 bits.",
                    ""};
    }
    return value;
  }

  void take_arrays() {
    PyObject* first = nullptr;
    std::int64_t producer = -1;
    const DlExchange* asked = nullptr;  // of the first array, for its stream
    for (int i = 0, k = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      if (!is_array(parameter)) {
        continue;
      }
      const Owned type(PyObject_Type(given_[i]));
      if (kernel_.device != nullptr && first == nullptr) {
        first = given_[i];
        const bool own = stream_given_ == nullptr || stream_given_ == none();
        asked = own ? exchange_of(type.get()) : nullptr;
        if (asked == nullptr || asked->stream == nullptr) {
          asked = nullptr;
          producer = find_stream(own ? first : stream_given_, own);
        }
      }
      Array& array = arrays_[static_cast<std::size_t>(k++)];
      array_[i] = &array;
      array.take(given_[i], type.get(), parameter.name, kernel_.device != nullptr, producer);
      check_device(parameter, array);
      if (asked != nullptr && asked->stream(array.device_type, array.device, &stream_) != 0) {
        throw Raised{};
      }
      asked = nullptr;
      if (parameter.written && array.read_only) {
        throw Failure{quoted(parameter.name) + " is read only, but the kernel writes it.",
                      "pass an array that may be written, such as a copy"};
      }
    }
  }

  /// The stream in which the kernel runs, and what a producer of arrays is told of it: -1 where it
  /// is the producer's own. asked: what knows the stream, the first array where it is its own.
  std::int64_t find_stream(PyObject* asked, bool own) {
    const Owned arguments(PyTuple_New(1));
    Py_IncRef(asked);
    PyTuple_SetItem(arguments.get(), 0, asked);
    const Owned found(PyObject_CallObject(kernel_.callbacks[1], arguments.get()));
    if (!found) {
      throw Raised{};
    }
    const std::int64_t handle = whole(found.get(), "stream");
    stream_ = reinterpret_cast<void*>(handle);
    return own ? -1 : handle == 0 ? 1 : handle;
  }

  void check_device(const Parameter& parameter, const Array& array) {
    const std::int32_t where = array.device_type;
    const bool gpu = kernel_.device != nullptr;
    const bool fits = gpu ? where == dl_cuda || where == dl_cuda_managed
                          : where == dl_cpu || where == dl_cuda_host;
    if (!fits) {
      throw Failure{
          quoted(parameter.name) + " lies on " +
              (where == dl_cpu    ? "the host"
               : where == dl_cuda ? "a GPU"
                                  : "a device of type " + std::to_string(where) + " of DLPack") +
              ", but the kernels run on " + (gpu ? "a GPU." : "the host."),
          gpu ? "pass arrays of the GPU, or load with target=\"cpu\""
              : "pass arrays of the host, or load with target=\"cuda\""};
    }
    if (gpu && device_ >= 0 && device_ != array.device) {
      throw Failure{quoted(parameter.name) + " lies on GPU " + std::to_string(array.device) +
                        ", other arrays on GPU " + std::to_string(device_) + ".",
                    "the arrays of a call lie on one GPU"};
    }
    device_ = array.device;
  }

  /// The precision in which all arrays have the types given.
  const Variant& chosen() const {
    for (int v = 0; v < kernel_.variant_count; ++v) {
      if (mismatch(kernel_.variants[v]) < 0) {
        return kernel_.variants[v];
      }
    }
    int nearest = 0;  // of all precisions, the argument up to which most fit
    for (int v = 0; v < kernel_.variant_count; ++v) {
      nearest = std::max(nearest, mismatch(kernel_.variants[v]));
    }
    std::string known;
    for (int v = 0; v < kernel_.variant_count; ++v) {
      const std::string one = text(kernel_.variants[v].types[nearest]);
      if (("or " + known).find(one) == std::string::npos) {
        known += (known.empty() ? "" : " or ") + one;
      }
    }
    std::string others;
    for (int i = 0; i < nearest; ++i) {
      if (is_array(kernel_.parameters[i])) {
        others =
            ", beside " + quoted(kernel_.parameters[i].name) + " with " + text(array_[i]->type);
      }
    }
    throw Failure{quoted(kernel_.parameters[nearest].name) + " has elements of " +
                      text(array_[nearest]->type) + others + "; the kernel is there for " + known +
                      ".",
                  "convert the array once, or give the module more precisions"};
  }

  /// The first array that a precision does not take; -1 for none.
  int mismatch(const Variant& variant) const {
    for (int i = 0; i < kernel_.count; ++i) {
      if (is_array(kernel_.parameters[i]) && !(variant.types[i] == array_[i]->type)) {
        return i;
      }
    }
    return -1;
  }

  void check_arrays(const Variant& variant) {
    int whole = -1;
    for (int i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].role == Role::array) {
        to_kernel_order(i);
        if (whole < 0 || kernel_.parameters[i].space > kernel_.parameters[whole].space) {
          whole = i;
        }
      }
    }
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      if (parameter.role == Role::array) {
        for (int d = 0; d < parameter.space; ++d) {
          if (cells(i, d) != cells(whole, d)) {
            throw Failure{quoted(parameter.name) + " has " + interior(i) + ", but " +
                              quoted(kernel_.parameters[whole].name) + " has " + interior(whole) +
                              ".",
                          "all arrays have the same cells"};
          }
        }
        check_room(i);
      } else if (parameter.role == Role::profile) {
        take_profile(i, whole);
      } else if (parameter.role == Role::table) {
        take_table(i);
      } else if (parameter.role == Role::words) {
        take_words(i);
      }
    }
    for (int d = 0; d < kernel_.dimensions; ++d) {
      extent_[d] = whole < 0 || d >= kernel_.parameters[whole].space ? 0 : cells(whole, d);
      keep_layer(kernel_, variant.types, d, extent_, values_);
    }
  }

  std::int64_t cells(int i, int d) const {
    return cells_along(kernel_.parameters[i], values_[i], d);
  }

  std::string interior(int i) const {
    std::int64_t shape[3];
    const int axes = kernel_.parameters[i].space;
    for (int d = 0; d < axes; ++d) {
      shape[axes - 1 - d] = cells(i, d);
    }
    return listed(shape, axes) + " cells";
  }

  /// Of an array, as Python has it.
  std::string shape_of(int i) const {
    return listed(array_[i]->shape, array_[i]->axes);
  }

  /// Axes from Python's order to the kernel's, and from the whole array to its interior.
  void to_kernel_order(int i) {
    const Parameter& parameter = kernel_.parameters[i];
    const Array& array = *array_[i];
    Value& value = values_[i];
    const int axes = parameter.axes();
    if (array.axes != axes) {
      throw Failure{quoted(parameter.name) + " has the shape " + shape_of(i) + ", but needs " +
                        std::to_string(axes) + (axes == 1 ? " axis." : " axes."),
                    ""};
    }
    auto* data = static_cast<char*>(array.data);
    const std::int64_t bytes = array.type.bytes();
    bool empty = false;
    for (int d = 0; d < axes; ++d) {
      empty = empty || array.shape[d] == 0;
    }
    for (int d = 0; d < axes; ++d) {
      value.extent[d] = array.shape[axes - 1 - d];
      value.stride[d] = empty ? 1 : array.stride[axes - 1 - d];  // NumPy's are 0 where nothing is
      const std::int64_t around = d < parameter.space ? ghosts_[d] : 0;
      if (around != 0) {
        if (parameter.split && d == 0) {
          throw Failure{
              quoted(parameter.name) + " is split by colour, so ghosts has no meaning along x.",
              "ghosts=0, and views of the interior"};
        }
        if (value.extent[d] - around < around) {
          throw Failure{quoted(parameter.name) + " of shape " + shape_of(i) + " has no room for " +
                            std::to_string(around) + " ghost cells at each side.",
                        ""};
        }
        value.extent[d] -= 2 * around;
        data += around * value.stride[d] * bytes;
      }
    }
    value.data = data;
    if (parameter.last != 0 && value.extent[parameter.space] != parameter.last) {
      throw Failure{quoted(parameter.name) + " of shape " + shape_of(i) + " has " +
                        std::to_string(value.extent[parameter.space]) +
                        " components along its first axis, but needs " +
                        std::to_string(parameter.last) + ".",
                    ""};
    }
  }

  void check_room(int i) {
    const Parameter& parameter = kernel_.parameters[i];
    const auto& before = parameter.before;
    const auto& after = parameter.after;
    bool lacking = false;
    for (int d = 0; d < parameter.space; ++d) {
      lacking = lacking || before[d] > ghosts_[d] || after[d] > ghosts_[d];
      if (values_[i].extent[d] == 0) {
        return;  // no cells, no accesses
      }
    }
    const Cells accessed{values_[i].data,
                         values_[i].extent,
                         values_[i].stride,
                         parameter.space,
                         parameter.last,
                         before,
                         after};
    if (lacking && !has_room(accessed, *array_[i], given_[i], kernel_.callbacks[2])) {
      std::string reach;
      int far = 0;
      for (int d = parameter.space - 1; d >= 0; --d) {
        const int along = std::max(before[d], after[d]);
        reach += (reach.empty() ? "" : ", ") + std::to_string(along);
        far = std::max(far, along);
      }
      std::string view;
      for (int d = 0; d < parameter.space; ++d) {
        view += (d == 0 ? "" : ", ") + std::to_string(far) + ":-" + std::to_string(far);
      }
      const std::string front = parameter.last != 0 ? ":, " : "";
      throw Failure{quoted(parameter.name) + " of shape " + shape_of(i) +
                        " has too few ghost cells: the kernel accesses (" + reach +
                        ") cells beyond the interior along its axes, and the array ends before.",
                    "pass ghosts=" + std::to_string(far) +
                        " if it contains them, or the view of its interior, " + parameter.name +
                        "[" + front + view + "]"};
    }
  }

  void take_profile(int i, int whole) {
    const Parameter& parameter = kernel_.parameters[i];
    const Array& array = *array_[i];
    if (array.axes != 1) {
      throw Failure{quoted(parameter.name) + " has the shape " + shape_of(i) +
                        ", but is a profile, with one axis.",
                    ""};
    }
    const std::int64_t wanted =
        (whole < 0 ? array.shape[0] : cells(whole, parameter.axis) + 2 * parameter.around);
    if (array.shape[0] != wanted) {
      throw Failure{quoted(parameter.name) + " has " + std::to_string(array.shape[0]) +
                        " values, but needs " + std::to_string(wanted) +
                        ": one for each cell along " + "xyz"[parameter.axis] +
                        (parameter.around == 0 ? "."
                                               : ", and " + std::to_string(parameter.around) +
                                                     " more before and after."),
                    ""};
    }
    require_contiguous(i, "profiles are contiguous: pass a copy");
    values_[i].data = static_cast<char*>(array.data) + parameter.around * array.type.bytes();
  }

  /// Of an array with one axis.
  void require_contiguous(int i, const char* hint) const {
    if (array_[i]->stride[0] != 1 && array_[i]->shape[0] > 1) {
      throw Failure{"the values of " + quoted(kernel_.parameters[i].name) +
                        " do not follow each other in memory.",
                    hint};
    }
  }

  void take_table(int i) {
    const Parameter& parameter = kernel_.parameters[i];
    const Array& array = *array_[i];
    if (array.axes != 1 || array.shape[0] != parameter.last) {
      throw Failure{quoted(parameter.name) + " has the shape " + shape_of(i) +
                        ", but is a table of " + std::to_string(parameter.last) + " values.",
                    ""};
    }
    require_contiguous(i, "tables are contiguous: pass a copy");
    values_[i].data = array.data;
  }

  void take_words(int i) {
    const Array& array = *array_[i];
    if (array.axes != 1 || (array.stride[0] != 1 && array.shape[0] > 1)) {
      throw Failure{quoted(kernel_.parameters[i].name) + " has the shape " + shape_of(i) +
                        " with strides " + listed(array.stride, array.axes) +
                        ", but needs one axis of values that follow each other.",
                    "pass a contiguous copy"};
    }
    values_[i].data = array.data;
    values_[i].extent[0] = array.shape[0];
  }

  /// Whether the arrays are those of the list that a call names.
  void check_list() {
    std::int64_t cells = 0;
    std::int64_t entries = -1;
    std::int64_t slot_stride = 0;
    for (int i = 0; i < kernel_.count; ++i) {
      const Role role = kernel_.parameters[i].role;
      cells = role == Role::cell_count ? values_[i].integer : cells;
      entries = role == Role::entry_count ? values_[i].integer : entries;
      slot_stride = role == Role::slot_stride ? values_[i].integer : slot_stride;
    }
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      const std::string name = quoted(parameter.name);
      const Value& value = values_[i];
      if (parameter.role == Role::array && value.extent[0] != cells) {
        throw Failure{name + " has " + std::to_string(value.extent[0]) +
                          " cells, but 'cells' has " + std::to_string(cells) + ".",
                      "make arrays of a list by its own zeros()"};
      }
      if (parameter.linked && parameter.last > 1 && value.stride[1] != slot_stride) {
        throw Failure{"the components of " + name + " lie " + std::to_string(value.stride[1]) +
                          " elements apart, but the links of 'cells' lead to components that lie " +
                          std::to_string(slot_stride) + " apart.",
                      "make the array by the zeros() of this list, with all components"};
      }
      if (parameter.per_entry && value.extent[0] != entries) {
        throw Failure{name + " has " + std::to_string(value.extent[0]) +
                          " values, but 'cells' has " + std::to_string(entries) + " entries.",
                      "give one value for each selected cell"};
      }
    }
    extent_[0] = entries < 0 ? cells : entries;
  }

  void take_numbers(const Variant& variant) {
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      if (parameter.role == Role::number) {
        values_[i].number = PyFloat_AsDouble(given_[i]);
        if (values_[i].number == -1.0 && PyErr_Occurred() != nullptr) {
          const bool beyond = error_text().starts_with("OverflowError");
          throw Failure{
              quoted(parameter.name) + " is of type " + type_name(given_[i]) +
                  (beyond ? ", and beyond double precision." : ", but a number is needed."),
              ""};
        }
      } else if (is_integer(parameter)) {
        values_[i].integer =
            given_[i] == nullptr ? parameter.usual : whole(given_[i], parameter.name);
        const Type type = variant.types[i];
        const bool below = type.kind != 'i' && values_[i].integer < 0;
        const int digits = type.bits - (type.kind == 'i' ? 1 : 0);
        const bool beyond =
            digits < 63 && (values_[i].integer >> digits != 0 &&
                            values_[i].integer >> digits != (type.kind == 'i' ? -1 : 0));
        if (below || beyond) {
          throw Failure{quoted(parameter.name) + " is " + std::to_string(values_[i].integer) +
                            ", which is no " + text(type) + ".",
                        ""};
        }
      }
    }
  }

  PyObject* called(const Variant& variant) {
    int results = 0;
    const OnDevice current(kernel_.device, device_ < 0 ? 0 : device_);
    Results scratch(kernel_, stream_);
    for (int i = 0; i < kernel_.count; ++i) {
      if (is_result(kernel_.parameters[i])) {
        const bool output = kernel_.parameters[i].role == Role::output;
        const std::size_t count = output ? 1 : room_for_work(kernel_, extent_);
        values_[i].data = scratch.allocate(count * 8);
        results += output ? 1 : 0;
      }
    }
    void* const thread = PyEval_SaveThread();
    const int status = variant.call(values_, stream_);
    PyEval_RestoreThread(thread);
    if (status != ok) {
      throw Failure{refused(status), status == fields_overlap ? apart() : ""};
    }
    if (results == 0) {
      Py_IncRef(none());
      return none();
    }
    Owned all(results == 1 ? nullptr : PyDict_New());
    for (int i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].role == Role::output) {
        Owned one(scratch.number(values_[i].data, variant.types[i]));
        if (results == 1) {
          return one.release();
        }
        PyDict_SetItemString(all.get(), kernel_.parameters[i].name, one.get());
      }
    }
    return all.release();
  }

  /// While it lives, GPU `number` is the current device, if the kernel runs on one.
  class OnDevice {
   public:
    OnDevice(const Device* device, int number) : device_(device) {
      if (device_ != nullptr && device_->enter(number, &before_) != 0) {
        throw Failure{"GPU " + std::to_string(number) + " cannot be used.", ""};
      }
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;
    ~OnDevice() {
      if (device_ != nullptr) {
        device_->leave(before_);
      }
    }

   private:
    const Device* device_;
    int before_ = 0;
  };

  /// Memory for what a reduction gives.
  class Results {
   public:
    Results(const Kernel& kernel, void* stream) : kernel_(kernel), stream_(stream) {
    }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;
    ~Results() {
      for (int i = 0; i < count_; ++i) {
        if (kernel_.device != nullptr) {
          kernel_.device->release(memory_[i], stream_);
        } else {
          ::operator delete(memory_[i]);
        }
      }
    }
    void* allocate(std::size_t bytes) {
      void* const memory = kernel_.device != nullptr ? kernel_.device->allocate(bytes, stream_)
                                                     : ::operator new(bytes);
      if (memory == nullptr) {
        throw Failure{"the GPU has no memory left for a reduction.", ""};
      }
      return memory_[count_++] = memory;
    }
    PyObject* number(const void* from, Type type) const {
      alignas(8) char bytes[8];
      const std::size_t size = static_cast<std::size_t>(type.bits) / 8;
      if (kernel_.device == nullptr) {
        std::memcpy(bytes, from, size);
      } else if (kernel_.device->fetch(bytes, from, size, stream_) != 0) {
        throw Failure{"the GPU reports an error.", ""};
      }
      if (type == Type{'f', 64}) {
        return PyFloat_FromDouble(as<double>(bytes));
      }
      if (type == Type{'f', 32}) {
        return PyFloat_FromDouble(static_cast<double>(as<float>(bytes)));
      }
      return PyLong_FromLongLong(type.bits == 64 ? as<std::int64_t>(bytes)
                                 : type.kind == 'i'
                                     ? as<std::int32_t>(bytes)
                                     : static_cast<long long>(as<std::uint32_t>(bytes)));
    }

   private:
    template <typename Number>
    static Number as(const char* bytes) {
      Number number;
      std::memcpy(&number, bytes, sizeof(number));
      return number;
    }
    const Kernel& kernel_;
    void* stream_;
    void* memory_[most_parameters];
    int count_ = 0;
  };

  /// What to do about arrays that share elements. Names two at one address, of which one is
  /// written.
  std::string apart() const {
    std::string which;
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& one = kernel_.parameters[i];
      for (int j = 0; j < i && which.empty() && one.role == Role::array; ++j) {
        const Parameter& other = kernel_.parameters[j];
        if (other.role == Role::array && (one.written || other.written) &&
            array_[i]->data == array_[j]->data) {
          which = quoted(other.name) + " and " + quoted(one.name) + " are the same memory: ";
        }
      }
    }
    return which + "give each array that the kernel writes memory of its own";
  }

  std::string refused(int status) const {
    std::string shapes;
    for (int i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].role == Role::array) {
        shapes += (shapes.empty() ? " " : ", ") + std::string(kernel_.parameters[i].name) +
                  " of shape " + shape_of(i) + " with strides " +
                  listed(array_[i]->stride, array_[i]->axes);
      }
    }
    switch (status) {
      case fields_overlap:
        return "an array that the kernel writes shares elements with itself, or with what it "
               "accesses of another one:" +
               shapes + ".";
      case bad_stride:
        return "an array that is written has a stride of zero, or x does not have the stride that "
               "the schedule promises:" +
               shapes + ".";
      case misaligned:
        return "the address of an array is no multiple of the size of its elements.";
      case uneven_rows:
        return "a thread takes several cells of a row at once, and the cells of a row, a stride or "
               "an address are no multiple of these:" +
               shapes + ".";
      case extents_differ:
        return "the kernel does not take these numbers of cells:" + shapes + ".";
      case index_outside:
        return "an index lies outside an array.";
      case null_pointer:
        return "an array has no memory.";
      default:
        return "the launch on the GPU failed.";
    }
  }

  const Kernel& kernel_;
  std::unique_ptr<Array[]> arrays_;
  PyObject* given_[most_parameters];
  Array* array_[most_parameters];
  Value values_[most_parameters];
  std::int64_t ghosts_[3] = {};
  std::int64_t extent_[3] = {};
  PyObject* stream_given_ = nullptr;
  void* stream_ = nullptr;
  int device_ = -1;
};

constexpr const char* capsule_name = "heddle.kernel";

/// Raise the error of this package in Python.
void raise_error(const Kernel& kernel, const std::string& what, const std::string& hint) {
  PyObject* const type = kernel.callbacks[0];
  const Owned values(Py_BuildValue("(sss)", kernel.name, what.c_str(), hint.c_str()));
  const Owned error(PyObject_CallObject(type, values.get()));
  if (error) {
    PyErr_SetObject(type, error.get());
  }
}

}  // namespace

PyObject* call(PyObject* self, PyObject* const* arguments, std::ptrdiff_t count,
               PyObject* keywords) {
  const auto& kernel = *static_cast<const Kernel*>(PyCapsule_GetPointer(self, capsule_name));
  try {
    return Call(kernel).run(arguments, count, keywords);
  } catch (const Failure& failure) {
    PyErr_Clear();
    const std::string usage = std::string("call ") + kernel.signature;
    raise_error(kernel, failure.what, failure.hint.empty() ? usage : failure.hint + "\n  " + usage);
  } catch (const Raised&) {
  } catch (const std::exception& error) {
    raise_error(kernel, error.what(), "");
  }
  return nullptr;
}

void add(PyObject* kernels, Kernel& kernel, Method& method, PyObject** names,
         PyObject** callbacks) {
  for (int i = 0; i < kernel.count; ++i) {
    names[i] = interned(kernel.parameters[i].name);
  }
  kernel.names = names;
  kernel.callbacks = callbacks;
  const Owned self(PyCapsule_New(&kernel, capsule_name, nullptr));
  const Owned made(PyCFunction_NewEx(&method, self.get(), nullptr));
  PyDict_SetItemString(kernels, method.name, made.get());
}

}  // namespace heddle::python
