// SPDX-License-Identifier: Apache-2.0
// Launching kernels: the run-time functions that emitted launchers call, and what `<<<>>>` needs.
#ifndef HEDDLE_SHIM_LAUNCH_HPP
#define HEDDLE_SHIM_LAUNCH_HPP
#pragma GCC system_header

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  __SIZE_TYPE__ dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};

template <typename... Expected, typename... Given>
__host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*kernel)(Expected...),
                                        Given&&... arguments);

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template <typename T>
__host__ cudaError_t cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value);

// Clang calls one of the first two for `<<<>>>`, depending on the version of CUDA that it takes this for.
extern "C" __host__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0,
                                                         void* stream = nullptr);
extern "C" __host__ cudaError_t cudaConfigureCall(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0,
                                                  cudaStream_t stream = nullptr);
extern "C" __host__ cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                                 __SIZE_TYPE__ shared, cudaStream_t stream);

extern "C" __host__ cudaError_t cudaMalloc(void** address, __SIZE_TYPE__ bytes);
template <typename T> __host__ cudaError_t cudaMalloc(T** address, __SIZE_TYPE__ bytes);
extern "C" __host__ cudaError_t cudaFree(void* address);
extern "C" __host__ cudaError_t cudaMemcpy(void* to, const void* from, __SIZE_TYPE__ bytes,
                                           cudaMemcpyKind kind);
extern "C" __host__ cudaError_t cudaMemset(void* address, int byte, __SIZE_TYPE__ bytes);
extern "C" __host__ cudaError_t cudaDeviceSynchronize();
extern "C" __host__ cudaError_t cudaStreamSynchronize(cudaStream_t stream);
extern "C" __host__ cudaError_t cudaGetLastError();
extern "C" __host__ const char* cudaGetErrorString(cudaError_t error);

#endif
