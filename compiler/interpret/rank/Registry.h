// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registry from op names to the functions that compute them. One line in the file of its family
// (ops/) adds an op: the function gets the op and its operands' values and returns the results.
// Functions compute in doubles and 64-bit integers without rounding. The caller rounds every result
// once, to the element type.
#pragma once

#include "compiler/interpret/rank/Rank.h"
#include "compiler/values/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace pcc::interpret {

using namespace values;

/// One evaluation of one op on one rank.
struct OpCall {
  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands;
  llvm::SmallVectorImpl<Tensor> &results; ///< to be filled in the order of the op's results
  Rank &rank;

  /// Ends the rank's evaluation with a diagnostic at the op.
  mlir::LogicalResult fail(const llvm::Twine &message) { return rank.fail(op->getLoc(), message); }
};

using OpFunction = std::function<mlir::LogicalResult(OpCall &)>;

class Registry {
public:
  /// Adds an op of one result whose value depends only on its operands.
  template <typename OpT> void add(Tensor (*compute)(OpT, llvm::ArrayRef<Tensor>)) {
    functions[OpT::getOperationName()] = [compute](OpCall &call) {
      call.results.push_back(compute(llvm::cast<OpT>(call.op), call.operands));
      return mlir::success();
    };
  }

  /// Adds an op by its name, for families that are tables.
  void add(llvm::StringRef name, OpFunction compute) { functions[name] = std::move(compute); }

  /// Adds any other op: with several results, errors, or communication with other ranks.
  template <typename OpT> void add(mlir::LogicalResult (*compute)(OpT, OpCall &)) {
    functions[OpT::getOperationName()] = [compute](OpCall &call) {
      return compute(llvm::cast<OpT>(call.op), call);
    };
  }

  /// Returns null for an op that the interpreter does not know.
  const OpFunction *lookup(llvm::StringRef name) const {
    auto entry = functions.find(name);
    return entry == functions.end() ? nullptr : &entry->second;
  }

  /// Returns the registry with all families.
  static const Registry &get();

private:
  llvm::StringMap<OpFunction> functions;
};

// Registration functions of the families, one file each under ops/.
void registerComputed(Registry &registry);
void registerActivations(Registry &registry);
void registerLeaves(Registry &registry);
void registerShape(Registry &registry);
void registerIndexing(Registry &registry);
void registerContraction(Registry &registry);
void registerWindows(Registry &registry);
void registerAttention(Registry &registry);
void registerNormal(Registry &registry);
void registerAlongAxis(Registry &registry);
void registerLoss(Registry &registry);
void registerOptimizer(Registry &registry);
void registerCalls(Registry &registry);
void registerCollectives(Registry &registry);
void registerExchanges(Registry &registry);
void registerMessages(Registry &registry);
void registerShardings(Registry &registry);

} // namespace pcc::interpret
