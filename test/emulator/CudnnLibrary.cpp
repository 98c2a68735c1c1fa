// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcudnn.so.9 whose GPU is the host, with the functions of the backend API that pcc uses. Its
// heuristics return three engines in this order: one whose sums differ from run to run, one that
// rounds f32, and one that does neither. Plans need workspace, and leave data in it.
#include "runtime/device/cuda/library/Cudnn.h"
#include "test/emulator/CudnnGraph.h"
#include "test/emulator/GpuWork.h"

#include <algorithm>
#include <utility>

using namespace pcc;
using namespace pcc::test::dnn;
using runtime::cuda::DevicePointer;
using runtime::cuda::StreamHandle;

namespace pcc::runtime::cuda::dnn {
struct HandleObject {
  StreamHandle stream = nullptr;
};
} // namespace pcc::runtime::cuda::dnn

namespace {

enum Engine : int64_t { unordered, rounding, exact, engineCount };
constexpr int64_t workspaceBytes = 1000;

Object &of(DescriptorHandle handle) { return *static_cast<Object *>(handle); }

DevicePointer addressOf(const void *pointer) { return reinterpret_cast<DevicePointer>(pointer); }

std::vector<NumericalNote> notesOf(int64_t engine) {
  switch (engine) {
  case unordered:
    return {NumericalNote::Nondeterministic};
  case rounding:
    return {NumericalNote::TensorCore, NumericalNote::DownConvertInputs};
  default:
    return {};
  }
}

/// Fills descriptors that the caller has made; `count` receives the number of all available ones.
Result fillDescriptors(const Object &source, Attribute name, int64_t requested, int64_t *count,
                       void *elements) {
  auto **targets = static_cast<Object **>(elements);
  bool isConfig = source.kind == Kind::EngineConfig && name == Attribute::EngineConfigEngine;
  bool isResult = source.kind == Kind::EngineHeuristics && name == Attribute::HeuristicsResults;
  if (!isConfig && !isResult)
    return Result::BadParam;
  bool isModeA =
      isResult && source.one<HeuristicsMode>(Attribute::HeuristicsMode) == HeuristicsMode::A;
  *count = isConfig ? 1 : isModeA ? int64_t(engineCount) : 0;
  for (int64_t i = 0; i < std::min(requested, *count); ++i) {
    targets[i]->values = source.values;
    targets[i]->engine = isConfig ? source.engine : i;
    targets[i]->isFinal = true;
  }
  return Result::Success;
}

/// Returns the graph of a plan.
const Object &graphOf(const Object &plan) {
  return plan.object(Attribute::PlanEngineConfig).object(Attribute::HeuristicsOperationGraph);
}

/// Reads the addresses of a variant pack; false if a tensor in memory has no address or a
/// misaligned one.
bool readPack(const Object &graph, const Object &pack, Addresses &addresses) {
  std::vector<int64_t> numbers = pack.all<int64_t>(Attribute::PackUniqueIds);
  std::vector<void *> pointers = pack.all<void *>(Attribute::PackDataPointers);
  for (size_t i = 0; i < numbers.size(); ++i)
    addresses[numbers[i]] = pointers[i];
  std::vector<const Object *> needed = memoryTensors(graph), host = hostTensors(graph);
  if (needed.size() + host.size() != addresses.size())
    return false;
  for (const Object *tensor : host)
    if (!addresses.contains(tensor->one<int64_t>(Attribute::TensorUniqueId)))
      return false;
  for (const Object *tensor : needed) {
    auto found = addresses.find(tensor->one<int64_t>(Attribute::TensorUniqueId));
    if (found == addresses.end() || reinterpret_cast<uintptr_t>(found->second) %
                                            tensor->one<int64_t>(Attribute::TensorAlignment) !=
                                        0)
      return false;
  }
  return true;
}

} // namespace

