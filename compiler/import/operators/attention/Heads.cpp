// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reshape splits the last dimension and a transpose moves heads before positions; joining does
// the reverse.
#include "compiler/import/operators/attention/Heads.h"

namespace pcc::import {

Tensor separateHeads(Node &node, const Tensor &x, llvm::StringRef attribute) {
  Emitter &emit = node.emit;
  int64_t heads = node.integer(attribute, 0); // read in any case: unread attributes are errors
  if (x.rank() == 4)
    return x;
  if (x.rank() != 3 || heads < 1 || x.shape()[2] % heads) {
    emit.error() << "expected a tensor of rank 4, or of rank 3 whose last size is a multiple of "
                    "attribute '"
                 << attribute << "', got " << x.type << " and " << heads;
    return {};
  }
  Tensor split = emit.reshape(x, {x.shape()[0], x.shape()[1], heads, x.shape()[2] / heads});
  return split ? emit.transpose(split, {0, 2, 1, 3}) : Tensor();
}

Tensor joinHeads(Emitter &emit, const Tensor &x, const Tensor &like) {
  if (!x || like.rank() == 4)
    return x;
  Tensor swapped = emit.transpose(x, {0, 2, 1, 3});
  if (!swapped)
    return {};
  llvm::ArrayRef<int64_t> shape = swapped.shape();
  return emit.reshape(swapped, {shape[0], shape[1], shape[2] * shape[3]});
}

} // namespace pcc::import
