// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a function of all virtual stages into sections of stages. First each op is assigned to a
// section. Then sections are built, last first: later sections determine the values that earlier
// sections save.
//
//   %1 = matmul %x, %w0                  @forward_train of stage 0: matmul, relu, send; returns the
//   %2 = relu %1                           relu, which @backward reads, as saved "relu"
//   %3 = transfer %2 from 0 to 1         @backward of stage 0: receives the gradient, computes from
//   … loss and its gradient, on 1 …        it and from the argument saved "relu"
//   %8 = transfer %7 from 1 to 0
//   %9 = relu gradient of %2, %8
//
// Values made of inputs and constants alone, and values as cheap as a copy, are recomputed where
// they are read. Values made of parameters alone, such as a parameter gathered from all ranks, are
// recomputed too: otherwise they would be saved for every microbatch.
//
// For attentions whose instructions include transposes (passes/analysis/kernels/HeadTransposes.h),
// the values in memory are saved: the operands of the transposes, and the result after its
// transpose.
#pragma once

#include "dialects/pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::pipeline {

/// Numbers of messages: each ordered pair of stages has a counter of its own, over all functions.
class MessageTags {
public:
  int64_t next(int64_t source, int64_t target) { return count[{source, target}]++; }

private:
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> count;
};

/// A section to be cut out of the function.
struct CutSection {
  std::string name;
  int64_t stage = 0;
};

struct FunctionCut {
  mlir::func::FuncOp source;
  /// Sections in the order in which they run for one microbatch.
  std::vector<CutSection> sections;
  /// Section of each op; for a transfer, the sending one. Ops without a section are recomputed
  /// where they are read.
  llvm::DenseMap<mlir::Operation *, unsigned> sectionOf;
  /// Receiving section of each transfer.
  llvm::DenseMap<mlir::Operation *, unsigned> receiverOf;
  /// Tag of each transfer between stages.
  llvm::DenseMap<mlir::Operation *, int64_t> tagOf;
  /// Parameters that no op reads, with the sections that keep them as arguments.
  llvm::MapVector<mlir::Value, unsigned> unread;
  /// Section that returns each result of the function.
  std::vector<unsigned> returnedBy;
  /// Values that sections after their own one read, with the names under which they are saved.
  llvm::MapVector<mlir::Value, std::string> saved;
  /// Names in `saved`.
  llvm::StringSet<> savedNames;
  /// Ops with the same result in every microbatch: made of constants, and of parameters that do not
  /// change until the update.
  llvm::DenseSet<mlir::Operation *> ofParameters;
  /// By result of such an attention: its transpose, which is saved instead.
  llvm::DenseMap<mlir::Value, mlir::Value> savedInstead;
  /// Transposes of such attentions' operands, which are recomputed.
  llvm::DenseSet<mlir::Operation *> headTransposes;

  /// Returns whether a transfer connects virtual stages of one stage, and so moves nothing.
  bool isWithinStage(pipe::TransferOp transfer) const {
    return sections[sectionOf.lookup(transfer)].stage ==
           sections[receiverOf.lookup(transfer)].stage;
  }
  /// Returns the section that makes `value`, a result of an op that is in a section.
  unsigned sectionMaking(mlir::Value value) const;
  /// Saves `value` from now on; returns the name by which sections read it.
  llvm::StringRef save(mlir::Value value);
  void numberMessages(MessageTags &tags);
  void findOpsOfParameters();
  void findHeadTransposes();
};

/// Adds section number `section` to the module `stage`. The sections after it must have been built.
mlir::func::FuncOp buildSection(FunctionCut &cut, unsigned section, mlir::ModuleOp stage);

} // namespace pcc::pipeline
