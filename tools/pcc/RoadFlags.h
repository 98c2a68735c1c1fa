// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of every verb that takes a model along the road: the model, the training step, the
// parallel options, and what to show on the way.
#pragma once

#include "compiler/DumpStages.h"
#include "compiler/Pipeline.h"
#include "runtime/abi/program.pb.h"
#include "tools/pcc/ClusterFlag.h"
#include "tools/pcc/ParallelFlags.h"
#include "tools/pcc/Session.h"
#include <optional>

namespace pcc::cli {

class RoadFlags {
public:
  explicit RoadFlags(llvm::cl::SubCommand &command, ModelUse use = ModelUse::Required);

  const ModelFlags &getModel() const { return model; }

  /// The options of the road. BadUsage or BadInput after a message. How many copies there are is
  /// known: it is chosen where the user leaves it open, which compiles the model.
  ExitCode read(PipelineOptions &options) const;

  /// The parallel options alone.
  ExitCode readParallel(abi::ParallelConfig &config) const { return parallel.read(config); }

  /// Imports the model and takes it along the road up to `last`; null after a diagnostic, with
  /// `code` set. Writes the files of `--dump-ir`, prints remarks with `--remarks`.
  mlir::OwningOpRef<mlir::ModuleOp> compile(Session &session, const PipelineOptions &options,
                                            Stage last, ExitCode &code) const;

  /// The same for a module that was imported already.
  ExitCode compile(mlir::ModuleOp module, const PipelineOptions &options, Stage last) const;

  /// Imports the model, takes it along the whole road and links the program. `shows`: whether
  /// `--dump-ir` and `--remarks` count.
  ExitCode build(Session &session, const PipelineOptions &options, bool shows,
                 abi::Executable &program) const;

  /// The records of the model's program, without code for its kernels.
  ExitCode buildRecords(const PipelineOptions &options, abi::Executable &program) const;

  /// Whether the model is a program, which is compiled already.
  bool isProgram() const { return llvm::StringRef(model.path()).ends_with(".pcx"); }
  /// Reads that program. Flags that only compiling heeds are refused, `--device-num` with another
  /// number as well; those that the verb heeds are not.
  ExitCode readProgram(abi::Executable &program, llvm::ArrayRef<llvm::StringRef> heeds = {}) const;

  const ClusterFlag &getCluster() const { return cluster; }
  /// Whether the flag of a field of ParallelConfig was given.
  bool has(llvm::StringRef field) const { return parallel.has(field); }

  /// The name of a flag that was given beside the model, those of the fields `except` of
  /// ParallelConfig apart; empty if there is none.
  llvm::StringRef givenFlag(llvm::ArrayRef<llvm::StringRef> except) const;

private:
  /// The training step, or the loss of an evaluation.
  ExitCode readStep(PipelineOptions &options) const;
  /// What communication hides under, and which of it shares messages.
  ExitCode readOverlap(PipelineOptions &options) const;
  ExitCode readTarget(PipelineOptions &options) const;
  /// Says what was chosen, at the model.
  using Remark = std::function<void(mlir::Location)>;
  /// Chooses something by what compiling the model, as imported, comes to.
  using Choice = llvm::function_ref<ExitCode(mlir::ModuleOp, Remark &)>;
  ExitCode settle(const PipelineOptions &options, Choice choose) const;
  ExitCode settleCopies(PipelineOptions &options) const;
  ExitCode settleRecompute(PipelineOptions &options) const;
  /// The folder of `--dump-ir`, if given.
  std::optional<DumpStages> dump() const;

  ModelFlags model;
  ParallelFlags parallel;
  ClusterFlag cluster;
  llvm::cl::opt<std::string> loss, optimizer, target;
  llvm::cl::opt<bool> roundsToTf32;
  llvm::cl::list<std::string> dumpIr;
  llvm::cl::opt<bool> remarks, freezeBatchNorm, hidesReductions;
  llvm::cl::opt<int64_t> productChunks, stageMemory;
};

/// The chip of a GPU that `--target=cuda:CHIP` names; it stays empty for `host`. BadUsage after a
/// message for others.
ExitCode parseTarget(llvm::StringRef target, std::string &gpuChip);

/// The options with which one device computes what `options` spread over many: the same slots, no
/// other ranks, and none of the model's marks unless it was itself written for many.
PipelineOptions oneRank(PipelineOptions options);

} // namespace pcc::cli
