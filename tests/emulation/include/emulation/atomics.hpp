// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_ATOMICS_HPP
#define HEDDLE_EMULATION_ATOMICS_HPP

// Atomics, for the types for which CUDA has them: no atomicMax of a float exists there, so none does here.
// All are relaxed, as on the device: they order nothing else, and ThreadSanitizer knows.

namespace heddle::emulation {

/// Replaces *address by change(*address); returns the old value.
template <class T, class Change> T atomically(T* address, Change change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T desired = change(old);
  while (!__atomic_compare_exchange(address, &old, &desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    desired = change(old);
  return old;
}

} // namespace heddle::emulation

#define HEDDLE_EMULATION_ATOMIC(function, T, change)                                                         \
  inline T function(T* address, T value) {                                                                   \
    return heddle::emulation::atomically(address, [value](T old) { return change; });                        \
  }
HEDDLE_EMULATION_ATOMIC(atomicAdd, unsigned, old + value)
HEDDLE_EMULATION_ATOMIC(atomicAdd, unsigned long long, old + value)
HEDDLE_EMULATION_ATOMIC(atomicAdd, float, old + value)
HEDDLE_EMULATION_ATOMIC(atomicAdd, double, old + value)
HEDDLE_EMULATION_ATOMIC(atomicSub, unsigned, old - value)
HEDDLE_EMULATION_ATOMIC(atomicMax, int, old < value ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMax, unsigned, old < value ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMax, long long, old < value ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMax, unsigned long long, old < value ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMin, int, value < old ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMin, unsigned, value < old ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMin, long long, value < old ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicMin, unsigned long long, value < old ? value : old)
HEDDLE_EMULATION_ATOMIC(atomicAnd, int, old& value)
HEDDLE_EMULATION_ATOMIC(atomicAnd, unsigned, old& value)
HEDDLE_EMULATION_ATOMIC(atomicAnd, unsigned long long, old& value)
HEDDLE_EMULATION_ATOMIC(atomicOr, int, old | value)
HEDDLE_EMULATION_ATOMIC(atomicOr, unsigned, old | value)
HEDDLE_EMULATION_ATOMIC(atomicOr, unsigned long long, old | value)
HEDDLE_EMULATION_ATOMIC(atomicXor, int, old ^ value)
HEDDLE_EMULATION_ATOMIC(atomicXor, unsigned, old ^ value)
HEDDLE_EMULATION_ATOMIC(atomicXor, unsigned long long, old ^ value)
HEDDLE_EMULATION_ATOMIC(atomicExch, int, (static_cast<void>(old), value))
HEDDLE_EMULATION_ATOMIC(atomicExch, unsigned, (static_cast<void>(old), value))
HEDDLE_EMULATION_ATOMIC(atomicExch, unsigned long long, (static_cast<void>(old), value))
HEDDLE_EMULATION_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
#undef HEDDLE_EMULATION_ATOMIC

// Signed sums wrap on the device; on the host they must go through unsigned.
inline int atomicAdd(int* address, int value) {
  return static_cast<int>(atomicAdd(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(value)));
}
inline int atomicSub(int* address, int value) {
  return static_cast<int>(atomicSub(reinterpret_cast<unsigned*>(address), static_cast<unsigned>(value)));
}

#define HEDDLE_EMULATION_CAS(T)                                                                              \
  inline T atomicCAS(T* address, T compare, T value) {                                                       \
    __atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);         \
    return compare;                                                                                          \
  }
HEDDLE_EMULATION_CAS(int)
HEDDLE_EMULATION_CAS(unsigned)
HEDDLE_EMULATION_CAS(unsigned long long)
#undef HEDDLE_EMULATION_CAS

#endif
