// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/cost/KernelShares.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>
#include <limits>

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::analysis {
namespace {

/// The way in which an op reads its operands and passes its results on.
enum class Behavior {
  Recomputed, ///< computed wherever it is read
  Pointwise,  ///< element by element
  Reducing,   ///< element by element, along rows or columns
  Moving,     ///< reads memory; readers of its result may join its kernel
  Library,    ///< reads and writes memory
};

/// Iterations of a kernel's loops: outer * inner, with one reduced value for each row or column.
struct Loops {
  FormKind kind = FormKind::Map;
  int64_t outer = 1, inner = 1;

  int64_t full() const { return outer * inner; }
  int64_t reduced() const { return kind == FormKind::Rows ? outer : inner; }
  bool operator==(const Loops &other) const = default;
};

/// A kernel of the estimate. Kernels never wait for themselves: each is deeper than all kernels
/// whose values it reads.
struct Kernel {
  Loops loops;
  int64_t fence = 0;
  int64_t depth = 0;
  int64_t readersDepth = std::numeric_limits<int64_t>::max(); ///< minimum over its readers
  Operation *lastLibraryOp = nullptr;                         ///< last op of a library's kernel
};

} // namespace

static Behavior behaviorOf(Operation *op) {
  if (isRecomputed(op))
    return Behavior::Recomputed;
  if (isCollective(op) || isa<graph::ScatterAddOp, graph::MaxPoolGradientOp, graph::ArgmaxOp,
                              graph::ArgminOp, graph::TopKOp, graph::CumsumOp, graph::LambOp>(op))
    return Behavior::Library;
  switch (classOf(op)) {
  case OpClass::Contraction:
  case OpClass::Leaf:
  case OpClass::Communication:
    return Behavior::Library;
  case OpClass::Movement:
    return Behavior::Moving;
  case OpClass::Reduction:
    return Behavior::Reducing;
  case OpClass::Elementwise:
    return isa<graph::MaxPoolOp, graph::AvgPoolOp>(op) ? Behavior::Moving : Behavior::Pointwise;
  }
  llvm_unreachable("every class is listed");
}

/// Returns the loops of a reduction, or of an op with a whole axis. The loop over that axis is the
/// inner one, or the outer one if the axis comes first.
static Loops loopsOfReducing(Operation *op) {
  FactorRule rule = cast<FactorRuleOpInterface>(op).getFactorRule();
  int64_t kept = 1, gone = 1;
  bool goneFirst = false;
  for (const DimFactors &dim : rule.getOperands().front())
    for (unsigned factor : dim) {
      bool isKept = rule.getFactor(factor).kind == FactorKind::Parallel;
      if (!isKept && kept == 1)
        goneFirst = true;
      (isKept ? kept : gone) *= rule.getFactor(factor).size;
    }
  if (goneFirst && kept > 1)
    return {FormKind::Columns, gone, kept};
  return {FormKind::Rows, kept, gone};
}

static Loops loopsOf(Operation *op, Behavior behavior) {
  if (behavior == Behavior::Reducing && isa<FactorRuleOpInterface>(op))
    return loopsOfReducing(op);
  int64_t elements = 0;
  for (Value value : op->getResults())
    elements = std::max(elements, cast<ShapedType>(value.getType()).getNumElements());
  return {FormKind::Map, elements, 1};
}

/// Returns the loops in which both can be computed; nothing if there are none.
static std::optional<Loops> unite(const Loops &producer, const Loops &consumer) {
  if (consumer.kind != FormKind::Map && producer.kind != FormKind::Map)
    return producer == consumer ? std::optional(producer) : std::nullopt;
  if (producer.full() == consumer.full())
    return producer.kind == FormKind::Map ? consumer : producer;
  bool isOfReduced = producer.kind != FormKind::Map && producer.reduced() == consumer.full();
  return isOfReduced ? std::optional(producer) : std::nullopt;
}

/// Returns true if a library computes `consumer` as an epilogue of `producer`.
static bool isEpilogue(Operation *producer, Operation *consumer) {
  if (!isa<graph::MatmulOp, graph::Conv2dOp, graph::AddOp>(producer) || !producer->hasOneUse())
    return false;
  if (auto add = dyn_cast<graph::AddOp>(consumer))
    return !isa<graph::AddOp>(producer) && llvm::any_of(add->getOperands(), [](Value operand) {
      return operand.getDefiningOp<graph::BroadcastOp>();
    });
  return isa<graph::ReluOp>(consumer);
}

namespace {

/// Groups the ops of a function into kernels, in program order.
class Grouping {
public:
  Grouping(func::FuncOp function, FenceOf fenceOf) : fenceOf(fenceOf) {
    for (Operation &op : function.getBody().front().without_terminator())
      add(&op);
  }

  /// Returns the kernel of an op; null if the op is recomputed where it is read.
  Kernel *of(Operation *op) const { return op ? find(kernels.lookup(op)) : nullptr; }

private:
  struct Source {
    Operation *producer;
    Kernel *kernel;
  };

  Kernel *find(Kernel *kernel) const {
    for (auto next = merged.find(kernel); next != merged.end(); next = merged.find(kernel))
      kernel = next->second;
    return kernel;
  }

  void add(Operation *op) {
    Behavior behavior = behaviorOf(op);
    if (behavior == Behavior::Recomputed)
      return;
    SmallVector<Source> sources;
    forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      if (Kernel *kernel = of(source.getDefiningOp()))
        sources.push_back({source.getDefiningOp(), kernel});
    });
    Kernel *kernel = findLibraryKernel(op, sources);
    bool joins = behavior == Behavior::Pointwise || behavior == Behavior::Reducing;
    if (!kernel)
      kernel = joinSources(sources, loopsOf(op, behavior), fenceOf(op), joins);
    if (behavior == Behavior::Library || kernel->lastLibraryOp)
      kernel->lastLibraryOp = op;
    kernels[op] = kernel;
    for (auto [producer, source] : sources)
      if (source = find(source); source != kernel)
        source->readersDepth = std::min(source->readersDepth, kernel->depth);
  }

  /// Returns the kernel of the matmul or convolution that computes `op` as its epilogue, or null.
  Kernel *findLibraryKernel(Operation *op, ArrayRef<Source> sources) const {
    for (auto [producer, kernel] : sources) {
      auto isBehind = [kernel = kernel](const Source &source) {
        return source.kernel == kernel || source.kernel->depth < kernel->depth;
      };
      if (kernel->lastLibraryOp == producer && kernel->fence == fenceOf(op) &&
          isEpilogue(producer, op) && llvm::all_of(sources, isBehind))
        return kernel;
    }
    return nullptr;
  }

  /// Returns the kernel of all sources that can run together with an op of these loops, or a new
  /// kernel. Sources that cannot join must be less deep. A kernel may be moved down as long as it
  /// stays above its readers.
  Kernel *joinSources(ArrayRef<Source> sources, Loops loops, int64_t fence, bool joins) {
    SmallVector<Kernel *> joined;
    int64_t depth = 0;
    auto leave = [&](Kernel *kernel) { depth = std::max(depth, kernel->depth + 1); };
    for (auto [producer, kernel] : sources) {
      if (llvm::is_contained(joined, kernel))
        continue;
      bool mayJoin = joins && !kernel->lastLibraryOp && kernel->fence == fence;
      std::optional<Loops> both = mayJoin ? unite(kernel->loops, loops) : std::nullopt;
      if (!both) {
        leave(kernel);
        continue;
      }
      loops = *both;
      joined.push_back(kernel);
      depth = std::max(depth, kernel->depth);
    }
    // Kernels with the least deep readers come first: leaving one raises `depth`, which must not
    // invalidate a kernel that was kept.
    llvm::stable_sort(joined,
                      [](Kernel *a, Kernel *b) { return a->readersDepth < b->readersDepth; });
    llvm::erase_if(joined, [&](Kernel *kernel) {
      bool isRead = kernel->readersDepth <= depth;
      if (isRead)
        leave(kernel);
      return isRead;
    });
    return merge(joined, loops, fence, depth);
  }

  Kernel *merge(ArrayRef<Kernel *> joined, Loops loops, int64_t fence, int64_t depth) {
    if (joined.empty()) {
      storage.push_back({loops, fence, depth});
      return &storage.back();
    }
    Kernel *kernel = joined.front();
    kernel->loops = loops;
    kernel->depth = depth;
    for (Kernel *other : joined.drop_front()) {
      merged[other] = kernel;
      kernel->readersDepth = std::min(kernel->readersDepth, other->readersDepth);
    }
    return kernel;
  }

  FenceOf fenceOf;
  std::deque<Kernel> storage;
  DenseMap<Operation *, Kernel *> kernels;
  DenseMap<Kernel *, Kernel *> merged;
};

