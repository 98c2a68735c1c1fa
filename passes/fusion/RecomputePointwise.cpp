// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RecomputePointwise: rematerializes large values in the kernels that read them.
//
//   before                                     after
//   kernel 0  xhat = (f32 x - mean) * rstd     kernel 0  mean, rstd
//             writes mean, rstd, xhat
//   …                                          …
//   kernel 7  reads xhat, f32                  kernel 7  reads x, bf16, mean and rstd, and
//                                                        computes xhat from them
//
// Kernels are bound by the memory traffic, so a few more multiplications cost nothing if a tensor
// is neither written nor read. One example is the values that layer norm saves for its derivative.
// Others are casts to f32 before the sums that are gradients of parameters, and values that were
// broadcast before a cast.
//
// Assumes annotated kernels (AssignKernels). Rematerializes a value in every kernel that reads it,
// if all of them can compute it and if that saves bytes. Candidates are cheap ops. Their readers
// must read them element by element, in loops over as many elements that occupy all threads.
//
// The sources of the value live longer instead of the value. They must not take more memory than
// the value, except for rows and columns. A source must not be a parameter that the function
// replaces, because its new value could then not be written in place. Kernels without remaining ops
// are removed.
//
// A rematerialized value is equal up to rounding. Values inside a kernel are not rounded to a half
// type, and different kernels contract multiplications and additions differently. So a value is not
// rematerialized if an op may compare it with a value derived from the original. The derivative of
// a maximum does so, because it looks for the element equal to the maximum.
#include "passes/fusion/Passes.h"
#include "passes/fusion/RematRecipe.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/KernelLoops.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::analysis::Kernel;
using pcc::task::FormKind;

namespace pcc::fusion {
#define GEN_PASS_DEF_RECOMPUTEPOINTWISE
#include "passes/fusion/Passes.h.inc"

/// Whether the kernel's loops compute elements of a value on demand.
static bool computesWhereRead(const Kernel &kernel) {
  FormKind kind = kernel.form.getKind();
  return kind == FormKind::Map || kind == FormKind::Rows || kind == FormKind::Columns;
}

/// Whether the kernel's loops can compute a value of `elements` elements that they now read from
/// memory.
static bool mayCompute(const Kernel &kernel, int64_t elements) {
  analysis::KernelLoops loops{kernel.form.getKind(), kernel.form.getOuter(),
                              kernel.form.getInner()};
  auto leaps = [](Operation *op) {
    return isa<ReduceOp>(op) && !analysis::isView(op) &&
           !analysis::getReductionLoops(op).contiguous;
  };
  return computesWhereRead(kernel) && loops.full() == elements &&
         !(loops.kind != FormKind::Map && analysis::isNarrow(loops)) &&
         llvm::none_of(kernel.ops, leaps);
}

namespace {
/// Finds ops whose result may flip on a rounding difference: ops that compare two values or round
/// one to an integer, and the elementwise ops that feed them.
///
///   %m = reduce max %x, [1]                  %x must be the same to the last bit in both ops,
///   %h = compare eq %x, broadcast %m         or no element equals the maximum
///
/// A comparison with a constant does not count: rounding changes its result only for values that
/// are that close to the constant.
class RoundingSensitiveOps {
public:
  explicit RoundingSensitiveOps(func::FuncOp function);

  bool contains(Operation *op) const { return ops.contains(op); }

  /// Clones an op of the function; if the op is in the set, the clone is added to it.
  Operation *clone(OpBuilder &b, Operation &op, IRMapping &copies);

private:
  llvm::DenseSet<Operation *> ops;
};
} // namespace

/// Whether `value` has the same constant number in every element.
static bool isNumber(Value value) {
  Operation *op = analysis::viewRoot(value).getDefiningOp();
  while (isa_and_nonnull<BroadcastOp>(op))
    op = analysis::viewRoot(op->getOperand(0)).getDefiningOp();
  return isa_and_nonnull<ConstantOp>(op);
}

static bool isRoundingSensitive(Operation *op) {
  if (auto compare = dyn_cast<CompareOp>(op))
    return llvm::none_of(compare->getOperands(), isNumber);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceOpKind::Max || reduce.getKind() == ReduceOpKind::Min;
  if (auto cast = dyn_cast<CastOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(cast.getInput().getType())) &&
           !isa<FloatType>(getElementTypeOrSelf(cast.getType()));
  return isa<MaxPoolOp, MaxPoolGradientOp, ArgmaxOp, ArgminOp, TopKOp, FloorOp, CeilOp, RoundOp>(
      op);
}

RoundingSensitiveOps::RoundingSensitiveOps(func::FuncOp function) {
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool passesOn = op.hasTrait<graph::Elementwise>() || analysis::isRecomputed(&op);
    auto isOne = [&](Operation *user) { return contains(user); };
    if (isRoundingSensitive(&op) || (passesOn && llvm::any_of(op.getUsers(), isOne)))
      ops.insert(&op);
  }
}

