// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of the holder of each narrow number is filled once for a tensor: narrow types have at
// most 256 numbers.
#include "compiler/import/files/NarrowTypes.h"

#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;

namespace pcc::import {
namespace {

unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

/// Returns the bits of the holder's number that equals the number of `type` with the bits `code`.
uint64_t widenNumber(Type type, uint64_t code) {
  llvm::APInt bits(widthOf(type), code);
  unsigned width = widthOf(holderOf(type));
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return (type.isUnsignedInteger() ? bits.zext(width) : bits.sext(width)).getZExtValue();
  llvm::APFloat value(floating.getFloatSemantics(), bits);
  bool losesInfo = false;
  value.convert(cast<FloatType>(holderOf(type)).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

} // namespace

Type narrowTypeOf(int32_t dataType, MLIRContext &context) {
  switch (dataType) {
  case onnx::TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(&context);
  case onnx::TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(&context);
  case onnx::TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(&context);
  case onnx::TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(&context);
  case onnx::TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(&context);
  case onnx::TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(&context);
  case onnx::TensorProto::INT4:
    return IntegerType::get(&context, 4);
  case onnx::TensorProto::UINT4:
    return IntegerType::get(&context, 4, IntegerType::Unsigned);
  case onnx::TensorProto::INT2:
    return IntegerType::get(&context, 2);
  case onnx::TensorProto::UINT2:
    return IntegerType::get(&context, 2, IntegerType::Unsigned);
  default:
    return {};
  }
}

bool isNarrow(Type type) {
  if (isa<FloatType>(type))
    return widthOf(type) <= 8;
  return isa<IntegerType>(type) && widthOf(type) > 1 && widthOf(type) < 8;
}

Type holderOf(Type type) {
  if (!isNarrow(type))
    return type;
  Builder b(type.getContext());
  if (isa<FloatType>(type))
    return b.getBF16Type();
  return type.isUnsignedInteger() ? b.getIntegerType(8, /*isSigned=*/false) : b.getI8Type();
}

RankedTensorType holderOf(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), holderOf(type.getElementType()));
}

uint64_t storedBytes(RankedTensorType type) {
  unsigned width = widthOf(type.getElementType());
  auto count = static_cast<uint64_t>(type.getNumElements());
  return isNarrow(type.getElementType()) ? llvm::divideCeil(count, 8 / width)
                                         : count * llvm::divideCeil(width, 8);
}

std::shared_ptr<const std::vector<char>> widen(RankedTensorType type, llvm::ArrayRef<char> stored) {
  Type element = type.getElementType();
  unsigned width = widthOf(element), bytes = widthOf(holderOf(element)) / 8, perByte = 8 / width;
  std::vector<uint64_t> holders;
  for (uint64_t code = 0; code < uint64_t(1) << width; ++code)
    holders.push_back(widenNumber(element, code));
  auto elements = std::make_shared<std::vector<char>>(type.getNumElements() * bytes);
  for (int64_t index = 0, end = type.getNumElements(); index < end; ++index) {
    auto byte = static_cast<unsigned char>(stored[index / perByte]);
    unsigned code = byte >> (index % perByte * width) & ((1u << width) - 1);
    std::memcpy(elements->data() + index * bytes, &holders[code], bytes); // little endian
  }
  return elements;
}

} // namespace pcc::import
