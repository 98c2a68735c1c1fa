// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the kernels backward and collects the producers of everything that a send reads.
#include "passes/schedule/order/SendDependencies.h"

#include "dialects/dist/Dist.h"
#include "dialects/pipe/Pipe.h"

using namespace mlir;

namespace pcc::schedule {

llvm::SmallBitVector findSendDependencies(ArrayRef<const analysis::Kernel *> kernels) {
  llvm::SmallBitVector needed(kernels.size());
  llvm::SmallPtrSet<Operation *, 16> read; // producers of values that a send depends on
  for (size_t k = kernels.size(); k-- > 0;) {
    if (!kernels[k])
      continue;
    const analysis::Kernel &kernel = *kernels[k];
    bool isNeeded = llvm::any_of(kernel.ops, [&](Operation *op) { return read.contains(op); });
    if (!isNeeded && !isa<pipe::SendOp>(kernel.ops.front()))
      continue;
    for (Value input : kernel.inputs)
      if (Operation *producer = analysis::viewRoot(input).getDefiningOp())
        read.insert(producer);
    needed[k] = isa<dist::CollectiveOpInterface>(kernel.ops.front());
  }
  return needed;
}

} // namespace pcc::schedule
