// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run is one cublasLtMatmul with stored descriptors and algorithm. Algorithms are cached by
// shape. Descriptors are not, since they contain addresses of the bias and the pre-activation.

#include "runtime/device/cuda/library/LibraryMatmuls.h"

#include "runtime/device/LaunchScalars.h"
#include "runtime/device/cuda/driver/Stream.h"

namespace pcc::runtime::cuda {
namespace {

using lt::CublasLt;

class CublasLtMatmul final : public PreparedInstruction {
public:
  CublasLtMatmul(const abi::Instruction &instruction, lt::MatmulPlan plan, const lt::Choice &choice,
                 const lt::MatmulAddresses &at, lt::Handle handle, std::byte *workspace,
                 Stream &stream)
      : instruction(instruction), plan(std::move(plan)), choice(choice), at(at), handle(handle),
        workspace(workspace), stream(stream) {}

  ActionValueUse uses() const override { return usedBy(instruction.matmul().accumulation()); }

  Status run(const ActionValues &action) override {
    const CublasLt &library = *CublasLt::get();
    const float alpha = 1, beta = adds(instruction.matmul().accumulation(), action) ? 1 : 0;
    lt::LtStatus status =
        library.matmul(handle, plan.desc.get(), &alpha, at.b, plan.b.get(), at.a, plan.a.get(),
                       &beta, at.c, plan.c.get(), at.c, plan.c.get(), &choice.algorithm, workspace,
                       choice.workspaceBytes, stream.get());
    return stream.enqueued(instruction, library.check(status, "cublasLtMatmul"));
  }

private:
  const abi::Instruction &instruction;
  const lt::MatmulPlan plan;
  const lt::Choice choice;
  const lt::MatmulAddresses at;
  const lt::Handle handle;
  std::byte *const workspace;
  Stream &stream;
};

} // namespace

lt::MatmulAddresses addressesOf(const abi::Matmul &matmul, const PrepareContext &context) {
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
          .preActivation = addressIf(matmul.has_pre_activation(), matmul.pre_activation()),
          .sum = matmul.has_sum_of_a() ? address(matmul.sum_of_a())
                                       : addressIf(matmul.has_sum_of_b(), matmul.sum_of_b())};
}

LibraryMatmuls::~LibraryMatmuls() {
  if (handle && gpu->enter().ok())
    CublasLt::get()->destroy(handle);
}

/// Returns whether the library is available and accepts the GPU; checked once.
bool LibraryMatmuls::open() {
  if (std::exchange(isTried, true))
    return handle;
  const Expected<CublasLt> &library = CublasLt::get();
  if (!library || !gpu->enter().ok() || library->create(&handle) != lt::LtStatus::Success)
    handle = nullptr;
  return handle;
}

/// Allocates the size that NVIDIA recommends for Hopper, or fails. With less memory a rank might
/// choose another algorithm than other ranks, and their replicated values would drift apart.
Status LibraryMatmuls::makeWorkspace() {
  Expected<std::unique_ptr<Allocation>> made = allocateOn(gpu, workspaceBytes);
  if (made)
    workspace = std::move(*made);
  return made.status();
}

Expected<std::optional<lt::Choice>> LibraryMatmuls::choose(const lt::MatmulShape &shape,
                                                           const lt::MatmulPlan &plan) {
  if (auto known = choices.find(shape); known != choices.end())
    return known->second;
  auto choice = lt::chooseAlgorithm(*CublasLt::get(), handle, shape, plan, workspaceBytes);
  if (choice)
    choices.emplace(shape, *choice);
  return choice;
}

Expected<std::unique_ptr<PreparedInstruction>>
LibraryMatmuls::prepareWithoutEpilogue(const abi::Instruction &instruction,
                                       const PrepareContext &context, Stream &stream) {
  abi::Matmul matmul = instruction.matmul();
  matmul.clear_bias();
  matmul.clear_activation();
  matmul.clear_pre_activation();
  matmul.clear_sum_of_a();
  matmul.clear_sum_of_b();
  return prepare(instruction, matmul, context, stream);
}

Expected<std::unique_ptr<PreparedInstruction>>
LibraryMatmuls::prepare(const abi::Instruction &instruction, const abi::Matmul &matmul,
                        const PrepareContext &context, Stream &stream) {
  lt::MatmulAddresses addresses = addressesOf(matmul, context);
  lt::MatmulShape shape = lt::shapeOf(matmul, addresses);
  if (!lt::isSupportedShape(shape) || !open())
    return std::unique_ptr<PreparedInstruction>();
  if (!workspace)
    if (Status status = makeWorkspace(); !status.ok())
      return status;
  bool rounds = allowsTf32 && shape.type == lt::DataType::F32;
  auto plan = lt::planMatmul(*CublasLt::get(), shape,
                             rounds ? lt::ComputeType::Tf32 : lt::ComputeType::F32, addresses);
  if (!plan)
    return plan.status();
  auto choice = choose(shape, *plan);
  if (!choice)
    return choice.status();
  if (!*choice)
    return std::unique_ptr<PreparedInstruction>();
  return std::unique_ptr<PreparedInstruction>(std::make_unique<CublasLtMatmul>(
      instruction, std::move(*plan), **choice, addresses, handle, workspace->base, stream));
}

} // namespace pcc::runtime::cuda
