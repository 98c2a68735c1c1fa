// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc import: imports a model as IR of phase graph, or with --check lists its unsupported nodes.

#include "tools/pcc/flags/Session.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class ImportSubcommand : public Subcommand {
public:
  ImportSubcommand()
      : Subcommand("import", "imports a model as graph IR"), model(command), format(command),
        output("o", cl::desc("output file: .mlir or .mlirbc (default: stdout)"),
               cl::value_desc("file"), cl::sub(command)),
        check("check", cl::desc("only list the unsupported nodes"), cl::sub(command)) {}

  ExitCode run() override {
    Session session;
    ExitCode code;
    std::vector<pcc::import::UnsupportedNode> unsupported;
    mlir::OwningOpRef<mlir::ModuleOp> module = model.load(session.context, code, &unsupported);
    if (check && code != BadUsage)
      return report(unsupported, code);
    return module ? writeModel(*module, output) : code;
  }

private:
  /// Prints one line for each node that cannot be imported; the diagnostics were printed already.
  ExitCode report(llvm::ArrayRef<pcc::import::UnsupportedNode> nodes, ExitCode code) {
    if (format.isJson()) {
      llvm::json::Array rows;
      for (const auto &node : nodes)
        rows.push_back(llvm::json::Object{{"index", node.index},
                                          {"name", node.name},
                                          {"op", node.op},
                                          {"opset", node.opset},
                                          {"reason", node.reason}});
      printJson(llvm::json::Object{{"unsupported", std::move(rows)}});
      return code;
    }
    for (const auto &node : nodes)
      llvm::outs() << llvm::formatv("node {0} '{1}': {2}\n", node.index, node.name, node.reason);
    llvm::outs() << llvm::formatv("{0}: {1} unsupported nodes\n", model.path(), nodes.size());
    return code;
  }

  ModelFlags model;
  FormatFlag format;
  cl::opt<std::string> output;
  cl::opt<bool> check;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeImportSubcommand() {
  return std::make_unique<ImportSubcommand>();
}