Operation *RoundingSensitiveOps::clone(OpBuilder &b, Operation &op, IRMapping &copies) {
  Operation *copy = b.clone(op, copies);
  if (contains(&op))
    ops.insert(copy);
  return copy;
}

namespace {
/// Ops of one kernel that read the value.
using Readers = SmallVector<Operation *>;
using ReadersByKernel = llvm::MapVector<int64_t, Readers>;

/// Kernels of a function, and the rematerialized values.
class Recomputer {
public:
  explicit Recomputer(func::FuncOp function)
      : function(function), kernels(analysis::collectKernels(function)), compared(function) {}

  void run();
  int64_t values = 0, bytes = 0;

private:
  bool isReplaced(Value value);
  bool isCompared(const ReadersByKernel &readers) const;
  void eraseUnread();
  bool mayLive(const SetVector<Value> &sources, Value value);
  std::optional<ReadersByKernel> findReaders(Value value) const;
  int64_t bytesSaved(Value value, const RematRecipe &recipe, const ReadersByKernel &readers) const;
  void computeIn(Kernel &kernel, ArrayRef<Operation *> readers, Value value,
                 const RematRecipe &recipe);
  void recompute(Value value);
  void renumber();

  func::FuncOp function;
  SmallVector<Kernel> kernels;
  RoundingSensitiveOps compared;
  /// Original ops that now have clones.
  llvm::SmallPtrSet<Operation *, 16> doneAgain;
};
} // namespace

/// Whether the function replaces the argument: it returns a new value under the argument's role.
bool Recomputer::isReplaced(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  RoleAttr role = argument ? getArgRole(function, argument.getArgNumber()) : RoleAttr();
  return role && llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned result) {
           return getResultRole(function, result) == role;
         });
}

/// Whether the sources may live as long as the value did, and take no more memory.
bool Recomputer::mayLive(const SetVector<Value> &sources, Value value) {
  if (llvm::any_of(sources, [&](Value source) { return isReplaced(source); }))
    return false;
  constexpr int64_t small = 16; // rows and columns are smaller by a larger factor
  int64_t held = 0;
  for (Value source : sources)
    if (getNumElements(source) * small > getNumElements(value))
      held += analysis::getNumBytes(source.getType());
  return held <= analysis::getNumBytes(value.getType());
}

/// Returns the readers in other kernels, by kernel; nullopt if a reader needs the value in memory.
std::optional<ReadersByKernel> Recomputer::findReaders(Value value) const {
  int64_t maker = *analysis::getKernelNumber(value.getDefiningOp());
  ReadersByKernel readers;
  bool needsMemory = false;
  SmallVector<Value> seen{value};
  for (size_t n = 0; n < seen.size(); ++n)
    for (Operation *user : seen[n].getUsers()) {
      std::optional<int64_t> number = analysis::getKernelNumber(user);
      if (!number && analysis::isView(user)) {
        seen.push_back(user->getResult(0));
        continue;
      }
      if (number == maker)
        continue;
      needsMemory |= !number || !mayCompute(kernels[*number], getNumElements(value)) ||
                     !(user->hasTrait<graph::Elementwise>() || isa<ReduceOp>(user));
      if (needsMemory)
        return std::nullopt;
      readers[*number].push_back(user);
    }
  return readers;
}

bool Recomputer::isCompared(const ReadersByKernel &readers) const {
  return llvm::any_of(readers, [&](const auto &ofKernel) {
    return llvm::any_of(ofKernel.second, [&](Operation *op) { return compared.contains(op); });
  });
}

/// Returns the bytes that are no longer written and read for the value, less the additional bytes
/// of its sources.
int64_t Recomputer::bytesSaved(Value value, const RematRecipe &recipe,
                               const ReadersByKernel &readers) const {
  int64_t maker = *analysis::getKernelNumber(value.getDefiningOp());
  int64_t saved = analysis::getNumBytes(value.getType()) * int64_t(1 + readers.size());
  for (Value source : recipe.sources) {
    int64_t own = analysis::getNumBytes(source.getType());
    Operation *op = source.getDefiningOp();
    if (op && analysis::getKernelNumber(op) == maker &&
        !llvm::is_contained(kernels[maker].outputs, source))
      saved -= own;
    for (const auto &[number, ops] : readers)
      if (!kernels[number].inputs.contains(source))
        saved -= own;
  }
  return saved;
}

