// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/library/Products.h"

#include "runtime/device/Slots.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {
namespace {

using lt::CublasLt;

class LibraryProduct final : public PreparedRecord {
public:
  LibraryProduct(const abi::Record &record, lt::ProductPlan plan, const lt::Choice &choice,
                 const lt::ProductAddresses &at, lt::Handle handle, std::byte *workspace,
                 Stream &stream)
      : record(record), plan(std::move(plan)), choice(choice), at(at), handle(handle),
        workspace(workspace), stream(stream) {}

  SlotUse uses() const override { return usedBy(record.matmul().accumulation()); }

  Status run(const SlotValues &slot) override {
    const CublasLt &library = *CublasLt::get();
    const float alpha = 1, beta = adds(record.matmul().accumulation(), slot) ? 1 : 0;
    lt::LtStatus status =
        library.matmul(handle, plan.desc.get(), &alpha, at.b, plan.b.get(), at.a, plan.a.get(),
                       &beta, at.c, plan.c.get(), at.c, plan.c.get(), &choice.algorithm, workspace,
                       choice.workspaceBytes, stream.get());
    return stream.enqueued(record, library.check(status, "cublasLtMatmul"));
  }

private:
  const abi::Record &record;
  const lt::ProductPlan plan;
  const lt::Choice choice;
  const lt::ProductAddresses at;
  const lt::Handle handle;
  std::byte *const workspace;
  Stream &stream;
};

} // namespace

lt::ProductAddresses addressesOf(const abi::Matmul &matmul, const PrepareContext &context) {
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  auto addressIf = [&](bool isThere, const abi::Operand &operand) {
    return isThere ? address(operand) : nullptr;
  };
  return {.a = address(matmul.a()),
          .b = address(matmul.b()),
          .c = address(matmul.c()),
          .bias = addressIf(matmul.has_bias(), matmul.bias()),
          .kept = addressIf(matmul.has_kept(), matmul.kept()),
          .sum = matmul.has_sum_of_a() ? address(matmul.sum_of_a())
                                       : addressIf(matmul.has_sum_of_b(), matmul.sum_of_b())};
}

Products::~Products() {
  if (handle && gpu->enter().ok())
    CublasLt::get()->destroy(handle);
}

/// Returns whether the library is available and accepts the GPU; checked once.
bool Products::open() {
  if (std::exchange(isTried, true))
    return handle;
  const Expected<CublasLt> &library = CublasLt::get();
  if (!library || !gpu->enter().ok() || library->create(&handle) != lt::LtStatus::Success)
    handle = nullptr;
  return handle;
}

/// Allocates the size that NVIDIA recommends for Hopper, or fails. With less memory a rank might
/// choose another algorithm than other ranks, and their replicated values would drift apart.
Status Products::makeWorkspace() {
  Expected<std::unique_ptr<Allocation>> made = allocateOn(gpu, workspaceBytes);
  if (made)
    workspace = std::move(*made);
  return made.status();
}

Expected<std::optional<lt::Choice>> Products::choose(const lt::ProductShape &shape,
                                                     const lt::ProductPlan &plan) {
  if (auto known = choices.find(shape); known != choices.end())
    return known->second;
  auto choice = lt::chooseAlgorithm(*CublasLt::get(), handle, shape, plan, workspaceBytes);
  if (choice)
    choices.emplace(shape, *choice);
  return choice;
}

Expected<std::unique_ptr<PreparedRecord>>
Products::prepareAlone(const abi::Record &record, const PrepareContext &context, Stream &stream) {
  abi::Matmul matmul = record.matmul();
  matmul.clear_bias();
  matmul.clear_activation();
  matmul.clear_kept();
  matmul.clear_sum_of_a();
  matmul.clear_sum_of_b();
  return prepare(record, matmul, context, stream);
}

Expected<std::unique_ptr<PreparedRecord>> Products::prepare(const abi::Record &record,
                                                            const abi::Matmul &matmul,
                                                            const PrepareContext &context,
                                                            Stream &stream) {
  lt::ProductAddresses addresses = addressesOf(matmul, context);
  lt::ProductShape shape = lt::shapeOf(matmul, addresses);
  if (!lt::mayAsk(shape) || !open())
    return std::unique_ptr<PreparedRecord>();
  if (!workspace)
    if (Status status = makeWorkspace(); !status.ok())
      return status;
  bool rounds = roundsFactors && shape.type == lt::DataType::F32;
  auto plan = lt::planProduct(*CublasLt::get(), shape,
                              rounds ? lt::ComputeType::Tf32 : lt::ComputeType::F32, addresses);
  if (!plan)
    return plan.status();
  auto choice = choose(shape, *plan);
  if (!choice)
    return choice.status();
  if (!*choice)
    return std::unique_ptr<PreparedRecord>();
  return std::unique_ptr<PreparedRecord>(std::make_unique<LibraryProduct>(
      record, std::move(*plan), **choice, addresses, handle, workspace->base, stream));
}

} // namespace pcc::runtime::cuda
