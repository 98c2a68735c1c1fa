// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategy checkpoints on the road: how a program was split, written behind the strategy stage; and
// what such a file says, turned into pins before the first stage (passes/strategy/Pins.h).
//
//   saved    every op, every parameter that the model reads, every input
//   pinned   parameters, inputs, and the ops of all sections but the update; an op that carries a
//            partial sum follows its operands, as it did when the file was written
#pragma once

#include "compiler/Pipeline.h"
#include "runtime/abi/strategy.pb.h"

namespace pcc {

/// What `module`, a model before the first stage, and `options` have that a strategy depends on.
abi::StrategyFingerprint makeFingerprint(mlir::ModuleOp module, const PipelineOptions &options);

/// Adds the strategy of `options.parallel.strategy_ckpt_load_file` to the pins of `module`, a model
/// before the first stage. What does not fit is an error or, with REUSE_PARTIAL, left out with a
/// remark. Where the model names no mesh, that of the file becomes its own, in `fingerprint` as
/// well.
mlir::LogicalResult loadStrategy(mlir::ModuleOp module, const PipelineOptions &options,
                                 abi::StrategyFingerprint &fingerprint);

/// Writes how `module`, a program behind the strategy stage, is split, to
/// `options.parallel.strategy_ckpt_save_file`.
mlir::LogicalResult saveStrategy(mlir::ModuleOp module, const PipelineOptions &options,
                                 const abi::StrategyFingerprint &fingerprint);

} // namespace pcc