/// Rematerializes the value for the readers in one kernel.
void Recomputer::computeIn(Kernel &kernel, ArrayRef<Operation *> readers, Value value,
                           const RematRecipe &recipe) {
  Operation *first =
      *llvm::min_element(readers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  OpBuilder b(first);
  IRMapping copies;
  for (Operation *op : recipe.ops) {
    Operation *again = compared.clone(b, *op, copies);
    if (analysis::getKernelNumber(op))
      again->setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(kernel.number));
  }
  for (Operation *reader : readers)
    for (OpOperand &operand : reader->getOpOperands()) {
      SmallVector<Operation *> views;
      Value seen = operand.get();
      for (Operation *op = seen.getDefiningOp(); seen != value && op && analysis::isView(op);
           op = seen.getDefiningOp()) {
        views.push_back(op);
        seen = op->getOperand(0);
      }
      if (seen != value)
        continue;
      for (Operation *view : llvm::reverse(views))
        if (!copies.contains(view->getResult(0)))
          compared.clone(b, *view, copies);
      operand.set(copies.lookup(operand.get()));
    }
  kernel.inputs.remove(value);
  kernel.inputs.insert(recipe.sources.begin(), recipe.sources.end());
}

void Recomputer::recompute(Value value) {
  Kernel &maker = kernels[*analysis::getKernelNumber(value.getDefiningOp())];
  if (!isCheap(value.getDefiningOp()) || !computesWhereRead(maker))
    return;
  std::optional<ReadersByKernel> readers = findReaders(value);
  if (!readers || readers->empty())
    return;
  RematRecipe recipe(value, maker, int64_t(readers->size()));
  if (!recipe.isComplete || !mayLive(recipe.sources, value) ||
      (!recipe.isExact() && isCompared(*readers)))
    return;
  int64_t saved = bytesSaved(value, recipe, *readers);
  if (saved <= 0)
    return;
  for (auto &[number, ops] : *readers)
    computeIn(kernels[number], ops, value, recipe);
  llvm::erase(maker.outputs, value);
  for (Value source : recipe.sources)
    if (Operation *op = source.getDefiningOp(); op &&
                                                analysis::getKernelNumber(op) == maker.number &&
                                                !llvm::is_contained(maker.outputs, source))
      maker.outputs.push_back(source);
  doneAgain.insert(recipe.ops.begin(), recipe.ops.end());
  ++values;
  bytes += saved;
}

void Recomputer::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    if (analysis::getKernelNumber(&op) && op.getNumResults() == 1)
      ops.push_back(&op);
  for (Operation *op : ops)
    recompute(op->getResult(0));
  if (values == 0)
    return;
  eraseUnread();
  renumber();
}

void Recomputer::eraseUnread() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (doneAgain.contains(&op) && isOpTriviallyDead(&op))
      op.erase();
}

/// Removes kernels without ops and renumbers the others.
void Recomputer::renumber() {
  SmallVector<int64_t> numbers(kernels.size(), -1);
  for (Operation &op : function.getBody().front())
    if (std::optional<int64_t> number = analysis::getKernelNumber(&op))
      numbers[*number] = 0;
  Builder b(function.getContext());
  SmallVector<Attribute> forms;
  for (const Kernel &kernel : kernels)
    if (int64_t &number = numbers[kernel.number]; number == 0) {
      number = int64_t(forms.size());
      forms.push_back(kernel.form);
    }
  for (Operation &op : function.getBody().front())
    if (std::optional<int64_t> number = analysis::getKernelNumber(&op))
      op.setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(numbers[*number]));
  function->setAttr(analysis::formsAttrName, b.getArrayAttr(forms));
}

namespace {
struct RecomputePointwise : impl::RecomputePointwiseBase<RecomputePointwise> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // StepPoints of hoisted kernels contain kernel numbers, which may change here.
    if (function.isExternal() || function->hasAttr(analysis::hoistedAttrName))
      return;
    Recomputer recomputer(function);
    recomputer.run();
    remark::passed(function.getLoc(), remark::RemarkOpts::name("recompute-pointwise")
                                          .category("fusion")
                                          .function(function.getName()))
        << remark::metric("values", recomputer.values)
        << remark::metric("bytes not moved", recomputer.bytes);
  }
};
} // namespace
} // namespace pcc::fusion
