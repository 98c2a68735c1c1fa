// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fingerprint of a strategy checkpoint: the model, the ranks, and the options that change most ops.
// Effects of other options, such as frozen parameters, are found entry by entry. LoadStrategy.cpp
// compares the fingerprint of a file with that of the compilation. A
// difference is an error, or a remark if the strategy may be reused in part.
#include "compiler/StrategyCheckpoint.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/analysis/names/OpNames.h"
#include "runtime/abi/files/Executable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;

/// Returns names, kinds and types of all ops. Leaves out attributes, such as constants and
/// shardings, and which op defines an operand: a model that differs in these alone is the same.
static std::string describeModel(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk([&](Operation *op) {
    os << op->getName() << " " << analysis::getName(op);
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      os << " @" << symbol.getName();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      os << " " << function.getFunctionType();
    if (auto parameter = dyn_cast<graph::ParameterOp>(op))
      os << " " << parameter.getTensorType();
    for (Value operand : op->getOperands())
      os << " (" << operand.getType() << ")";
    for (Type type : op->getResultTypes())
      os << " " << type;
    os << "\n";
  });
  return text;
}

/// Returns the kind of a loss `mse:names` or of an optimizer `sgd,lr=0.1`.
static StringRef getKind(StringRef option) {
  return option.take_until([](char c) { return c == ':' || c == ','; });
}

static std::string describeOptions(const CompileOptions &options) {
  const abi::ParallelConfig &config = options.parallel;
  std::string datasetStrategy = config.dataset_strategy();
  llvm::erase_if(datasetStrategy, llvm::isSpace);
  std::string text = llvm::formatv(
      "loss={0} optimizer={1} micro_batches={2} interleave_num={3} full_batch={4} "
      "dataset_strategy={5} parallel_optimizer_level={6}",
      getKind(options.training.loss), getKind(options.training.optimizer), config.micro_batches(),
      config.interleave_num(), config.full_batch(), datasetStrategy,
      config.enable_parallel_optimizer() ? config.parallel_optimizer_level() : 0);
  if (!options.precision.empty() && options.precision != "f32")
    text += " precision=" + options.precision;
  return text;
}

abi::StrategyFingerprint pcc::makeFingerprint(ModuleOp module, const CompileOptions &options) {
  abi::StrategyFingerprint fingerprint;
  fingerprint.set_model(llvm::formatv("{0:x-16}", abi::fingerprintOf(describeModel(module))));
  fingerprint.set_device_num(options.parallel.device_num());
  if (module->hasAttr(dist::meshAttrName))
    fingerprint.set_mesh(dist::getMesh(module).str());
  fingerprint.set_options(describeOptions(options));
  return fingerprint;
}
