// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose index operands select elements.

#include "compiler/values/Indexing.h"
#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/Scalars.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

Tensor scatterAdd(graph::ScatterAddOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = in[0];
  const Tensor &indices = in[1], &updates = in[2];
  AxisView view(result.getShape(), op.getAxis());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  int64_t next = 0;
  for (int64_t o = 0; o < view.outer; ++o)
    for (Element index : indices.elements())
      for (int64_t n = 0; n < view.inner; ++n) {
        Element update = updates[next++];
        if (index.i < 0 || index.i >= view.size)
          continue;
        Element &to = out[view.flat(o, index.i, n)];
        to = result.isFloat() ? Element{.f = to.f + update.f} : Element{.i = add(to.i, update.i)};
      }
  return result;
}

Tensor oneHot(graph::OneHotOp op, llvm::ArrayRef<Tensor> in) {
  Tensor result = zerosOf(op.getType());
  AxisView view(result.getShape(), op.getAxis());
  Element one = result.isFloat() ? Element{.f = 1.0} : Element{.i = 1};
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 0; n < view.inner; ++n)
      if (int64_t index = in[0][o * view.inner + n].i; index >= 0 && index < view.size)
        out[view.flat(o, index, n)] = one;
  return result;
}

} // namespace

void registerIndexing(Registry &registry) {
  registry.add<graph::ScatterAddOp>(scatterAdd);
  registry.add<graph::OneHotOp>(oneHot);
}

} // namespace pcc::interpret
