// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and zeros are driver calls. A box or reduction launches the support kernel for its
// operator and element type; the function's handle is looked up once. All reductions of an
// enqueue() read their addresses from one table in GPU memory.

#include "runtime/collective/gpu/MoveQueue.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/device/cuda/Call.h"

#include <algorithm>

namespace pcc::runtime::gpu {
namespace {

std::string_view nameOf(abi::ReduceOp reduction) {
  switch (reduction) {
  case abi::MAX:
    return "max";
  case abi::MIN:
    return "min";
  case abi::PROD:
    return "prod";
  default:
    return "sum";
  }
}

} // namespace

Expected<std::unique_ptr<MoveQueue>> MoveQueue::make(std::shared_ptr<const cuda::Gpu> gpu,
                                                     const cuda::Code &code) {
  Expected<std::unique_ptr<cuda::SideStream>> stream = cuda::SideStream::make(gpu);
  if (!stream)
    return stream.status();
  return std::make_unique<MoveQueue>(std::move(gpu), code, std::move(*stream));
}

MoveQueue::~MoveQueue() {
  if (!gpu->enter().ok())
    return;
  (void)side->synchronize(); // the staging's ring is read until then
  staging.reset();
}

Status MoveQueue::enqueue(std::span<const Move> moves) {
  if (Status status = sendTables(moves); !status.ok())
    return status;
  for (const Move &move : moves)
    if (Status status = std::visit([&](const auto &one) { return enqueueOne(one); }, move);
        !status.ok())
      return status;
  return {};
}

/// Returns the addresses that reductions read from GPU memory.
static std::vector<const std::byte *> addressesOf(std::span<const Move> moves) {
  std::vector<const std::byte *> addresses;
  for (const Move &move : moves)
    if (auto *reduction = std::get_if<Reduction>(&move)) {
      addresses.insert(addresses.end(), reduction->sources.begin(), reduction->sources.end());
      addresses.insert(addresses.end(), reduction->targets.begin(), reduction->targets.end());
    }
  return addresses;
}

Status MoveQueue::reserve(std::span<const Move> moves) {
  uint64_t bytes = addressesOf(moves).size() * sizeof(void *);
  if (bytes == 0)
    return {};
  if (Status status = staging->reserve(); !status.ok() || bytes <= tableBytes)
    return status;
  tableBytes = std::max<uint64_t>(2 * bytes, 4096);
  Expected<std::unique_ptr<Allocation>> memory = cuda::allocateOn(gpu, tableBytes);
  if (!memory)
    return memory.status();
  tables.push_back(std::move(*memory));
  return {};
}

/// Transfers the tables of all moves at once.
Status MoveQueue::sendTables(std::span<const Move> moves) {
  std::vector<const std::byte *> addresses = addressesOf(moves);
  if (addresses.empty())
    return {};
  if (Status status = reserve(moves); !status.ok())
    return status;
  nextTable = tables.back()->base;
  return staging->copy(cuda::pointer(nextTable), std::as_bytes(std::span(addresses)));
}

Status MoveQueue::enqueueOne(const CopyBytes &copy) {
  const cuda::Driver &driver = gpu->driver;
  return driver.check(driver.memcpyDeviceToDevice(cuda::pointer(copy.target),
                                                  cuda::pointer(copy.source), copy.bytes,
                                                  side->get()),
                      "cuMemcpyDtoDAsync");
}

Status MoveQueue::enqueueOne(const ZeroBytes &zero) {
  const cuda::Driver &driver = gpu->driver;
  return driver.check(driver.memsetBytes(cuda::pointer(zero.target), 0, zero.bytes, side->get()),
                      "cuMemsetD8Async");
}

Status MoveQueue::enqueueOne(const MoveBox &box) {
  if (box.sizes.size() > abi::maxBoxDims)
    return Status::unavailable(fmt::format("expected boxes of {} dimensions at most, got {}",
                                           abi::maxBoxDims, box.sizes.size()));
  std::vector<int64_t> numbers = {1};
  for (int64_t size : box.sizes)
    numbers[0] *= size;
  auto add = [&](const std::vector<int64_t> &list, int64_t fill) {
    numbers.insert(numbers.end(), abi::maxBoxDims - list.size(), fill);
    numbers.insert(numbers.end(), list.begin(), list.end());
  };
  add(box.sizes, 1);
  add(box.sourceStrides, 0);
  add(box.targetStrides, 0);
  std::string function =
      box.reduction == abi::REDUCE_OP_UNSPECIFIED
          ? fmt::format("pcc_box_i{}", 8 * abi::elementBytes(box.type))
          : fmt::format("pcc_box_{}_{}", nameOf(box.reduction), abi::elementName(box.type));
  return launch(function, numbers[0], {const_cast<std::byte *>(box.source), box.target}, numbers);
}

Status MoveQueue::enqueueOne(const Reduction &reduction) {
  std::byte *sources = nextTable;
  std::byte *targets = sources + reduction.sources.size() * sizeof(void *);
  nextTable = targets + reduction.targets.size() * sizeof(void *);
  const int64_t numbers[] = {reduction.count, reduction.run, reduction.stride,
                             int64_t(reduction.sources.size()), int64_t(reduction.targets.size())};
  return launch(fmt::format("pcc_reduce_{}_{}", nameOf(reduction.reduction),
                            abi::elementName(reduction.type)),
                reduction.count, {sources, targets}, numbers);
}

Status MoveQueue::launch(const std::string &function, int64_t elements,
                         std::vector<std::byte *> pointers, std::span<const int64_t> numbers) {
  auto found = functions.find(function);
  if (found == functions.end()) {
    Expected<cuda::FunctionHandle> handle = code.support(function);
    if (!handle)
      return handle.status();
    found = functions.emplace(function, *handle).first;
  }
  cuda::Call call(found->second, abi::numElementBlocks(elements), abi::supportThreads,
                  std::move(pointers), numbers);
  return gpu->driver.check(call.enqueue(gpu->driver, side->get()), "cuLaunchKernel");
}

} // namespace pcc::runtime::gpu
