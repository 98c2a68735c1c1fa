// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs accumulations and matmuls with
//
//   pcc_accumulate_T(f32 *destination, T *source, i64 count, i64 adds)
//   pcc_product_T_R(T *a, T *b, R *c, R *bias, R *kept, R *sum, i64 batch, i64 m, i64 n, i64 k,
//                   i64 flags)
//   pcc_finish_T_R, with the same arguments
//
// for T and R of f32, f16, bf16. A matmul passes null for arguments that it does not have. cuBLASLt
// (Products.h) takes precedence if it is available. If the library does only part of an
// instruction, the second kernel finishes the matmul.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/SupportKernels.h"
#include "runtime/device/cuda/Call.h"
#include "runtime/device/cuda/Records.h"
#include "runtime/device/cuda/library/Products.h"

namespace pcc::runtime::cuda {
namespace {

class AccumulateRecord final : public PreparedRecord {
public:
  AccumulateRecord(const abi::Record &record, Call call, Stream &stream)
      : record(record), call(std::move(call)), stream(stream) {}

  SlotUse uses() const override { return usedBy(record.accumulate().accumulation()); }
  Status run(const SlotValues &slot) override {
    call.scalars.back() = adds(record.accumulate().accumulation(), slot);
    return call.run(record, stream);
  }

private:
  const abi::Record &record;
  Call call;
  Stream &stream;
};

using Flag = abi::ProductFlag;

int64_t flagsOf(const abi::Matmul &matmul) {
  return matmul.transpose_a() * Flag::transposeA + matmul.transpose_b() * Flag::transposeB +
         matmul.shared_b() * Flag::sharedB + (matmul.activation() == abi::RELU) * Flag::relu +
         matmul.has_bias() * Flag::hasBias + (matmul.activation() == abi::GELU) * Flag::gelu +
         (matmul.activation() == abi::GELU_GRADIENT) * Flag::geluGradient +
         matmul.has_kept() * Flag::hasKept + matmul.has_sum_of_a() * Flag::sumOfA +
         matmul.has_sum_of_b() * Flag::sumOfB;
}

class ProductRecord final : public PreparedRecord {
public:
  ProductRecord(const abi::Record &record, Call call, Stream &stream)
      : record(record), flags(flagsOf(record.matmul())), call(std::move(call)), stream(stream) {}

  SlotUse uses() const override { return usedBy(record.matmul().accumulation()); }
  Status run(const SlotValues &slot) override {
    call.scalars.back() = flags + adds(record.matmul().accumulation(), slot) * Flag::addToC;
    return call.run(record, stream);
  }

private:
  const abi::Record &record;
  const int64_t flags;
  Call call;
  Stream &stream;
};

/// A library matmul, finished by the program's own kernel.
class FinishedProduct final : public PreparedRecord {
public:
  FinishedProduct(const abi::Record &record, PreparedPointer product, Call finish, Stream &stream)
      : record(record), product(std::move(product)), finish(std::move(finish)), stream(stream) {}

  SlotUse uses() const override { return product->uses(); }

  Status run(const SlotValues &slot) override {
    Status status = product->run(slot);
    return status.ok() ? finish.run(record, stream) : status;
  }

private:
  const abi::Record &record;
  const PreparedPointer product;
  Call finish;
  Stream &stream;
};

/// Returns a call of pcc_product_T_R or pcc_finish_T_R.
Expected<Call> callOf(const char *name, const abi::Matmul &matmul, const PrepareContext &context,
                      const Code &code) {
  Expected<FunctionHandle> function = code.support(fmt::format(
      "{}_{}_{}", name, abi::elementName(matmul.type()), abi::elementName(matmul.result_type())));
  if (!function)
    return function.status();
  lt::ProductAddresses at = addressesOf(matmul, context);
  const int64_t scalars[] = {matmul.batch(), matmul.m(), matmul.n(), matmul.k(), flagsOf(matmul)};
  return Call(*function, abi::blocksOfElements(matmul.batch() * matmul.m() * matmul.n()),
              abi::supportThreads, {at.a, at.b, at.c, at.bias, at.kept, at.sum}, scalars);
}

} // namespace

Expected<PreparedPointer> prepareAccumulate(const abi::Record &record,
                                            const PrepareContext &context, RankParts parts) {
  const abi::Accumulate &sum = record.accumulate();
  Expected<FunctionHandle> function =
      parts.code.support(fmt::format("pcc_accumulate_{}", abi::elementName(sum.source_type())));
  if (!function)
    return function.status();
  const int64_t scalars[] = {sum.count(), 0};
  Call call(*function, abi::blocksOfSum(sum.count()), abi::supportThreads,
            {context.memory.address(context.program, sum.destination()),
             context.memory.address(context.program, sum.source())},
            scalars);
  return PreparedPointer(std::make_unique<AccumulateRecord>(record, std::move(call), parts.stream));
}

Expected<PreparedPointer> prepareMatmul(const abi::Record &record, const PrepareContext &context,
                                        RankParts parts) {
  Expected<PreparedPointer> prepared = parts.products.prepare(record, context, parts.stream);
  if (!prepared || *prepared)
    return prepared;
  prepared = parts.products.prepareAlone(record, context, parts.stream);
  if (!prepared)
    return prepared;
  Expected<Call> call =
      callOf(*prepared ? "pcc_finish" : "pcc_product", record.matmul(), context, parts.code);
  if (!call)
    return call.status();
  if (*prepared)
    return PreparedPointer(std::make_unique<FinishedProduct>(record, std::move(*prepared),
                                                             std::move(*call), parts.stream));
  return PreparedPointer(std::make_unique<ProductRecord>(record, std::move(*call), parts.stream));
}

} // namespace pcc::runtime::cuda