extern "C" {

size_t cudnnGetVersion() { return 91900; }

const char *cudnnGetErrorString(Result result) {
  return result == Result::Success ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_BAD_PARAM";
}

void cudnnGetLastErrorString(char *message, size_t size) {
  strncpy(message, "so says the emulator", size);
}

Result cudnnCreate(Handle *handle) {
  *handle = new runtime::cuda::dnn::HandleObject;
  return Result::Success;
}

Result cudnnDestroy(Handle handle) {
  delete handle;
  return Result::Success;
}

Result cudnnSetStream(Handle handle, StreamHandle stream) {
  handle->stream = stream;
  return Result::Success;
}

Result cudnnBackendCreateDescriptor(Kind kind, DescriptorHandle *descriptor) {
  auto object = std::make_shared<Object>(kind);
  object->ofHandle = object;
  *descriptor = object.get();
  return Result::Success;
}

Result cudnnBackendDestroyDescriptor(DescriptorHandle descriptor) {
  std::exchange(of(descriptor).ofHandle, nullptr); // parent descriptors still hold it
  return Result::Success;
}

Result cudnnBackendSetAttribute(DescriptorHandle descriptor, Attribute name, ValueType type,
                                int64_t count, const void *elements) {
  return of(descriptor).set(name, type, count, elements);
}

Result cudnnBackendFinalize(DescriptorHandle descriptor) {
  Object &object = of(descriptor);
  if (Result result = object.finalize(); result != Result::Success)
    return result;
  if (object.kind == Kind::OperationGraph && !isKnown(object))
    return Result::NotSupported;
  return Result::Success;
}

Result cudnnBackendGetAttribute(DescriptorHandle descriptor, Attribute name, ValueType type,
                                int64_t requested, int64_t *count, void *elements) {
  const Object &object = of(descriptor);
  if (!object.isFinal)
    return Result::BadParamNotFinalized;
  if (type == ValueType::Descriptor)
    return fillDescriptors(object, name, requested, count, elements);
  if (object.kind == Kind::ExecutionPlan && name == Attribute::PlanWorkspaceSize &&
      type == ValueType::Int64) {
    *static_cast<int64_t *>(elements) = workspaceBytes;
    *count = 1;
    return Result::Success;
  }
  if (object.kind != Kind::Engine || name != Attribute::EngineNumericalNotes ||
      type != ValueType::NumericalNote)
    return Result::BadParam;
  std::vector<NumericalNote> notes = notesOf(object.engine);
  *count = int64_t(notes.size());
  std::copy_n(notes.begin(), std::min(requested, *count), static_cast<NumericalNote *>(elements));
  return Result::Success;
}

Result cudnnBackendExecute(Handle handle, DescriptorHandle plan, DescriptorHandle variantPack) {
  const Object &graph = graphOf(of(plan)), &pack = of(variantPack);
  Addresses addresses;
  if (!of(plan).isFinal || !pack.isFinal || !readPack(graph, pack, addresses))
    return Result::BadParam;
  void *workspace = pack.one<void *>(Attribute::PackWorkspace);
  std::vector<test::GpuBytes> touched = {{addressOf(workspace), size_t(workspaceBytes)}};
  for (const Object *tensor : memoryTensors(graph))
    touched.push_back(
        {addressOf(addresses.at(tensor->one<int64_t>(Attribute::TensorUniqueId))),
         size_t(spanOf(*tensor)) * bytesOf(tensor->one<DataType>(Attribute::TensorDataType))});
  int64_t engine = of(plan).object(Attribute::PlanEngineConfig).engine;
  if (engine == unordered)
    return Result::NotSupported;
  auto enqueued =
      test::enqueueWork(handle->stream, std::move(touched),
                        [work = workOf(graph, addresses, engine == rounding), workspace] {
                          work();
                          std::memset(workspace, 0xff, size_t(workspaceBytes));
                        });
  return enqueued == runtime::cuda::Result::Success ? Result::Success : Result::BadParam;
}

} // extern "C"
