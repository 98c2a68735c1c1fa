// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver without a GPU: libcuda.so.1 for tests. Its GPU, "emulator" of compute capability
// 0.0, is the host. PCC_EMULATED_GPUS in the environment sets the number of GPUs, which share the
// host's memory and streams. The driver accepts no PTX; GpuModules.h describes its machine code.
// Like the real driver it requires a context on each calling thread. An address outside all
// allocations is an error of all later calls, until the context is created anew. Calls that
// allocate memory wait for all work of the GPU, as the real driver's may.

#include "test/emulator/CudaErrors.h"
#include "test/emulator/GpuMemory.h"
#include "test/emulator/GpuModules.h"
#include "test/emulator/GpuStreams.h"
#include "test/emulator/GpuWork.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

using namespace pcc::runtime::cuda;
using namespace pcc::test;

namespace {

/// State shared by the contexts of all GPUs.
struct Emulator {
  std::mutex mutex;
  int users = 0;
  GpuMemory memory;
  GpuStreams streams;
  bool waitsForMemory = true;
};

/// Never destroyed: a rank's thread that a test gave up may free memory while the process ends.
Emulator &emulator = *new Emulator;
constexpr int maxGpus = 64, noGpu = -1;
thread_local int contextGpu = noGpu;

/// For each GPU, an object whose address is the handle of its context.
char contexts[maxGpus];
ContextHandle contextOf(int gpu) { return reinterpret_cast<ContextHandle>(&contexts[gpu]); }

int gpuCount() {
  const char *text = std::getenv("PCC_EMULATED_GPUS");
  return text ? std::clamp(std::atoi(text), 0, maxGpus) : 1;
}

/// Runs the body of a call under the lock; a body that waits takes the lock as an argument. Fails
/// if the thread has no context.
template <typename Body> Result inContext(Body body) {
  std::unique_lock lock(emulator.mutex);
  if (contextGpu == noGpu || emulator.users == 0)
    return Result::InvalidContext;
  if constexpr (std::is_invocable_v<Body, GpuStreams::Lock &>)
    return body(lock);
  else
    return body();
}

/// Enqueues an item of work that moves bytes.
template <typename Body>
Result move(StreamHandle stream, std::initializer_list<DevicePointer> addresses, size_t bytes,
            Body body) {
  return inContext([&] {
    std::vector<DevicePointer> all(addresses);
    return emulator.streams.add(stream, [=] {
      for (DevicePointer address : all)
        if (!emulator.memory.holds(address, bytes))
          return Result::IllegalAddress;
      body();
      return Result::Success;
    });
  });
}

/// Waits before a launch if too much work of the stream is not done yet.
void waitForRoom(GpuStreams::Lock &lock, StreamHandle stream) {
  constexpr uint64_t most = 1024;
  if (!stream->capture && stream->enqueued >= most)
    emulator.streams.wait(lock,
                          EventObject{.stream = stream, .place = stream->enqueued - most + 1});
}

/// Waits before a call that allocates memory.
void waitForMemory(GpuStreams::Lock &lock) {
  if (emulator.waitsForMemory)
    emulator.streams.waitForAll(lock, contextGpu);
}

bool holdAll(const std::vector<GpuBytes> &touched) {
  return std::all_of(touched.begin(), touched.end(), [](const GpuBytes &bytes) {
    return emulator.memory.holds(bytes.address, bytes.size);
  });
}

void *host(DevicePointer address) { return reinterpret_cast<void *>(address); }

} // namespace

Result pcc::test::enqueueWork(StreamHandle stream, std::vector<GpuBytes> touched,
                              std::function<void()> work) {
  return enqueueMeeting(stream, std::move(touched), [work = std::move(work)] {
    work();
    return Result::Success;
  });
}

Result pcc::test::enqueueMeeting(StreamHandle stream, std::vector<GpuBytes> touched,
                                 std::function<Result()> work) {
  return inContext([&] {
    return emulator.streams.add(stream, [touched = std::move(touched), work = std::move(work)] {
      return holdAll(touched) ? work() : Result::IllegalAddress;
    });
  });
}

