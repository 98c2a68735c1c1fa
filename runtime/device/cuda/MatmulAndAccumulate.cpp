// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs accumulations and matmuls with
//
//   pcc_accumulate_T(f32 *destination, T *source, i64 count, i64 adds)
//   pcc_matmul_T_R(T *a, T *b, R *c, R *bias, R *pre_activation, R *sum, i64 batch, i64 m, i64 n,
//                  i64 k, i64 flags)
//   pcc_finish_T_R, with the same arguments
//
// for T and R of f32, f16, bf16. A matmul passes null for arguments that it does not have. cuBLASLt
// (LibraryMatmuls.h) takes precedence if it is available. If the library does only part of an
// instruction, the second kernel finishes the matmul.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/library/LibraryMatmuls.h"

namespace pcc::runtime::cuda {
namespace {

class AccumulateInstruction final : public PreparedInstruction {
public:
  AccumulateInstruction(const abi::Instruction &instruction, Call call, Stream &stream)
      : instruction(instruction), call(std::move(call)), stream(stream) {}

  ActionValueUse uses() const override { return usedBy(instruction.accumulate().accumulation()); }
  Status run(const ActionValues &action) override {
    call.scalars.back() = adds(instruction.accumulate().accumulation(), action);
    return call.run(instruction, stream);
  }

private:
  const abi::Instruction &instruction;
  Call call;
  Stream &stream;
};

using Flag = abi::MatmulFlag;

int64_t flagsOf(const abi::Matmul &matmul) {
  return matmul.transpose_a() * Flag::transposeA + matmul.transpose_b() * Flag::transposeB +
         matmul.shared_b() * Flag::sharedB + (matmul.activation() == abi::RELU) * Flag::relu +
         matmul.has_bias() * Flag::hasBias + (matmul.activation() == abi::GELU) * Flag::gelu +
         (matmul.activation() == abi::GELU_GRADIENT) * Flag::geluGradient +
         matmul.has_pre_activation() * Flag::hasPreActivation +
         matmul.has_sum_of_a() * Flag::sumOfA + matmul.has_sum_of_b() * Flag::sumOfB;
}

class MatmulInstruction final : public PreparedInstruction {
public:
  MatmulInstruction(const abi::Instruction &instruction, Call call, Stream &stream)
      : instruction(instruction), flags(flagsOf(instruction.matmul())), call(std::move(call)),
        stream(stream) {}

  ActionValueUse uses() const override { return usedBy(instruction.matmul().accumulation()); }
  Status run(const ActionValues &action) override {
    call.scalars.back() = flags + adds(instruction.matmul().accumulation(), action) * Flag::addToC;
    return call.run(instruction, stream);
  }

private:
  const abi::Instruction &instruction;
  const int64_t flags;
  Call call;
  Stream &stream;
};

/// A library matmul, finished by the program's own kernel.
class FinishedMatmul final : public PreparedInstruction {
public:
  FinishedMatmul(const abi::Instruction &instruction, PreparedPointer product, Call finish,
                 Stream &stream)
      : instruction(instruction), product(std::move(product)), finish(std::move(finish)),
        stream(stream) {}

  ActionValueUse uses() const override { return product->uses(); }

  Status run(const ActionValues &action) override {
    Status status = product->run(action);
    return status.ok() ? finish.run(instruction, stream) : status;
  }

private:
  const abi::Instruction &instruction;
  const PreparedPointer product;
  Call finish;
  Stream &stream;
};

/// Returns a call of pcc_matmul_T_R or pcc_finish_T_R.
Expected<Call> callOf(const char *name, const abi::Matmul &matmul, const PrepareContext &context,
                      const Code &code) {
  Expected<FunctionHandle> function = code.support(fmt::format(
      "{}_{}_{}", name, abi::elementName(matmul.type()), abi::elementName(matmul.result_type())));
  if (!function)
    return function.status();
  lt::MatmulAddresses at = addressesOf(matmul, context);
  const int64_t scalars[] = {matmul.batch(), matmul.m(), matmul.n(), matmul.k(), flagsOf(matmul)};
  return Call(*function, abi::numElementBlocks(matmul.batch() * matmul.m() * matmul.n()),
              abi::supportThreads, {at.a, at.b, at.c, at.bias, at.preActivation, at.sum}, scalars);
}

} // namespace

Expected<PreparedPointer> prepareAccumulate(const abi::Instruction &instruction,
                                            const PrepareContext &context, RankParts parts) {
  const abi::Accumulate &sum = instruction.accumulate();
  Expected<FunctionHandle> function =
      parts.code.support(fmt::format("pcc_accumulate_{}", abi::elementName(sum.source_type())));
  if (!function)
    return function.status();
  const int64_t scalars[] = {sum.count(), 0};
  Call call(*function, abi::numSumBlocks(sum.count()), abi::supportThreads,
            {context.memory.address(context.program, sum.destination()),
             context.memory.address(context.program, sum.source())},
            scalars);
  return PreparedPointer(
      std::make_unique<AccumulateInstruction>(instruction, std::move(call), parts.stream));
}

Expected<PreparedPointer> prepareMatmul(const abi::Instruction &instruction,
                                        const PrepareContext &context, RankParts parts) {
  Expected<PreparedPointer> prepared = parts.matmuls.prepare(instruction, context, parts.stream);
  if (!prepared || *prepared)
    return prepared;
  prepared = parts.matmuls.prepareWithoutEpilogue(instruction, context, parts.stream);
  if (!prepared)
    return prepared;
  Expected<Call> call =
      callOf(*prepared ? "pcc_finish" : "pcc_matmul", instruction.matmul(), context, parts.code);
  if (!call)
    return call.status();
  if (*prepared)
    return PreparedPointer(std::make_unique<FinishedMatmul>(instruction, std::move(*prepared),
                                                            std::move(*call), parts.stream));
  return PreparedPointer(
      std::make_unique<MatmulInstruction>(instruction, std::move(*call), parts.stream));
}

} // namespace pcc::runtime::cuda
