// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategy checkpoints. A checkpoint is written after the strategy phase and says how a program was
// sharded. A loaded file becomes constraints before the first phase
// (passes/strategy/constraints/ConstraintResolver.h).
//
//   saved        every op with a sharding, every parameter that a section other than the update
//                takes, every input
//   constrained  these parameters, inputs that are not scalars, and the ops of all sections except
//                the update. An op with a partial operand is not constrained: it follows its
//                operands, as it did when the file was written
#pragma once

#include "compiler/Compile.h"
#include "runtime/abi/strategy.pb.h"

namespace pcc {

/// Returns the properties of `options` and of `module`, a model before the first phase, on which a
/// strategy depends.
abi::StrategyFingerprint makeFingerprint(mlir::ModuleOp module, const CompileOptions &options);

/// Adds the strategy in `options.parallel.strategy_ckpt_load_file`, or else `options.strategy`, if
/// there is one, to the constraints of `module`, a model before the first phase. An entry that does
/// not fit is an error; with REUSE_PARTIAL it is skipped with a remark. If the file has the same
/// number of ranks, and the same mesh if the model names one, `module` gets the mesh of the file as
/// the strategy cut it. If the model names no mesh, `fingerprint` then gets the mesh of the file's
/// fingerprint.
mlir::LogicalResult loadStrategy(mlir::ModuleOp module, const CompileOptions &options,
                                 abi::StrategyFingerprint &fingerprint);

/// Returns the shardings of `module`, a program after the strategy phase.
abi::Strategy makeStrategy(mlir::ModuleOp module, const CompileOptions &options,
                           const abi::StrategyFingerprint &fingerprint);

/// Writes the shardings of `module`, a program after the strategy phase, to
/// `options.parallel.strategy_ckpt_save_file` and passes them to `options.receiveStrategy`, if
/// these are given.
mlir::LogicalResult saveStrategy(mlir::ModuleOp module, const CompileOptions &options,
                                 const abi::StrategyFingerprint &fingerprint);

} // namespace pcc