void pcc::test::retryWork() {
  std::lock_guard lock(emulator.mutex);
  emulator.streams.retry();
}

void pcc::test::setBackground(void (*work)()) {
  std::lock_guard lock(emulator.mutex);
  emulator.streams.background = work;
}

void pcc::test::setWaitsForMemory(bool waits) {
  std::lock_guard lock(emulator.mutex);
  emulator.waitsForMemory = waits;
}

int pcc::test::currentGpu() { return contextGpu; }

pcc::test::OnGpu::OnGpu(int gpu) : before(std::exchange(contextGpu, gpu)) {}
pcc::test::OnGpu::~OnGpu() { contextGpu = before; }

extern "C" {

Result cuInit(unsigned) { return Result::Success; }

Result cuDriverGetVersion(int *version) {
  *version = 13000;
  return Result::Success;
}

Result cuDeviceGetCount(int *count) {
  *count = gpuCount();
  return Result::Success;
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < gpuCount() ? Result::Success : Result::InvalidValue;
}

Result cuDeviceGetName(char *name, int capacity, DeviceNumber) {
  snprintf(name, size_t(capacity), "emulator");
  return Result::Success;
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber) {
  *bytes = GpuMemory::total;
  return Result::Success;
}

Result cuDeviceGetAttribute(int *value, Attribute, DeviceNumber) {
  *value = 0;
  return Result::Success;
}

Result cuDeviceGetUuid_v2(Uuid *uuid, DeviceNumber device) {
  *uuid = {{'e', 'm', 'u', 'l', 'a', 't', 'o', 'r', char(device)}};
  return Result::Success;
}

Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceNumber device) {
  std::lock_guard lock(emulator.mutex);
  if (emulator.users++ == 0)
    emulator.streams.forgetErrors();
  *context = contextOf(device);
  return Result::Success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  std::lock_guard lock(emulator.mutex);
  --emulator.users;
  return Result::Success;
}

Result cuCtxSetCurrent(ContextHandle context) {
  contextGpu = noGpu;
  for (int gpu = 0; gpu < gpuCount(); ++gpu)
    if (context == contextOf(gpu))
      contextGpu = gpu;
  return Result::Success;
}

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  return inContext([=] {
    *stream = emulator.streams.create(contextGpu);
    return Result::Success;
  });
}

Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return Result::Success;
}

Result cuStreamCreateWithPriority(StreamHandle *stream, unsigned flags, int priority) {
  return priority > 0 || priority < -5 ? Result::InvalidValue : cuStreamCreate(stream, flags);
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return inContext([=](GpuStreams::Lock &lock) {
    emulator.streams.destroy(lock, stream);
    return Result::Success;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  return inContext([=](GpuStreams::Lock &lock) { return emulator.streams.wait(lock, stream); });
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  return inContext([=] { return emulator.streams.addWait(stream, *event); });
}

Result cuStreamBeginCapture_v2(StreamHandle stream, CaptureMode) {
  return inContext([=] {
    if (stream->capture)
      return Result::InvalidValue;
    stream->capture = std::make_unique<GraphObject>();
    return Result::Success;
  });
}

Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  return inContext([=] {
    *graph = stream->capture.release();
    return *graph ? Result::Success : Result::InvalidValue;
  });
}

Result cuGraphInstantiateWithFlags(GraphExecHandle *exec, GraphHandle graph, unsigned long long) {
  return inContext([=](GpuStreams::Lock &lock) {
    waitForMemory(lock);
    *exec = new GraphExecObject{graph->work};
    return Result::Success;
  });
}

Result cuGraphUpload(GraphExecHandle, StreamHandle stream) {
  return inContext([=] { return emulator.streams.add(stream, [] { return Result::Success; }); });
}

Result cuGraphDestroy(GraphHandle graph) {
  delete graph;
  return Result::Success;
}

Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  return inContext([=](GpuStreams::Lock &lock) {
    waitForRoom(lock, stream);
    Result result = Result::Success;
    for (const Work &work : exec->work)
      result = emulator.streams.add(stream, work);
    return result;
  });
}

