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

enum class ModelUse { Required, Optional };

/// Flags MODEL, `--set-dim`, `--set-input`, `--weights`, `--constraints`, `--device-config`.
class ModelFlags {
public:
  /// `use`: whether a command line without MODEL is an error.
  explicit ModelFlags(llvm::cl::SubCommand &command, ModelUse use = ModelUse::Required);

  const std::string &path() const { return model; }

  /// Returns the name of a flag that was given besides MODEL; empty if there is none.
  llvm::StringRef givenFlag() const;

  /// The name of a configuration for several devices; empty if none was given.
  llvm::StringRef getConfiguration() const { return deviceConfiguration; }

  /// Imports the model. Returns null after a diagnostic, with `code` set: BadUsage for a bad flag,
  /// else BadInput. `unsupported`: as in importModel. `recordsNodes`: as in ImportOptions.
  mlir::OwningOpRef<mlir::ModuleOp>
  load(mlir::MLIRContext &context, ExitCode &code,
       std::vector<import::UnsupportedNode> *unsupported = nullptr,
       bool recordsNodes = false) const;

  /// Reads the flags that say how the model is imported.
  ExitCode read(import::ImportOptions &options, mlir::MLIRContext &context) const;

private:
  llvm::cl::opt<std::string> model, weights, constraints, deviceConfiguration;
  OldName pins;
  llvm::cl::list<std::string> dims, inputs;
};

/// Writes `module` to `path`: bytecode if the path ends in `.mlirbc`, else text. On stdout, large
/// values are elided.
ExitCode writeModule(mlir::ModuleOp module, llvm::StringRef path);

/// Writes a model like writeModule; a file keeps the names of its ops, to which constraints refer.
ExitCode writeModel(mlir::ModuleOp module, llvm::StringRef path);

} // namespace pcc::cli
