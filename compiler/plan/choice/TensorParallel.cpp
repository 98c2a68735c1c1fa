// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the forward function once and keeps the values that are split by columns. Norms need whole
// rows, so what they read is not split. Which dimensions a matmul has, its factor rule says.
#include "compiler/plan/choice/TensorParallel.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Roles.h"
#include "dialects/interfaces/FactorRuleInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace pcc::plan {
namespace {

/// Returns whether an op computes each of its results from whole rows.
bool needsWholeRows(Operation *op) {
  return isa<graph::LayerNormOp, graph::RmsNormOp, graph::BatchNormOp>(op);
}

bool hasFactor(const TensorFactors &dims, unsigned factor) {
  return llvm::any_of(dims, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// Returns the first dimension of an activation that its weight lacks, which the batch cuts. The
/// experts of a mixture come before it: both tensors have them.
std::optional<size_t> findBatch(const TensorFactors &activation, const TensorFactors &weight) {
  for (const auto &[position, dim] : llvm::enumerate(activation))
    if (!dim.empty() &&
        llvm::none_of(dim, [&](unsigned factor) { return hasFactor(weight, factor); }))
      return position;
  return std::nullopt;
}

class Splitter {
public:
  Splitter(func::FuncOp forward, int64_t data, int64_t tensor)
      : forward(forward), batchAxis(data > 1 ? "dp" : "_"), tensor(tensor) {
    for (unsigned index : graph::findArgs(forward, graph::RoleKind::Parameter))
      parameters.insert(forward.getArgument(index));
  }

  void run(abi::Constraints &constraints) {
    for (Operation &op : forward.getBody().front().without_terminator())
      visit(op, constraints);
  }

private:
  void visit(Operation &op, abi::Constraints &constraints);
  /// Adds a constraint for a matmul whose operand number `weight` comes from a parameter. Returns
  /// false if its columns or rows cannot be split.
  bool split(FactorRuleOpInterface op, unsigned weight, bool byRows, abi::Constraints &constraints);

  func::FuncOp forward;
  std::string batchAxis; ///< `_` if the batch is not cut
  int64_t tensor;
  llvm::DenseSet<Value> parameters; ///< and what is computed from single parameters
  llvm::DenseSet<Value> columns;    ///< values split by columns
};

bool Splitter::split(FactorRuleOpInterface op, unsigned weight, bool byRows,
                     abi::Constraints &constraints) {
  FactorRule rule = op.getFactorRule();
  const TensorFactors &activation = rule.getOperands()[1 - weight];
  // The factor that ranks cut: of the rows, it is summed; of the columns, the activation lacks it.
  std::optional<unsigned> cut;
  for (const DimFactors &dim : rule.getOperands()[weight])
    for (unsigned factor : dim)
      if (hasFactor(activation, factor) == byRows &&
          (rule.getFactor(factor).kind == FactorKind::Reduce) == byRows)
        cut = factor;
  if (!cut || rule.getFactor(*cut).size % tensor != 0)
    return false;
  abi::Constraint &constraint = *constraints.add_constraint();
  constraint.set_op_name(analysis::getName(op).str());
  std::optional<size_t> batch = findBatch(activation, rule.getOperands()[weight]);
  for (const auto &[operand, dims] : llvm::enumerate(rule.getOperands())) {
    std::vector<std::string> axes;
    for (const auto &[position, dim] : llvm::enumerate(dims)) {
      bool isCut = dim.size() == 1 && dim.front() == *cut;
      bool isBatch = operand != weight && position == batch && !isCut;
      axes.push_back(isCut ? "tp" : isBatch ? batchAxis : "_");
    }
    constraint.add_in("[" + llvm::join(axes, ", ") + "]");
  }
  return true;
}

void Splitter::visit(Operation &op, abi::Constraints &constraints) {
  auto isParameter = [&](Value operand) { return parameters.contains(operand); };
  if (op.getNumOperands() > 0 && llvm::all_of(op.getOperands(), isParameter)) {
    parameters.insert_range(op.getResults());
    return;
  }
  bool isSplit = llvm::any_of(op.getOperands(), [&](Value v) { return columns.contains(v); });
  if (isa<graph::MatmulOp, graph::EinsumOp>(op) &&
      isParameter(op.getOperand(0)) != isParameter(op.getOperand(1))) {
    bool isDone = split(cast<FactorRuleOpInterface>(op), isParameter(op.getOperand(0)) ? 0 : 1,
                        isSplit, constraints);
    isSplit = isDone && !isSplit;
  } else if (needsWholeRows(&op)) {
    isSplit = false;
  }
  if (isSplit)
    columns.insert_range(op.getResults());
}

} // namespace

abi::Constraints splitMatmuls(ModuleOp model, int64_t data, int64_t tensor) {
  abi::Constraints constraints;
  auto forward = model.lookupSymbol<func::FuncOp>("forward");
  if (forward && forward.getBody().hasOneBlock())
    Splitter(forward, data, tensor).run(constraints);
  if (constraints.constraint_size() > 0)
    constraints.set_mesh((data > 1 ? "dp=" + std::to_string(data) + ", " : "") +
                         "tp=" + std::to_string(tensor));
  return constraints;
}

} // namespace pcc::plan
