// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions of FuseCollectives as an annotation of the section, for tests and benches that compare
// them with other rules. The pass annotates them only with its option `record`.
//
//   func.func @update(…) attributes {schedule.fusion = [{buckets = [[0, 1], [2]],
//                                    kind = "all_reduce", problem = "algorithm 1e-06 1e-11\n…"}]}
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/buckets/BucketProblem.h"

namespace pcc::schedule {

/// Decision about a group of collectives that could be fused.
struct FusionOutcome {
  mlir::func::FuncOp section;
  std::string kind; ///< of the collectives: `all_reduce`
  buckets::BucketProblem problem;
  buckets::Buckets buckets;
};

/// Adds a decision to the annotation of its section.
void addFusionRecord(const FusionOutcome &record);

/// Returns the decisions of all sections of a program, in program order.
std::vector<FusionOutcome> readFusionRecords(mlir::ModuleOp program);

} // namespace pcc::schedule
