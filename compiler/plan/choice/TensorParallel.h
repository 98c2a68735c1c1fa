// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the matmuls of a model over tensor parallel ranks as Megatron-LM does (Shoeybi et al.,
// 2019). A matmul with a parameter is split by columns; the next one that reads its result, through
// ops that work on each column or on each head, is split by rows. So the values between the two
// stay on their rank, and each pair ends in one sum:
//
//   %q = matmul(%x, wq)         columns    [dp, _, _], [_, tp]
//   %a = attention(%q, %k, %v)
//   %o = matmul(%a, wo)         rows       [dp, _, tp], [tp, _]
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/constraints.pb.h"

namespace pcc::plan {

/// Returns a constraint for each matmul of `model`, a graph after the phase graph, that `tensor`
/// ranks can split, and the mesh "dp=DATA, tp=TENSOR". The mesh has no axis dp if `data` is 1.
/// Without such a matmul the result is empty.
abi::Constraints splitMatmuls(mlir::ModuleOp model, int64_t data, int64_t tensor);

} // namespace pcc::plan