/// Counts the memory reads and writes of each op, in program order.
class Traffic {
public:
  explicit Traffic(const Grouping &grouping) : grouping(grouping) {}

  KernelShare share(Operation *op) {
    KernelShare share;
    share.reads.resize(op->getNumOperands());
    share.writes.resize(op->getNumResults());
    Behavior behavior = behaviorOf(op);
    if (behavior == Behavior::Recomputed && !isView(op))
      return shareOfRepeated(op, std::move(share));
    Kernel *own = grouping.of(op);
    share.launches = own && launched.insert(own).second;
    if (!own) // a view
      return share;
    for (OpOperand &operand : op->getOpOperands())
      if (readsFromMemory(operand, behavior, own))
        share.reads.set(operand.getOperandNumber());
    for (OpResult result : op->getResults())
      if (isReadOutside(result, own))
        share.writes.set(result.getResultNumber());
    return share;
  }

private:
  static bool readsMemory(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return true;
    Behavior behavior = behaviorOf(op);
    return behavior == Behavior::Moving || behavior == Behavior::Library;
  }

  bool readsFromMemory(OpOperand &operand, Behavior behavior, Kernel *own) {
    Value root = viewRoot(operand.get());
    Operation *producer = root.getDefiningOp();
    if (producer && isRecomputed(producer))
      return behavior == Behavior::Moving || behavior == Behavior::Library;
    if (producer && grouping.of(producer) == own)
      return false;
    return read.insert({own, root}).second;
  }

