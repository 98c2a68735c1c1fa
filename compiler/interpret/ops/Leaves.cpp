// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, indices, random numbers.

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Indexing.h"
#include "compiler/values/Map.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/CounterRng.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

LogicalResult constant(graph::ConstantOp op, OpCall &call) {
  std::optional<Tensor> value = tensorOf(op.getValue());
  if (!value)
    return call.fail("the constant's values are not in the file: dumps leave resources out, "
                     "bytecode keeps them");
  call.results.push_back(*value);
  return success();
}

Tensor iota(graph::IotaOp op, llvm::ArrayRef<Tensor>) {
  Tensor result = zerosOf(op.getType());
  AxisView view(result.getShape(), op.getAxis());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t n = 0, end = result.size(); n < end; ++n) {
    int64_t index = n / view.inner % view.size;
    out[n] = result.isFloat() ? Element{.f = static_cast<double>(index)} : Element{.i = index};
  }
  return result;
}

Tensor rngUniform(graph::RngUniformOp, llvm::ArrayRef<Tensor> in) {
  const Tensor &index = in[0];
  int64_t seed = in[1][0].i;
  return generate(ElementType::F32, index.getShape(),
                  [&](int64_t n) { return Element{.f = graph::rngUniform(seed, index[n].i)}; });
}

} // namespace

void registerLeaves(Registry &registry) {
  registry.add<graph::ConstantOp>(constant);
  registry.add<graph::IotaOp>(iota);
  registry.add<graph::RngUniformOp>(rngUniform);
}

} // namespace pcc::interpret
