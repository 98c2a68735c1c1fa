// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/facts/KernelShares.h"

#include "dialects/graph/Graph.h"
#include "passes/facts/Cost.h"
#include "passes/facts/Kernels.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

using namespace mlir;
using pcc::task::FormKind;

namespace pcc::facts {
namespace {

/// How an op reads its operands and passes its results on.
enum class Manner {
  Recomputed, ///< wherever it is read
  Pointwise,  ///< element by element
  Reducing,   ///< the same, along rows or columns
  Alone,      ///< element by element, but in a kernel of its own
  Moving,     ///< reads memory; its result may be used as it comes
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

struct Kernel {
  Loops loops;
  int64_t depth = 0; ///< reads of memory that other kernels wrote, on the longest way to here
  Operation *lastOfProduct = nullptr; ///< of a library's kernel: what it computes last
};

} // namespace

static Manner classifyOp(Operation *op) {
  if (isRecomputed(op))
    return Manner::Recomputed;
  if (isCollective(op) || isa<graph::ScatterAddOp, graph::MaxPoolGradientOp, graph::ArgmaxOp,
                              graph::ArgminOp, graph::TopKOp, graph::CumsumOp, graph::LambOp>(op))
    return Manner::Library;
  switch (classOf(op)) {
  case OpClass::Contraction:
  case OpClass::Leaf:
  case OpClass::Communication:
    return Manner::Library;
  case OpClass::Movement:
    return Manner::Moving;
  case OpClass::Reduction:
    return Manner::Reducing;
  case OpClass::Elementwise:
    return isa<graph::MaxPoolOp, graph::AvgPoolOp>(op) ? Manner::Moving : Manner::Pointwise;
  }
  llvm_unreachable("every class is listed");
}

namespace {
/// The manner of every op.
class Manners {
public:
  explicit Manners(function_ref<bool(Operation *)> isAlone) : isAlone(isAlone) {}

  Manner of(Operation *op) const {
    Manner manner = classifyOp(op);
    bool mayJoin = manner == Manner::Pointwise || manner == Manner::Reducing;
    return mayJoin && isAlone(op) ? Manner::Alone : manner;
  }

private:
  function_ref<bool(Operation *)> isAlone;
};
} // namespace

/// A reduction and what is whole along an axis loop over that axis inside, or outside where it
/// comes first.
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

static Loops loopsOf(Operation *op, Manner manner) {
  if (manner == Manner::Reducing && isa<FactorRuleOpInterface>(op))
    return loopsOfReducing(op);
  int64_t elements = 0;
  for (Value value : op->getResults())
    elements = std::max(elements, cast<ShapedType>(value.getType()).getNumElements());
  return {FormKind::Map, elements, 1};
}

/// The loops that compute what both compute; nothing if there are none.
static std::optional<Loops> unite(const Loops &producer, const Loops &consumer) {
  if (consumer.kind != FormKind::Map && producer.kind != FormKind::Map)
    return producer == consumer ? std::optional(producer) : std::nullopt;
  if (producer.full() == consumer.full())
    return producer.kind == FormKind::Map ? consumer : producer;
  bool isOfReduced = producer.kind != FormKind::Map && producer.reduced() == consumer.full();
  return isOfReduced ? std::optional(producer) : std::nullopt;
}

/// True if a library computes `consumer` on the way out of the product `producer`.
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

/// Puts the ops of a function into kernels, in program order.
class Grouping {
public:
  Grouping(func::FuncOp function, const Manners &manners) : manners(manners) {
    for (Operation &op : function.getBody().front().without_terminator())
      add(&op);
  }

  /// The kernel of an op; null for what is computed where it is read.
  Kernel *of(Operation *op) const { return op ? find(kernels.lookup(op)) : nullptr; }

private:
  Kernel *find(Kernel *kernel) const {
    for (auto next = merged.find(kernel); next != merged.end(); next = merged.find(kernel))
      kernel = next->second;
    return kernel;
  }

  struct Source {
    Operation *producer;
    Kernel *kernel;
  };