Result cuGraphExecDestroy(GraphExecHandle exec) {
  delete exec;
  return Result::Success;
}

Result cuEventCreate(EventHandle *event, unsigned flags) {
  *event = new EventObject{.isTimed = flags == timedEvent};
  return Result::Success;
}

Result cuEventDestroy_v2(EventHandle event) {
  delete event;
  return Result::Success;
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return inContext([=] {
    if (stream->capture)
      return Result::CaptureUnsupported; // no program needs a timed event in a capture
    auto time = std::make_shared<std::optional<int64_t>>();
    Result result = !event->isTimed ? Result::Success : emulator.streams.add(stream, [time] {
      *time = pcc::runtime::nowNanoseconds();
      return Result::Success;
    });
    if (result == Result::Success)
      *event = {event->isTimed, stream, stream->enqueued, time};
    return result;
  });
}

Result cuEventSynchronize(EventHandle event) {
  return inContext([=](GpuStreams::Lock &lock) { return emulator.streams.wait(lock, *event); });
}

Result cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle end) {
  return inContext([=] {
    if (!start->isTimed || !end->isTimed || !start->stream || !end->stream)
      return Result::InvalidValue;
    if (!*start->time || !*end->time)
      return Result::NotReady;
    *milliseconds = float(double(**end->time - **start->time) / 1e6);
    return Result::Success;
  });
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count,
                          JitOption *options, void **values) {
  return inContext([=] {
    *module = openModule(image).release();
    for (unsigned i = 0; i < count && !*module; ++i)
      if (options[i] == JitOption::ErrorLog)
        std::strcpy(static_cast<char *>(values[i]), "the emulator does not compile");
    return *module ? Result::Success : Result::InvalidImage;
  });
}

Result cuModuleUnload(ModuleHandle module) {
  return inContext([=](GpuStreams::Lock &lock) {
    emulator.streams.waitForAll(lock, contextGpu);
    delete module;
    return Result::Success;
  });
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  return inContext([=] {
    *function = findFunction(*module, name);
    return *function ? Result::Success : Result::NotFound;
  });
}

Result cuLaunchKernel(FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned,
                      StreamHandle stream, void **parameters, void **extra) {
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockX == 0 || blockY != 1 || blockZ != 1 || extra)
    return Result::InvalidValue;
  return inContext([&](GpuStreams::Lock &lock) {
    waitForRoom(lock, stream);
    GpuArguments arguments(*function, parameters);
    return emulator.streams.add(stream, [=] {
      for (void *buffer : arguments.buffers)
        if (buffer && !emulator.memory.holds(DevicePointer(buffer), 0))
          return Result::IllegalAddress;
      function->entry(arguments.buffers.data(), arguments.scalars.data(), 0, gridX);
      return Result::Success;
    });
  });
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return inContext([=] {
    *free = emulator.memory.left();
    *total = GpuMemory::total;
    return Result::Success;
  });
}

Result cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  if (bytes == 0)
    return Result::InvalidValue;
  return inContext([=](GpuStreams::Lock &lock) {
    waitForMemory(lock);
    *address = emulator.memory.allocate(bytes);
    return *address ? Result::Success : Result::OutOfMemory;
  });
}

Result cuMemFree_v2(DevicePointer address) {
  return inContext([=](GpuStreams::Lock &lock) {
    emulator.streams.waitForAll(lock, contextGpu);
    return emulator.memory.free(address) ? Result::Success : Result::InvalidValue;
  });
}

Result cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  return inContext([=](GpuStreams::Lock &lock) {
    waitForMemory(lock);
    *address = malloc(bytes);
    return *address ? Result::Success : Result::OutOfMemory;
  });
}

