// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts common to forward and gradient: operand addresses, strides, and the key positions that
// a causal query attends to. Half types continue in HalfAttention.cpp.

#include "runtime/device/host/attention/Attention.h"

#include <algorithm>

namespace pcc::runtime::host {

AttentionCall::AttentionCall(const abi::Attention &shape, const AttentionTensors &tensors)
    : batch(shape.batch()), heads(shape.heads()), groups(shape.groups()),
      positions(shape.positions()), keyPositions(shape.key_positions()), width(shape.width()),
      depth(shape.depth()), scale(float(shape.scale())), causal(shape.causal()),
      queryStep(shape.positions_first() ? heads : 1), keyStep(shape.positions_first() ? groups : 1),
      tensors(tensors) {
  int64_t stride = 1;
  for (int dim = shape.mask_shape_size() - 1; dim >= 0; --dim) {
    maskStrides[dim] = shape.mask_shape(dim) == 1 ? 0 : stride;
    stride *= shape.mask_shape(dim);
  }
}

/// Limits an offset: a program may compute any number.
static int64_t clampOffset(const AttentionCall &call, int64_t offset) {
  return std::clamp(offset, -call.positions, call.keyPositions);
}

int64_t AttentionCall::keysAttendedBefore(int64_t end, int64_t offset) const {
  return causal ? std::clamp(end + clampOffset(*this, offset), int64_t(0), keyPositions)
                : keyPositions;
}

int64_t AttentionCall::firstQueryAttendingTo(int64_t to, int64_t offset) const {
  return causal ? std::max(int64_t(0), to - clampOffset(*this, offset)) : 0;
}

const float *AttentionCall::maskAt(int64_t sample, int64_t head, int64_t from, int64_t to) const {
  return tensors.mask + sample * maskStrides[0] + head * maskStrides[1] + from * maskStrides[2] +
         to * maskStrides[3];
}

void TileMatmul::operator()(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k,
                            float alpha, Rows a, Rows b, float beta, float *c, int64_t cStep) {
  dnnl_status_t status = dnn.sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, alpha,
                                   a.first, a.step, b.first, b.step, beta, c, cStep);
  failed |= status != dnnl_success;
}

void clearRows(float *first, int64_t step, int64_t count, int64_t length) {
  for (int64_t row = 0; row < count; ++row)
    std::fill_n(first + row * step, length, 0.0f);
}

Expected<PreparedPointer> prepareAttention(const abi::Attention &attention,
                                           const PrepareContext &context, const Team &team,
                                           std::shared_ptr<Scratch> scratch) {
  const Expected<OneDnn> &dnn = OneDnn::get();
  if (!dnn)
    return dnn.status();
  if (attention.type() != abi::F32)
    return prepareHalfAttention(attention, context, *dnn, team, std::move(scratch));
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  auto floats = [&](const abi::Operand &operand) {
    return reinterpret_cast<float *>(address(operand));
  };
  AttentionTensors tensors = {};
  tensors.query = floats(attention.query());
  tensors.key = floats(attention.key());
  tensors.value = floats(attention.value());
  tensors.result = floats(attention.result());
  tensors.logSum = floats(attention.log_sum());
  if (attention.has_mask())
    tensors.mask = floats(attention.mask());
  if (attention.has_offset())
    tensors.offset = reinterpret_cast<const int64_t *>(address(attention.offset()));
  AttentionCall call(attention, tensors);
  if (!attention.has_gradients())
    return prepareAttentionForward(call, *dnn, team);
  const abi::Attention::Gradients &given = attention.gradients();
  AttentionGradients gradients = {floats(given.result()), floats(given.query()),
                                  floats(given.key()), floats(given.value())};
  return prepareAttentionGradient(call, gradients, *dnn, team);
}

} // namespace pcc::runtime::host
