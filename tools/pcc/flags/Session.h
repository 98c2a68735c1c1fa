// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serves every subcommand that uses a model: an MLIR context that knows all dialects and prints
// diagnostics to stderr, and the flags that select the model.
#pragma once

#include "compiler/import/Import.h"
#include "compiler/import/files/Locations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/abi/compile.pb.h"
#include "tools/pcc/flags/MessageFlags.h"
#include "tools/pcc/flags/OldName.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/CommandLine.h"

namespace pcc::cli {

/// A context for one call of pcc. While it exists, diagnostics go to stderr in the form of
/// docs/spec/cli.md.
class Session {
public:
  Session();

  mlir::MLIRContext context;

private:
  import::DiagnosticPrinter printer;
};

/// MODEL and the flags `--set-dim`, `--set-input`, `--weights`, `--constraints`, `--device-config`.
class ModelFlags {
public:
  /// `file` may be null.
  explicit ModelFlags(llvm::cl::SubCommand &command, const OptionsFile *file = nullptr);

  /// Returns the argument MODEL; empty if it was not given.
  llvm::StringRef getArgument() const { return argument; }

  /// Reads the options, with MODEL from the file if `isNamedByFile`. Returns BadUsage or BadInput
  /// after an error message. All other functions need it.
  ExitCode readConfig(bool isNamedByFile = false);

  const abi::ModelConfig &getConfig() const { return config; }
  const std::string &path() const { return config.model(); }

  /// The options, to tell which of them are given.
  const MessageFlags &getFlags() const { return flags; }

  /// Imports the model. Returns null after a diagnostic, with `code` set: BadUsage for a bad flag,
  /// else BadInput. `unsupported`: as in importModel. `recordsNodes`: as in ImportOptions.
  mlir::OwningOpRef<mlir::ModuleOp>
  load(mlir::MLIRContext &context, ExitCode &code,
       std::vector<import::UnsupportedNode> *unsupported = nullptr,
       bool recordsNodes = false) const;

  /// Reads the flags that say how the model is imported.
  ExitCode read(import::ImportOptions &options, mlir::MLIRContext &context) const;

private:
  llvm::cl::opt<std::string> argument;
  MessageFlags flags;
  OldName pins;
  abi::ModelConfig config;
};

} // namespace pcc::cli
