// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op name → the function that computes it. An op is added by one line in the file of its family
// (ops/): the function gets the op and its operands' values and returns the result's. It computes
// in doubles and 64-bit integers and does not round: whoever calls it rounds every result once, to
// the element type.
#pragma once

#include "compiler/interpret/Rank.h"
#include "compiler/interpret/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace pcc::interpret {

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
  /// An op of one result whose value depends on its operands alone.
  template <typename OpT> void add(Tensor (*compute)(OpT, llvm::ArrayRef<Tensor>)) {
    functions[OpT::getOperationName()] = [compute](OpCall &call) {
      call.results.push_back(compute(llvm::cast<OpT>(call.op), call.operands));
      return mlir::success();
    };
  }

  /// An op by its name, for families that are tables.
  void add(llvm::StringRef name, OpFunction compute) { functions[name] = std::move(compute); }

  /// Any other op: several results, an error, or other ranks to meet.
  template <typename OpT> void add(mlir::LogicalResult (*compute)(OpT, OpCall &)) {
    functions[OpT::getOperationName()] = [compute](OpCall &call) {
      return compute(llvm::cast<OpT>(call.op), call);
    };
  }

  /// Null for an op that the interpreter does not know.
  const OpFunction *lookup(llvm::StringRef name) const {
    auto entry = functions.find(name);
    return entry == functions.end() ? nullptr : &entry->second;
  }

  /// All ops of all families.
  static const Registry &get();

private:
  llvm::StringMap<OpFunction> functions;
};

// The families, one file each under ops/.
void registerElementwise(Registry &registry);
void registerActivations(Registry &registry);
void registerLogic(Registry &registry);
void registerLeaves(Registry &registry);
void registerShape(Registry &registry);
void registerIndexing(Registry &registry);
void registerContraction(Registry &registry);
void registerWindows(Registry &registry);
void registerAttention(Registry &registry);
void registerNormal(Registry &registry);
void registerReduce(Registry &registry);
void registerAlongAxis(Registry &registry);
void registerLoss(Registry &registry);
void registerOptimizer(Registry &registry);
void registerCalls(Registry &registry);
void registerCollectives(Registry &registry);
void registerExchanges(Registry &registry);
void registerMessages(Registry &registry);
void registerShardings(Registry &registry);

} // namespace pcc::interpret
