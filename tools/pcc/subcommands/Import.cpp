// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc import: imports a model as IR of phase graph, or with --check lists its unsupported nodes and
// counts its composites. With --list-operators lists the ONNX operators that pcc imports.

#include "compiler/Compile.h"
#include "compiler/import/operators/Operators.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/graph/raise/MissedAttention.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/report/WriteModule.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

std::string describeInputs(const import::Operator &row) {
  if (row.maxInputs >= import::anyNumberOptional)
    return llvm::formatv("{0} or more", row.minInputs);
  if (row.minInputs == row.maxInputs)
    return std::to_string(row.minInputs);
  return llvm::formatv("{0} to {1}", row.minInputs, row.maxInputs);
}

/// Returns the positions, from 1, of the inputs that a gradient reaches.
std::string describeGradients(const import::Operator &row) {
  uint32_t inputs =
      row.maxInputs < 32 ? row.gradients & ((1u << row.maxInputs) - 1) : row.gradients;
  if (inputs == import::NoGradient)
    return "none";
  if (row.gradients == import::AllInputs)
    return "all";
  llvm::SmallVector<std::string> positions;
  for (unsigned i = 0; i < 32; ++i)
    if (inputs >> i & 1)
      positions.push_back(std::to_string(i + 1));
  return llvm::join(positions, ", ");
}

std::string describeTypes(import::NarrowInputs narrow) {
  switch (narrow) {
  case import::NarrowInputs::Refused:
    return "";
  case import::NarrowInputs::Read:
    return "yes";
  case import::NarrowInputs::Moved:
    return "moved";
  }
  return "";
}

/// Prints a Markdown table of the ONNX operators that pcc imports, sorted by name: the opsets in
/// which their meaning changed, their numbers of inputs, and the inputs that receive gradients.
void printOperators() {
  std::map<llvm::StringRef, std::map<int64_t, const import::Operator *>> operators;
  for (llvm::ArrayRef<import::Operator> family : import::operatorFamilies())
    for (const import::Operator &row : family)
      operators[row.name][row.since] = &row;
  llvm::outs() << "| operator | from opset | inputs | gradients of inputs | narrow types |\n"
                  "| --- | --- | --- | --- | --- |\n";
  for (const auto &[name, rows] : operators)
    for (const auto &[since, row] : rows)
      llvm::outs() << llvm::formatv("| {0} | {1} | {2} | {3} | {4} |\n", name, since,
                                    describeInputs(*row), describeGradients(*row),
                                    describeTypes(row->narrow));
}

/// Composites that passes raise from core ops, in the order of reports.
constexpr llvm::StringLiteral kinds[] = {
    "attention", "rotary_embedding", "layer_norm",           "rms_norm", "gelu",
    "silu",      "log_softmax",      "softmax_cross_entropy"};

/// A softmax between two matmuls that is no attention.
struct UnraisedSoftmax {
  std::string name, place, reason; ///< name of the op; file and line, empty if unknown
};

struct Composites {
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> counts; ///< by mnemonic, none is 0
  std::vector<UnraisedSoftmax> unraised;
};

/// Counts the composites that phase graph recognizes in a model, on a copy of `module`. Fails after
/// a diagnostic if the phase does.
llvm::FailureOr<Composites> findComposites(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  mlir::PassManager passes(module.getContext());
  addPhase(passes, CompilePhase::Graph, CompileOptions());
  if (failed(passes.run(*copy)))
    return llvm::failure();
  llvm::StringMap<int64_t> numbers;
  copy->walk([&](mlir::Operation *op) {
    if (llvm::isa_and_present<graph::GraphDialect>(op->getDialect()))
      ++numbers[op->getName().stripDialect()];
  });
  Composites composites;
  for (llvm::StringRef kind : kinds)
    if (int64_t number = numbers.lookup(kind))
      composites.counts.push_back({kind, number});
  for (graph::MissedAttention &missed : graph::findMissedAttentions(*copy))
    composites.unraised.push_back({analysis::getName(missed.softmax).str(),
                                   analysis::findSourceLocation(missed.softmax.getLoc()),
                                   std::move(missed.reason)});
  return composites;
}

class ImportSubcommand : public Subcommand {
public:
  ImportSubcommand()
      : Subcommand("import", "imports a model as graph IR"), model(command), format(command),
        output("o", cl::desc("output file: .mlir or .mlirbc (default: stdout)"),
               cl::value_desc("file"), cl::sub(command)),
        check("check", cl::desc("only list the unsupported nodes, and count the composites"),
              cl::sub(command)),
        listOperators("list-operators", cl::desc("list the ONNX operators that pcc imports"),
                      cl::sub(command)) {}

  ExitCode run() override {
    if (listOperators) {
      printOperators();
      return Success;
    }
    if (ExitCode code = model.readConfig())
      return code;
    if (model.path().empty())
      return fail(BadUsage, "expected MODEL or --list-operators");
    Session session;
    ExitCode code;
    std::vector<import::UnsupportedNode> unsupported;
    mlir::OwningOpRef<mlir::ModuleOp> module = model.load(session.context, code, &unsupported);
    if (check && code != BadUsage) {
      llvm::FailureOr<Composites> composites = Composites();
      if (module && failed(composites = findComposites(*module)))
        return BadInput;
      return report(unsupported, *composites, code);
    }
    return module ? writeModel(*module, output) : code;
  }

private:
  void reportJson(llvm::ArrayRef<import::UnsupportedNode> nodes, const Composites &composites) {
    llvm::json::Array rows, unraised;
    for (const auto &node : nodes)
      rows.push_back(llvm::json::Object{{"index", node.index},
                                        {"name", node.name},
                                        {"op", node.op},
                                        {"opset", node.opset},
                                        {"reason", node.reason}});
    llvm::json::Object counts;
    for (auto [kind, count] : composites.counts)
      counts[kind] = count;
    for (const auto &[name, place, reason] : composites.unraised)
      unraised.push_back(
          llvm::json::Object{{"name", name}, {"location", place}, {"reason", reason}});
    printJson(llvm::json::Object{{"unsupported", std::move(rows)},
                                 {"composites", std::move(counts)},
                                 {"unraised_softmax", std::move(unraised)}});
  }

  /// Prints the composites, and one line for each node that cannot be imported; the diagnostics
  /// were printed already.
  ExitCode report(llvm::ArrayRef<import::UnsupportedNode> nodes, const Composites &composites,
                  ExitCode code) {
    if (format.isJson()) {
      reportJson(nodes, composites);
      return code;
    }
    for (auto [kind, count] : composites.counts)
      llvm::outs() << llvm::formatv("composite {0}: {1}\n", kind, count);
    for (const auto &[name, place, reason] : composites.unraised)
      llvm::outs() << llvm::formatv("softmax '{0}'{1} stays outside an attention: {2}\n", name,
                                    place.empty() ? "" : " (" + place + ")", reason);
    for (const auto &node : nodes)
      llvm::outs() << llvm::formatv("node {0} '{1}': {2}\n", node.index, node.name, node.reason);
    if (code == Success || !nodes.empty()) // else the file is at fault, as an error has said
      llvm::outs() << llvm::formatv("{0}: {1} unsupported nodes\n", model.path(), nodes.size());
    return code;
  }

  ModelFlags model;
  FormatFlag format;
  cl::opt<std::string> output;
  cl::opt<bool> check, listOperators;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeImportSubcommand() {
  return std::make_unique<ImportSubcommand>();
}
