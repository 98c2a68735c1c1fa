// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of every subcommand that compiles a model: the model, the training step, the parallel
// options, and what to print on the way. A file of options may set them, and flags override it.
#pragma once

#include "compiler/Compile.h"
#include "compiler/DumpPhases.h"
#include "runtime/abi/config.pb.h"
#include "runtime/abi/plan.pb.h"
#include "runtime/abi/program.pb.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/flags/MessageFlags.h"
#include "tools/pcc/flags/OldName.h"
#include "tools/pcc/flags/Session.h"
#include <array>
#include <optional>

namespace pcc::cli {

/// Whether a command line without a model is an error.
enum class ModelUse { Required, Optional };

class CompileFlags {
public:
  explicit CompileFlags(llvm::cl::SubCommand &command, ModelUse use = ModelUse::Required);

  /// Reads the file of options, if one is given, and the options of the model and the training
  /// step. Returns BadUsage or BadInput after an error message. All other functions need it.
  ExitCode readConfig();

  /// The file of options, which is empty if none is given.
  const OptionsFile &getFile() const { return file; }

  const ModelFlags &getModel() const { return model; }

  /// Reads the options of the compilation pipeline. Returns BadUsage or BadInput after an error
  /// message.
  ExitCode read(CompileOptions &options) const;

  /// Fills `config` from the file, the flags and the defaults (all but global_rank, which has
  /// none), and checks every range. Returns BadUsage for a bad flag and BadInput for a bad file,
  /// after an error that names the flag or the place in the file.
  ExitCode readParallel(abi::ParallelConfig &config) const;

  /// Lets a program that is split use all devices of the machine, unless an option says over how
  /// many it is split. Subcommands that set the parallel mode call it after that.
  void useWholeCluster(CompileOptions &options) const;

  /// A way to compile a module; reports errors as diagnostics.
  using Compilation =
      llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp module, const CompileOptions &options)>;
  /// Imports the model, makes the choices that `options` leave open, and compiles by `run`. Returns
  /// null after a diagnostic, with `code` set: BadUsage for contradictory options, Infeasible if
  /// there is no plan, else BadInput. `shows`: whether to write the files of `--dump-ir` and print
  /// remarks with `--remarks`.
  mlir::OwningOpRef<mlir::ModuleOp> compileBy(Compilation run, Session &session,
                                              CompileOptions &options, ExitCode &code,
                                              bool shows = true) const;

  /// Compiles the model up to phase `last`. `tables`, if given, receives the results of the search
  /// in phase strategy.
  mlir::OwningOpRef<mlir::ModuleOp> compile(Session &session, CompileOptions &options,
                                            CompilePhase last, ExitCode &code,
                                            SearchTables *tables = nullptr) const;

  /// Compiles the model to the program of its ranks.
  ExitCode build(CompileOptions &options, abi::Executable &program, bool shows = true) const;

  /// Compiles the model to the instructions of its program, without code for its kernels. Sets
  /// `options.isForCluster`.
  ExitCode buildInstructions(CompileOptions &options, abi::Executable &program) const;

  /// Returns whether the model is a program, which is compiled already.
  bool isProgram() const { return llvm::StringRef(model.path()).ends_with(".pcx"); }
  /// Reads that program. Rejects flags that only affect compilation, and `--device-num` with
  /// another number. Accepts the flags `usedFlags`, which the subcommand uses.
  ExitCode readProgram(abi::Executable &program,
                       llvm::ArrayRef<llvm::StringRef> usedFlags = {}) const;

  const ClusterFlag &getCluster() const { return cluster; }
  const MessageFlags &getParallel() const { return parallel; }
  /// Returns whether a field of ParallelConfig is set.
  bool has(llvm::StringRef field) const { return parallel.has(field); }

  /// The options of the training step, without their checks.
  const abi::CompileConfig &getConfig() const { return config; }

  /// Returns whether the parallel options come from the file of a plan.
  bool obeysPlan() const { return !config.plan().empty(); }

  /// Returns whether the model's file is to be written with the plan.
  bool savesOnnx() const { return !savedOnnx.empty(); }

  /// Returns the name of an option that was given besides the model, in dashes, without the fields
  /// `except`; empty if there is none.
  llvm::StringRef findGiven(llvm::ArrayRef<llvm::StringRef> except) const;

  /// Prints an error about the option that findGiven() returned, as MessageFlags::refuse().
  ExitCode refuse(llvm::StringRef name, const llvm::Twine &message) const;

private:
  /// The tables of options, for functions about a given one.
  std::array<const MessageFlags *, 4> listTables() const {
    return {&flags, &model.getFlags(), &parallel, &cluster.getFlags()};
  }
  /// Writes the model's file with the plan of `module`, a program after phase strategy.
  mlir::LogicalResult saveOnnx(mlir::ModuleOp module, const CompileOptions &options) const;
  /// Reads the file of `--plan` if the flag is given; with it, no other parallel option may be.
  ExitCode readPlan(abi::Plan &plan) const;
  /// Checks that the rank whose program is printed exists.
  ExitCode checkGlobalRank(const abi::ParallelConfig &config) const;
  /// Reads in which types ops compute.
  ExitCode readPrecision(CompileOptions &options) const;
  /// Reads the training step, or the loss of an evaluation.
  ExitCode readStep(CompileOptions &options) const;
  /// Reads which communication is overlapped, and which collectives are fused.
  ExitCode readOverlap(CompileOptions &options) const;
  ExitCode readTarget(CompileOptions &options) const;
  /// Compiles a module by options without open choices.
  ExitCode compileResolved(Compilation run, mlir::ModuleOp module, const CompileOptions &options,
                           bool shows) const;
  using ProgramCompilation = mlir::FailureOr<abi::Executable> (*)(mlir::ModuleOp, CompileOptions);
  ExitCode buildBy(ProgramCompilation compile, CompileOptions &options, abi::Executable &program,
                   bool shows) const;
  /// Returns the folder of `--dump-ir`, if given.
  std::optional<DumpPhases> dump() const;

  llvm::cl::opt<std::string> path;
  OptionsFile file;
  ModelFlags model;
  MessageFlags parallel, flags;
  OldName productChunks;
  ClusterFlag cluster;
  abi::CompileConfig config;
  ModelUse use;
  llvm::cl::list<std::string> dumpIr;
  llvm::cl::opt<bool> remarks;
  llvm::cl::opt<std::string> savedOnnx;
};

/// Sets `gpuChip` to the chip that `--target=cuda:CHIP` names; it stays empty for `host`. Returns
/// BadUsage after an error message for other targets.
ExitCode parseTarget(llvm::StringRef target, std::string &gpuChip);

} // namespace pcc::cli
