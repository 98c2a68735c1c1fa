// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes attention in f16 or bf16. A run widens its inputs into scratch memory, runs the f32
// attention there, and rounds the outputs. The log-sum-exp of each row (`log_sum`) is f32 already
// and is used where it is, without a copy.

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/base/HalfFloat.h"
#include "runtime/device/host/attention/Attention.h"

namespace pcc::runtime::host {
namespace {

/// A tensor of the instruction's type, and the offset in elements of its copy in scratch memory.
struct HalfTensor {
  std::byte *memory = nullptr;
  int64_t count = 0;
  int64_t scratchOffset = 0;
  bool isWritten = false;
};

template <typename Half, float (*widen)(Half)>
void widenAll(const Team &team, const HalfTensor &tensor, float *copies) {
  auto *source = reinterpret_cast<const Half *>(tensor.memory);
  team.parallel(tensor.count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      copies[tensor.scratchOffset + i] = widen(source[i]);
  });
}

template <typename Half, Half (*round)(float)>
void roundAll(const Team &team, const HalfTensor &tensor, const float *copies) {
  auto *target = reinterpret_cast<Half *>(tensor.memory);
  team.parallel(tensor.count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      target[i] = round(copies[tensor.scratchOffset + i]);
  });
}

class HalfAttentionInstruction final : public PreparedInstruction {
public:
  HalfAttentionInstruction(const abi::Attention &attention, const PrepareContext &context,
                           const OneDnn &dnn, const Team &team, std::shared_ptr<Scratch> scratch)
      : attention(attention), dnn(dnn), team(team), scratch(std::move(scratch)) {
    auto address = [&](const abi::Operand &operand) {
      return context.memory.address(context.program, operand);
    };
    logSum = reinterpret_cast<float *>(address(attention.log_sum()));
    if (attention.has_offset())
      offset = reinterpret_cast<const int64_t *>(address(attention.offset()));
    addTensors(address);
  }

  uint64_t scratchBytes() const { return uint64_t(count) * sizeof(float); }

  Status run(const ActionValues &action) override {
    auto *copies = reinterpret_cast<float *>(scratch->get());
    bool isF16 = attention.type() == abi::F16;
    for (const HalfTensor &tensor : tensors)
      if (!tensor.isWritten)
        (isF16 ? widenAll<Float16, toFloat> : widenAll<BFloat16, toFloat>)(team, tensor, copies);
    if (Status status = prepareOn(copies)->run(action); !status.ok())
      return status;
    for (const HalfTensor &tensor : tensors)
      if (tensor.isWritten)
        (isF16 ? roundAll<Float16, toFloat16> : roundAll<BFloat16, toBFloat16>)(team, tensor,
                                                                                copies);
    return {};
  }

private:
  /// The tensors of an instruction by number; missing ones have no elements.
  enum Number {
    query,
    key,
    value,
    mask,
    result,
    resultGradient,
    queryGradient,
    keyGradient,
    valueGradient,
    tensorCount
  };

  template <typename Address> void addTensors(Address address) {
    auto add = [&](Number number, const abi::Operand &operand, int64_t elements, bool isWritten) {
      // Copies are aligned like buffers.
      constexpr int64_t step = int64_t(abi::bufferAlignment / sizeof(float));
      tensors[number] = {address(operand), elements, count, isWritten};
      count += (elements + step - 1) / step * step;
    };
    const abi::Attention &a = attention;
    bool isForward = !a.has_gradients();
    int64_t rows = a.batch() * a.heads() * a.positions();
    int64_t keyRows = a.batch() * a.groups() * a.key_positions();
    add(query, a.query(), rows * a.width(), false);
    add(key, a.key(), keyRows * a.width(), false);
    add(value, a.value(), keyRows * a.depth(), false);
    add(result, a.result(), rows * a.depth(), isForward);
    if (a.has_mask())
      add(mask, a.mask(), *abi::elementCount(a.mask_shape()), false);
    if (isForward)
      return;
    add(resultGradient, a.gradients().result(), rows * a.depth(), false);
    add(queryGradient, a.gradients().query(), rows * a.width(), true);
    add(keyGradient, a.gradients().key(), keyRows * a.width(), true);
    add(valueGradient, a.gradients().value(), keyRows * a.depth(), true);
  }

  /// Prepares the f32 attention on the copies. Done at each run, since instructions prepared later
  /// may move the scratch memory.
  PreparedPointer prepareOn(float *copies) const {
    auto at = [&](Number number) {
      return tensors[number].count ? copies + tensors[number].scratchOffset : nullptr;
    };
    AttentionCall call(attention,
                       {at(query), at(key), at(value), at(mask), offset, at(result), logSum});
    if (!attention.has_gradients())
      return prepareAttentionForward(call, dnn, team);
    return prepareAttentionGradient(
        call, {at(resultGradient), at(queryGradient), at(keyGradient), at(valueGradient)}, dnn,
        team);
  }

  const abi::Attention &attention;
  const OneDnn &dnn;
  const Team &team;
  const std::shared_ptr<Scratch> scratch;
  std::array<HalfTensor, tensorCount> tensors;
  int64_t count = 0; ///< elements of all copies
  float *logSum;
  const int64_t *offset = nullptr;
};

} // namespace

Expected<PreparedPointer> prepareHalfAttention(const abi::Attention &attention,
                                               const PrepareContext &context, const OneDnn &dnn,
                                               const Team &team, std::shared_ptr<Scratch> scratch) {
  auto instruction =
      std::make_unique<HalfAttentionInstruction>(attention, context, dnn, team, scratch);
  if (Status status = scratch->reserve(instruction->scratchBytes()); !status.ok())
    return status;
  return PreparedPointer(std::move(instruction));
}

} // namespace pcc::runtime::host