  void add(Operation *op) {
    Manner manner = manners.of(op);
    if (manner == Manner::Recomputed)
      return;
    SmallVector<Source> sources;
    int64_t depth = -1;
    forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      Operation *producer = source.getDefiningOp();
      if (Kernel *kernel = of(producer)) {
        sources.push_back({producer, kernel});
        depth = std::max(depth, kernel->depth);
      }
    });
    Loops loops = loopsOf(op, manner);
    bool joins = manner == Manner::Pointwise || manner == Manner::Reducing;
    if (joins && (joinProduct(op, sources) || joinDeepest(op, sources, depth, loops)))
      return;
    storage.push_back(
        {loops, depth + 1, manner == Manner::Library || manner == Manner::Alone ? op : nullptr});
    kernels[op] = &storage.back();
  }

  bool joinProduct(Operation *op, ArrayRef<Source> sources) {
    for (auto [producer, kernel] : sources) {
      auto isBehind = [kernel = kernel](const Source &source) {
        return source.kernel == kernel || source.kernel->depth < kernel->depth;
      };
      if (kernel->lastOfProduct != producer || !isEpilogue(producer, op) ||
          !llvm::all_of(sources, isBehind))
        continue;
      kernel->lastOfProduct = op;
      kernels[op] = kernel;
      return true;
    }
    return false;
  }

  /// Joins `op` with those of its sources that lie deepest; only if all of them can be joined, for
  /// what is read from memory must lie behind.
  bool joinDeepest(Operation *op, ArrayRef<Source> sources, int64_t depth, Loops loops) {
    SmallVector<Kernel *> deepest;
    for (auto [producer, kernel] : sources) {
      if (kernel->depth != depth || llvm::is_contained(deepest, kernel))
        continue;
      std::optional<Loops> both =
          kernel->lastOfProduct ? std::nullopt : unite(kernel->loops, loops);
      if (!both)
        return false;
      loops = *both;
      deepest.push_back(kernel);
    }
    if (deepest.empty())
      return false;
    for (Kernel *kernel : ArrayRef(deepest).drop_front())
      merged[kernel] = deepest.front();
    deepest.front()->loops = loops;
    kernels[op] = deepest.front();
    return true;
  }

  const Manners &manners;
  std::deque<Kernel> storage;
  DenseMap<Operation *, Kernel *> kernels;
  DenseMap<Kernel *, Kernel *> merged;
};

/// Counts who reads and writes what, in program order.
class Traffic {
public:
  Traffic(const Grouping &grouping, const Manners &manners)
      : grouping(grouping), manners(manners) {}

  KernelShare share(Operation *op) {
    KernelShare share;
    share.reads.resize(op->getNumOperands());
    share.writes.resize(op->getNumResults());
    Manner manner = manners.of(op);
    if (manner == Manner::Recomputed && !isView(op))
      return shareOfRepeated(op, std::move(share));
    Kernel *own = grouping.of(op);
    share.launches = own && launched.insert(own).second;
    if (!own) // a view
      return share;
    for (OpOperand &operand : op->getOpOperands())
      if (readsFromMemory(operand, manner, own))
        share.reads.set(operand.getOperandNumber());
    for (OpResult result : op->getResults())
      if (isReadOutside(result, own))
        share.writes.set(result.getResultNumber());
    return share;
  }

private:
  bool readsMemory(Operation *op) const {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return true;
    Manner manner = manners.of(op);
    return manner == Manner::Moving || manner == Manner::Library;
  }

  bool readsFromMemory(OpOperand &operand, Manner manner, Kernel *own) {
    Value root = viewRoot(operand.get());
    Operation *producer = root.getDefiningOp();
    if (producer && isRecomputed(producer))
      return manner == Manner::Moving || manner == Manner::Library;
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

  /// A value repeated where it is read is fetched once, unless that kernel made it; where memory is
  /// read it is written there first, by a kernel of its own.
  KernelShare shareOfRepeated(Operation *op, KernelShare share) {
    share.launches =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return readsMemory(user); });
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
  const Manners &manners;
  DenseSet<Kernel *> launched;
  DenseSet<std::pair<Kernel *, Value>> read;
};

} // namespace

KernelShare KernelShare::ofAlone(Operation *op) {
  bool isFree = isView(op);
  return {llvm::SmallBitVector(op->getNumOperands(), !isFree),
          llvm::SmallBitVector(op->getNumResults(), !isFree), !isFree};
}

KernelShares::KernelShares(func::FuncOp function, function_ref<bool(Operation *)> isAlone) {
  Manners manners(isAlone);
  Grouping grouping(function, manners);
  Traffic traffic(grouping, manners);
  for (Operation &op : function.getBody().front().without_terminator())
    shares[&op] = traffic.share(&op);
}

} // namespace pcc::facts
