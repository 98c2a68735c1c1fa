// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NVIDIA's driver API that pcc uses. It is declared here so that building needs neither
// CUDA's headers nor its libraries. The driver library is opened at first use. DriverHeaderTest
// compares these declarations with the real header, if there is one.

#pragma once

#include "runtime/base/SharedLibrary.h"

#include <vector>

namespace pcc::runtime::cuda {

/// The number of a GPU, and an address in GPU memory.
using DeviceNumber = int;
using DevicePointer = unsigned long long;

using ContextHandle = struct ContextObject *;
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
using GraphHandle = struct GraphObject *;
using GraphExecHandle = struct GraphExecObject *;

enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NoDevice = 100,
  InvalidImage = 200,
  InvalidContext = 201,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  CaptureUnsupported = 900,
};

enum class Attribute : int { CapabilityMajor = 75, CapabilityMinor = 76 };

/// Globally unique identifier of a GPU.
struct Uuid {
  char bytes[16];
};

enum class JitOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

/// The calls that a capture forbids while it runs: unsafe calls of its own thread.
enum class CaptureMode : int { ThreadLocal = 1 };

/// Flags of streams and events.
constexpr unsigned nonBlockingStream = 1, timedEvent = 0, untimedEvent = 2;

struct Driver {
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*getErrorName)(Result result, const char **text);
  Result (*getErrorString)(Result result, const char **text);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceNumber *device, int ordinal);
  Result (*deviceGetName)(char *name, int capacity, DeviceNumber device);
  Result (*deviceTotalMem)(size_t *bytes, DeviceNumber device);
  Result (*deviceGetAttribute)(int *value, Attribute attribute, DeviceNumber device);
  Result (*primaryContextRetain)(ContextHandle *context, DeviceNumber device);
  Result (*primaryContextRelease)(DeviceNumber device);
  Result (*contextSetCurrent)(ContextHandle context);
  Result (*streamCreate)(StreamHandle *stream, unsigned flags);
  Result (*contextGetStreamPriorityRange)(int *least, int *greatest);
  Result (*streamCreateWithPriority)(StreamHandle *stream, unsigned flags, int priority);
  Result (*streamDestroy)(StreamHandle stream);
  Result (*streamSynchronize)(StreamHandle stream);
  Result (*streamWaitEvent)(StreamHandle stream, EventHandle event, unsigned flags);
  Result (*streamBeginCapture)(StreamHandle stream, CaptureMode mode);
  Result (*streamEndCapture)(StreamHandle stream, GraphHandle *graph);
  Result (*graphInstantiate)(GraphExecHandle *exec, GraphHandle graph, unsigned long long flags);
  Result (*graphDestroy)(GraphHandle graph);
  Result (*graphLaunch)(GraphExecHandle exec, StreamHandle stream);
  Result (*graphUpload)(GraphExecHandle exec, StreamHandle stream);
  Result (*graphExecDestroy)(GraphExecHandle exec);
  Result (*eventCreate)(EventHandle *event, unsigned flags);
  Result (*eventDestroy)(EventHandle event);
  Result (*eventRecord)(EventHandle event, StreamHandle stream);
  Result (*eventSynchronize)(EventHandle event);
  Result (*moduleLoadDataEx)(ModuleHandle *module, const void *image, unsigned count,
                             JitOption *options, void **values);
  Result (*moduleUnload)(ModuleHandle module);
  Result (*moduleGetFunction)(FunctionHandle *function, ModuleHandle module, const char *name);
  Result (*launchKernel)(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ,
                         unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                         StreamHandle stream, void **parameters, void **extra);
  Result (*memGetInfo)(size_t *free, size_t *total);
  Result (*memAlloc)(DevicePointer *address, size_t bytes);
  Result (*memFree)(DevicePointer address);
  Result (*memHostAlloc)(void **address, size_t bytes, unsigned flags);
  Result (*memFreeHost)(void *address);
  Result (*memcpyHostToDevice)(DevicePointer destination, const void *source, size_t bytes,
                               StreamHandle stream);
  Result (*memcpyDeviceToHost)(void *destination, DevicePointer source, size_t bytes,
                               StreamHandle stream);
  Result (*memcpyDeviceToDevice)(DevicePointer destination, DevicePointer source, size_t bytes,
                                 StreamHandle stream);
  Result (*memsetBytes)(DevicePointer destination, unsigned char value, size_t count,
                        StreamHandle stream);
  Result (*deviceGetUuid)(Uuid *uuid, DeviceNumber device);
  Result (*eventElapsedTime)(float *milliseconds, EventHandle start, EventHandle end);

  /// Returns the driver, or the reason why it is not available; the same on every call. Unavailable
  /// also if there is no GPU.
  static const Expected<Driver> &get();

  /// Returns the rows that fill a driver: symbol names with the versions that have these
  /// prototypes.
  static std::vector<Symbol> table(Driver &driver);

  /// Returns success, or "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY: out of memory" for the call `what`.
  Status check(Result result, std::string_view what) const;

private:
  static Expected<Driver> load();
};

/// Describes the driver and its GPUs for `pcc doctor`: one line for the driver, then one for each
/// GPU. Unavailable, with the reason, without them.
Expected<std::vector<std::string>> describeDriver();

/// Converts an address in GPU memory to the driver's type.
inline DevicePointer pointer(const std::byte *address) {
  return reinterpret_cast<DevicePointer>(address);
}

} // namespace pcc::runtime::cuda
