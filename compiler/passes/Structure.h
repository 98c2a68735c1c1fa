// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structure of a module: what it computes, without annotations. Phases that only decide must leave
// it unchanged.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace pcc {

/// Name of the module attribute that holds the hash of the structure while a phase runs (i64).
inline constexpr llvm::StringLiteral structureAttrName = "graph.structure";

/// Returns a hash of all ops in `module`: names, operands, types and inherent attributes. It covers
/// neither discardable attributes, which hold annotations, nor locations, nor the order of the ops
/// in a block. The hash is the same in every process.
uint64_t hashStructure(mlir::ModuleOp module);

/// Returns a pass that records the hash in the module (`--record-structure`).
std::unique_ptr<mlir::Pass> createRecordStructurePass();

/// Fails with an error if the structure differs from the recorded one. Removes the record. Does
/// nothing without a record.
mlir::LogicalResult checkStructure(mlir::ModuleOp module, llvm::StringRef phase);

/// Registers the pass by flag.
void registerRecordStructurePass();

} // namespace pcc