Result cuMemFreeHost(void *address) {
  free(address);
  return Result::Success;
}

Result cuMemcpyHtoDAsync_v2(DevicePointer destination, const void *source, size_t bytes,
                            StreamHandle stream) {
  return move(stream, {destination}, bytes, [=] { std::memcpy(host(destination), source, bytes); });
}

Result cuMemcpyDtoHAsync_v2(void *destination, DevicePointer source, size_t bytes,
                            StreamHandle stream) {
  return move(stream, {source}, bytes, [=] { std::memcpy(destination, host(source), bytes); });
}

Result cuMemcpyDtoDAsync_v2(DevicePointer destination, DevicePointer source, size_t bytes,
                            StreamHandle stream) {
  return move(stream, {destination, source}, bytes,
              [=] { std::memcpy(host(destination), host(source), bytes); });
}

Result cuMemsetD8Async(DevicePointer destination, unsigned char value, size_t count,
                       StreamHandle stream) {
  return move(stream, {destination}, count, [=] { std::memset(host(destination), value, count); });
}

} // extern "C"

/// Fails to compile if a function's type differs from the one that the runtime declares.
[[maybe_unused]] static const Driver own = {.init = cuInit,
                                            .driverGetVersion = cuDriverGetVersion,
                                            .getErrorName = cuGetErrorName,
                                            .getErrorString = cuGetErrorString,
                                            .deviceGetCount = cuDeviceGetCount,
                                            .deviceGet = cuDeviceGet,
                                            .deviceGetName = cuDeviceGetName,
                                            .deviceTotalMem = cuDeviceTotalMem_v2,
                                            .deviceGetAttribute = cuDeviceGetAttribute,
                                            .primaryContextRetain = cuDevicePrimaryCtxRetain,
                                            .primaryContextRelease = cuDevicePrimaryCtxRelease_v2,
                                            .contextSetCurrent = cuCtxSetCurrent,
                                            .streamCreate = cuStreamCreate,
                                            .contextGetStreamPriorityRange =
                                                cuCtxGetStreamPriorityRange,
                                            .streamCreateWithPriority = cuStreamCreateWithPriority,
                                            .streamDestroy = cuStreamDestroy_v2,
                                            .streamSynchronize = cuStreamSynchronize,
                                            .streamWaitEvent = cuStreamWaitEvent,
                                            .streamBeginCapture = cuStreamBeginCapture_v2,
                                            .streamEndCapture = cuStreamEndCapture,
                                            .graphInstantiate = cuGraphInstantiateWithFlags,
                                            .graphDestroy = cuGraphDestroy,
                                            .graphLaunch = cuGraphLaunch,
                                            .graphUpload = cuGraphUpload,
                                            .graphExecDestroy = cuGraphExecDestroy,
                                            .eventCreate = cuEventCreate,
                                            .eventDestroy = cuEventDestroy_v2,
                                            .eventRecord = cuEventRecord,
                                            .eventSynchronize = cuEventSynchronize,
                                            .moduleLoadDataEx = cuModuleLoadDataEx,
                                            .moduleUnload = cuModuleUnload,
                                            .moduleGetFunction = cuModuleGetFunction,
                                            .launchKernel = cuLaunchKernel,
                                            .memGetInfo = cuMemGetInfo_v2,
                                            .memAlloc = cuMemAlloc_v2,
                                            .memFree = cuMemFree_v2,
                                            .memHostAlloc = cuMemHostAlloc,
                                            .memFreeHost = cuMemFreeHost,
                                            .memcpyHostToDevice = cuMemcpyHtoDAsync_v2,
                                            .memcpyDeviceToHost = cuMemcpyDtoHAsync_v2,
                                            .memcpyDeviceToDevice = cuMemcpyDtoDAsync_v2,
                                            .memsetBytes = cuMemsetD8Async,
                                            .deviceGetUuid = cuDeviceGetUuid_v2,
                                            .eventElapsedTime = cuEventElapsedTime};
