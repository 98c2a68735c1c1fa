// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the results of matmuls to their readers, and the operands of matmuls to the ops that
// compute them, through ops that may take part in either. Leaves out whatever it does not know.
#include "compiler/plan/layers/LayerCosts.h"

#include "dialects/graph/Graph.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::plan {
namespace {

/// Bytes by value, in its narrowest type between a matmul and a kernel.
using ValueBytes = llvm::MapVector<Value, int64_t>;

/// Counts the traffic of one function.
class TrafficCounter {
public:
  explicit TrafficCounter(func::FuncOp function);

  int64_t count(llvm::function_ref<int64_t(Operation *)> timesOf);

private:
  bool runsApart(Operation *op) const;
  void addReads(Value result, Value part, int64_t bytes);
  void addWrite(Value operand);

  func::FuncOp function;
  /// Values made of parameters and constants alone, which a step may compute once.
  llvm::DenseSet<Value> ofParameters;
  /// True if matmul instructions may compute elementwise gradients: those of ReLU and GELU.
  bool mayMultiplyGradients = false;
  ValueBytes read, written;
};

} // namespace

/// Adds a value, or lowers its bytes.
static void add(ValueBytes &values, Value value, int64_t bytes) {
  auto [known, isNew] = values.try_emplace(value, bytes);
  known->second = std::min(known->second, bytes);
}

/// Returns whether an instruction multiplies operands from memory.
static bool multiplies(Operation *op) {
  return isa<MatmulOp, EinsumOp>(op) || analysis::isConvolution(op) || analysis::isAttention(op);
}

/// Returns whether an instruction or a kernel may read or write the op's result in place of its
/// operand.
static bool passesOn(Operation *op) { return isa<ReshapeOp, TransposeOp, CastOp>(op); }

static bool isSpread(Value value) {
  while (value.getDefiningOp() && passesOn(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp() && isa<BroadcastOp, ConstantOp>(value.getDefiningOp());
}

TrafficCounter::TrafficCounter(func::FuncOp function) : function(function) {
  for (BlockArgument argument : function.getArguments()) {
    RoleAttr role = getArgRole(function, argument.getArgNumber());
    if (role && role.getKind() == RoleKind::Parameter)
      ofParameters.insert(argument);
  }
  for (Operation &op : function.getBody().front().without_terminator()) {
    mayMultiplyGradients |= isa<ReluOp, GeluOp>(op);
    if (llvm::all_of(op.getOperands(), [&](Value value) { return ofParameters.contains(value); }))
      ofParameters.insert_range(op.getResults());
  }
}

/// Returns whether a kernel of its own must compute the op, whatever else it computes: whether no
/// matmul does.
bool TrafficCounter::runsApart(Operation *op) const {
  if (isa<RmsNormOp, LayerNormOp, SoftmaxOp, RotaryEmbeddingOp>(op))
    return true;
  if (!op->hasTrait<Elementwise>() || isa<CastOp, ReluOp, GeluOp>(op) ||
      (mayMultiplyGradients && analysis::getDerivedFrom(op)))
    return false;
  return llvm::none_of(op->getOperands(), isSpread);
}

/// Adds the result of a matmul if a kernel reads it. `part` is the result or a view or cast of it,
/// and `bytes` the fewest bytes of the values before it.
void TrafficCounter::addReads(Value result, Value part, int64_t bytes) {
  bytes = std::min(bytes, analysis::getNumBytes(part.getType()));
  for (Operation *user : part.getUsers())
    if (passesOn(user))
      addReads(result, user->getResult(0), bytes);
    else if (runsApart(user))
      add(read, result, bytes);
}

/// Adds the value that a matmul takes as `operand`, if a kernel writes it.
void TrafficCounter::addWrite(Value operand) {
  int64_t bytes = analysis::getNumBytes(operand.getType());
  Value value = operand;
  while (value.getDefiningOp() && passesOn(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
    bytes = std::min(bytes, analysis::getNumBytes(value.getType()));
  }
  if (!value.getDefiningOp() || !runsApart(value.getDefiningOp()) || ofParameters.contains(value))
    return;
  add(written, value, bytes);
}

int64_t TrafficCounter::count(llvm::function_ref<int64_t(Operation *)> timesOf) {
  for (Operation &op : function.getBody().front().without_terminator())
    if (multiplies(&op)) {
      for (Value result : op.getResults())
        addReads(result, result, analysis::getNumBytes(result.getType()));
      for (Value operand : op.getOperands())
        addWrite(operand);
    }
  int64_t bytes = 0;
  for (auto *values : {&read, &written})
    for (auto [value, size] : *values)
      bytes += timesOf(value.getDefiningOp()) * size;
  return bytes;
}

int64_t countLeastTraffic(func::FuncOp function, llvm::function_ref<int64_t(Operation *)> timesOf) {
  return TrafficCounter(function).count(timesOf);
}

} // namespace pcc::plan
