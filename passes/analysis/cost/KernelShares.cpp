// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits ops in program order and remembers what each kernel has read and launched. The hard part
// is ops that are recomputed where they are read: their one read is charged to them, not to their
// readers. Live bytes are a sweep over first and last uses.
#include "passes/analysis/cost/KernelShares.h"

#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace pcc::analysis {
namespace {

/// Counts the memory reads and writes of each op, in program order.
class Traffic {
public:
  explicit Traffic(const DenseMap<Operation *, int64_t> &kernels) : kernels(kernels) {}

  KernelShare share(Operation *op) {
    KernelShare share;
    share.reads.resize(op->getNumOperands());
    share.writes.resize(op->getNumResults());
    share.launches = false;
    if (isRecomputed(op) && !isView(op))
      return shareOfRepeated(op, std::move(share));
    auto own = kernels.find(op);
    if (own == kernels.end()) // a view, a constant in memory or a dead op
      return share;
    share.launches = launched.insert(own->second).second;
    for (OpOperand &operand : op->getOpOperands())
      if (readsFromMemory(operand, own->second))
        share.reads.set(operand.getOperandNumber());
    for (OpResult result : op->getResults())
      if (isReadOutside(result, own->second))
        share.writes.set(result.getResultNumber());
    return share;
  }

private:
  bool belongsTo(Operation *op, int64_t kernel) const {
    auto own = kernels.find(op);
    return own != kernels.end() && own->second == kernel;
  }

  /// The read of a recomputed value is charged to the op that computes it (shareOfRepeated). An op
  /// that needs the value in memory reads it from there.
  bool readsFromMemory(OpOperand &operand, int64_t kernel) {
    Value root = viewRoot(operand.get());
    Operation *producer = root.getDefiningOp();
    if (producer && isRecomputed(producer))
      return readsMemory(operand.getOwner());
    if (producer && belongsTo(producer, kernel))
      return false;
    if (operand.getOperandNumber() == 0 && readsPart(operand.getOwner()))
      return true; // another op may read another part
    return read.insert({kernel, root}).second;
  }

  bool isReadOutside(Value value, int64_t kernel) const {
    bool found = false;
    forEachReader(value, [&](Operation *reader) {
      bool isReturn = reader->hasTrait<OpTrait::IsTerminator>();
      found |= isReturn || (kernels.contains(reader) && !belongsTo(reader, kernel));
    });
    return found;
  }

  /// Returns true if an op needs the recomputed value in memory.
  static bool isNeededInMemory(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      return isView(user) ? isNeededInMemory(user->getResult(0)) : readsMemory(user);
    });
  }

  /// A value that is recomputed where it is read is fetched once, unless the reading kernel
  /// computes its source. If an op needs the value in memory, a kernel of its own writes it there
  /// first.
  KernelShare shareOfRepeated(Operation *op, KernelShare share) {
    share.launches = llvm::any_of(op->getResults(), isNeededInMemory);
    if (share.launches)
      share.writes.set();
    if (op->getNumOperands() == 0)
      return share;
    Operation *producer = viewRoot(op->getOperand(0)).getDefiningOp();
    auto source = kernels.find(producer);
    bool isFetched = share.launches;
    if (source != kernels.end())
      isFetched |= isReadOutside(op->getResult(0), source->second);
    else
      isFetched |= !producer || !isRecomputed(producer);
    if (isFetched)
      share.reads.set(0);
    return share;
  }

  const DenseMap<Operation *, int64_t> &kernels; ///< numbers
  DenseSet<int64_t> launched;
  DenseSet<std::pair<int64_t, Value>> read;
};

} // namespace

KernelShare KernelShare::ofAlone(Operation *op) {
  bool isFree = isView(op);
  return {llvm::SmallBitVector(op->getNumOperands(), !isFree),
          llvm::SmallBitVector(op->getNumResults(), !isFree), !isFree};
}

KernelShares::KernelShares(func::FuncOp function, FenceOf fenceOf)
    : kernels(numberKernels(function, fenceOf)) {
  Traffic traffic(kernels);
  for (Operation &op : function.getBody().front().without_terminator())
    shares[&op] = traffic.share(&op);
}

bool KernelShares::passesInKernel(Value value, Operation *reader) const {
  auto from = kernels.find(viewRoot(value).getDefiningOp()), to = kernels.find(reader);
  return from != kernels.end() && to != kernels.end() && from->second == to->second;
}

/// Returns the number of the last op that reads `value`; past the end for returned values.
static int64_t findLastReader(Value value, const DenseMap<Operation *, int64_t> &numbers) {
  int64_t last = -1;
  forEachReader(value, [&](Operation *reader) {
    auto number = numbers.find(reader);
    last = std::max(last, number == numbers.end() ? int64_t(numbers.size()) : number->second);
  });
  return last;
}

int64_t countLiveBytes(func::FuncOp function, const KernelShares &shares,
                       function_ref<int64_t(Value)> bytesOf) {
  DenseMap<Operation *, int64_t> numbers;
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    numbers.try_emplace(&op, numbers.size());
  // Bytes freed after each op.
  std::vector<int64_t> freed(numbers.size() + 1);
  int64_t live = 0, peak = 0;
  for (Operation &op : block.without_terminator()) {
    const KernelShare &share = shares.of(&op);
    for (int result : share.writes.set_bits()) {
      int64_t last = findLastReader(op.getResult(result), numbers);
      if (last == int64_t(numbers.size()))
        continue;
      int64_t bytes = bytesOf(op.getResult(result));
      live += bytes;
      freed[std::max(last, numbers.lookup(&op))] += bytes;
    }
    peak = std::max(peak, live);
    live -= freed[numbers.lookup(&op)];
  }
  return peak;
}

} // namespace pcc::analysis
