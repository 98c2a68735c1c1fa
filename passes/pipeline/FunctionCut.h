// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of all chunks taken apart into sections of stages. First it is said which section each
// op belongs to; then sections are built, last first, for a section learns from those behind it
// which of its values they read:
//
//   %1 = matmul %x, %w0                  @forward_train of stage 0: matmul, relu, send; returns the
//   %2 = relu %1                           relu, which @backward reads, as saved "relu"
//   %3 = transfer %2 from 0 to 1         @backward of stage 0: receives the gradient, computes from
//   … loss and its gradient, chunk 1 …     it and from the argument saved "relu"
//   %8 = transfer %7 from 1 to 0
//   %9 = relu gradient of %2, %8
//
// What is made of inputs and constants alone, and what is as cheap as a copy, is made again where
// it is read. So is what is made of parameters alone, as one that is gathered from all ranks: to
// keep it would be to keep it for every microbatch.
//
// Of attentions whose records go through transposes (passes/facts/HeadTransposes.h) what lies in
// memory is kept: what they transpose, and the result behind its transpose.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::pipeline {

/// Numbers of messages: each ordered pair of stages counts its own, over all functions.
class MessageTags {
public:
  int64_t next(int64_t source, int64_t target) { return count[{source, target}]++; }

private:
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> count;
};

/// A part of the function to be.
struct CutSection {
  std::string name;
  int64_t stage = 0;
};

struct FunctionCut {
  mlir::func::FuncOp source;
  /// In the order in which they run for one microbatch.
  std::vector<CutSection> sections;
  /// By op; ops that are in none are made where they are read. Of a transfer the sending one.
  llvm::DenseMap<mlir::Operation *, unsigned> sectionOf;
  /// By transfer: the section that receives.
  llvm::DenseMap<mlir::Operation *, unsigned> receiverOf;
  /// By transfer between stages.
  llvm::DenseMap<mlir::Operation *, int64_t> tagOf;
  /// By result of the function: the section that returns it.
  std::vector<unsigned> returnedBy;
  /// Values that sections behind the one that makes them read, with the names by which they do.
  llvm::MapVector<mlir::Value, std::string> saved;
  /// Names in `saved`.
  llvm::StringSet<> savedNames;
  /// Ops that give the same in every microbatch: made of constants and of parameters that stay as
  /// they are until the update.
  llvm::DenseSet<mlir::Operation *> ofParameters;
  /// By result of such an attention: its transpose, which is kept instead.
  llvm::DenseMap<mlir::Value, mlir::Value> keptFor;
  /// What such attentions read, which is transposed again.
  llvm::DenseSet<mlir::Operation *> headTransposes;

  /// Whether a transfer is between chunks of one stage, and so none.
  bool isWithinStage(pipe::TransferOp transfer) const {
    return sections[sectionOf.lookup(transfer)].stage ==
           sections[receiverOf.lookup(transfer)].stage;
  }
  /// The section that makes `value`, a result of an op that is in one.
  unsigned makerOf(mlir::Value value) const;
  /// The name by which sections read `value`, from now on saved.
  llvm::StringRef save(mlir::Value value);
  void numberMessages(MessageTags &tags);
  void findOpsOfParameters();
  void findHeadTransposes();
};

/// Adds section number `section` to `stage`, a module; sections behind it have been built.
mlir::func::FuncOp buildSection(FunctionCut &cut, unsigned section, mlir::ModuleOp stage);

} // namespace pcc::pipeline