  bool isReadOutside(Value value, Kernel *own) {
    bool found = false;
    forEachReader(value, [&](Operation *reader) {
      found |= reader->hasTrait<OpTrait::IsTerminator>() || grouping.of(reader) != own;
    });
    return found;
  }

  /// A value that is recomputed where it is read is fetched once, unless the reading kernel
  /// computes its source. If an op needs the value in memory, a kernel of its own writes it there
  /// first.
  KernelShare shareOfRepeated(Operation *op, KernelShare share) {
    share.launches = llvm::any_of(op->getUsers(), readsMemory);
    if (share.launches)
      share.writes.set();
    if (op->getNumOperands() == 0)
      return share;
    Operation *producer = viewRoot(op->getOperand(0)).getDefiningOp();
    Kernel *source = grouping.of(producer);
    bool isFetched = share.launches || (producer && isRecomputed(producer) ? false : !source);
    if (source)
      isFetched |= isReadOutside(op->getResult(0), source);
    if (isFetched)
      share.reads.set(0);
    return share;
  }

  const Grouping &grouping;
  DenseSet<Kernel *> launched;
  DenseSet<std::pair<Kernel *, Value>> read;
};

} // namespace

KernelShare KernelShare::ofAlone(Operation *op) {
  bool isFree = isView(op);
  return {llvm::SmallBitVector(op->getNumOperands(), !isFree),
          llvm::SmallBitVector(op->getNumResults(), !isFree), !isFree};
}

KernelShares::KernelShares(func::FuncOp function, FenceOf fenceOf) {
  Grouping grouping(function, fenceOf);
  Traffic traffic(grouping);
  for (Operation &op : function.getBody().front().without_terminator())
    shares[&op] = traffic.share(&op);
}

} // namespace pcc::analysis
