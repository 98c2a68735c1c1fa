// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts element by element through doubles. Assumes an element type that programs have.
#include "compiler/verify/RuntimeTensors.h"

#include "llvm/ADT/STLExtras.h"

using namespace pcc;

namespace {

struct TypeRow {
  values::ElementType interpreter;
  abi::ElementType runtime;
};

constexpr TypeRow types[] = {
    {values::ElementType::F32, abi::F32},   {values::ElementType::F16, abi::F16},
    {values::ElementType::BF16, abi::BF16}, {values::ElementType::F64, abi::F64},
    {values::ElementType::I64, abi::I64},   {values::ElementType::I32, abi::I32},
    {values::ElementType::I16, abi::I16},   {values::ElementType::I8, abi::I8},
    {values::ElementType::UI64, abi::U64},  {values::ElementType::UI32, abi::U32},
    {values::ElementType::UI16, abi::U16},  {values::ElementType::UI8, abi::U8},
    {values::ElementType::I1, abi::BOOL},
};

} // namespace

runtime::Tensor pcc::verify::toRuntime(const values::Tensor &tensor) {
  const TypeRow *row =
      llvm::find_if(types, [&](const TypeRow &row) { return row.interpreter == tensor.getType(); });
  runtime::Tensor result =
      runtime::Tensor::zeros(row->runtime, {tensor.getShape().begin(), tensor.getShape().end()});
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.isFloat() ? result.set(i, tensor[i].f) : result.setInteger(i, tensor[i].i);
  return result;
}

values::Tensor pcc::verify::toInterpreter(const runtime::Tensor &tensor) {
  const TypeRow *row =
      llvm::find_if(types, [&](const TypeRow &row) { return row.runtime == tensor.type; });
  if (values::isFloat(row->interpreter)) {
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.count(); ++i)
      values.push_back(tensor.at(i));
    return values::Tensor::floats(row->interpreter, tensor.shape, values);
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.count(); ++i)
    values.push_back(tensor.integerAt(i));
  return values::Tensor::integers(row->interpreter, tensor.shape, values);
}

runtime::NamedTensors pcc::verify::withoutPrefix(const interpret::NamedTensors &values,
                                                 llvm::StringRef prefix) {
  runtime::NamedTensors result;
  for (const auto &[key, value] : values)
    if (llvm::StringRef name = key; name.consume_front(prefix))
      result.emplace(name.str(), toRuntime(value));
  return result;
}
