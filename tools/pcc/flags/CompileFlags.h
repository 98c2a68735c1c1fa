// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of every subcommand that compiles a model: the model, the training step, the parallel
// options, and what to print on the way.
#pragma once

#include "compiler/Compile.h"
#include "compiler/DumpPhases.h"
#include "runtime/abi/program.pb.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/flags/OldName.h"
#include "tools/pcc/flags/ParallelFlags.h"
#include "tools/pcc/flags/Session.h"
#include <optional>

namespace pcc::cli {

class CompileFlags {
public:
  explicit CompileFlags(llvm::cl::SubCommand &command, ModelUse use = ModelUse::Required);

  const ModelFlags &getModel() const { return model; }

  /// Reads the options of the compilation pipeline. Returns BadUsage or BadInput after an error
  /// message. Chooses the number of copies if the user leaves it open, and what to recompute under
  /// a memory limit; both compile the model.
  ExitCode read(CompileOptions &options) const;

  /// Reads only the parallel options.
  ExitCode readParallel(abi::ParallelConfig &config) const { return parallel.read(config); }

  /// Imports the model and compiles it up to phase `last`. Returns null after a diagnostic, with
  /// `code` set. Writes the files of `--dump-ir`, prints remarks with `--remarks`.
  mlir::OwningOpRef<mlir::ModuleOp> compile(Session &session, const CompileOptions &options,
                                            CompilePhase last, ExitCode &code) const;

  /// Compiles a module that was imported already.
  ExitCode compile(mlir::ModuleOp module, const CompileOptions &options, CompilePhase last) const;

  /// Imports the model, runs the whole compilation pipeline and links the program. `shows`: whether
  /// `--dump-ir` and `--remarks` apply.
  ExitCode build(Session &session, const CompileOptions &options, bool shows,
                 abi::Executable &program) const;

  /// Builds the instructions of the model's program, without code for its kernels.
  ExitCode buildRecords(const CompileOptions &options, abi::Executable &program) const;

  /// Returns whether the model is a program, which is compiled already.
  bool isProgram() const { return llvm::StringRef(model.path()).ends_with(".pcx"); }
  /// Reads that program. Rejects flags that only affect compilation, and `--device-num` with
  /// another number. Accepts the flags `usedFlags`, which the subcommand uses.
  ExitCode readProgram(abi::Executable &program,
                       llvm::ArrayRef<llvm::StringRef> usedFlags = {}) const;

  const ClusterFlag &getCluster() const { return cluster; }
  /// Returns whether the flag of a field of ParallelConfig was given.
  bool has(llvm::StringRef field) const { return parallel.has(field); }

  /// Returns the name of a flag that was given besides the model, without the fields `except` of
  /// ParallelConfig; empty if there is none.
  llvm::StringRef givenFlag(llvm::ArrayRef<llvm::StringRef> except) const;

private:
  /// Reads the training step, or the loss of an evaluation.
  ExitCode readStep(CompileOptions &options) const;
  /// Reads which communication is overlapped, and which collectives are fused.
  ExitCode readOverlap(CompileOptions &options) const;
  ExitCode readTarget(CompileOptions &options) const;
  /// Emits a remark on the choice, at the location of the model.
  using Remark = std::function<void(mlir::Location)>;
  /// Makes a choice by compiling the model, as imported.
  using Choice = llvm::function_ref<ExitCode(mlir::ModuleOp, Remark &)>;
  ExitCode chooseByCompiling(const CompileOptions &options, Choice choose) const;
  ExitCode chooseCopyCount(CompileOptions &options) const;
  ExitCode chooseRecompute(CompileOptions &options) const;
  /// Returns the folder of `--dump-ir`, if given.
  std::optional<DumpPhases> dump() const;

  ModelFlags model;
  ParallelFlags parallel;
  ClusterFlag cluster;
  llvm::cl::opt<std::string> loss, optimizer, target;
  llvm::cl::opt<bool> roundsToTf32;
  llvm::cl::list<std::string> dumpIr;
  llvm::cl::opt<bool> remarks, freezeBatchNorm, hidesReductions;
  llvm::cl::opt<int64_t> matmulChunks;
  OldName productChunks;
  llvm::cl::opt<int64_t> stageMemory;
};

/// Sets `gpuChip` to the chip that `--target=cuda:CHIP` names; it stays empty for `host`. Returns
/// BadUsage after an error message for other targets.
ExitCode parseTarget(llvm::StringRef target, std::string &gpuChip);

/// Returns the options for one device to compute what `options` distribute: the same actions on one
/// rank. Ignores the model's sharding annotations, unless the model itself was written for many
/// ranks.
CompileOptions singleRankOptions(CompileOptions options);

} // namespace pcc::cli
