// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the attribute of the nearest op around once. Checks the number of ranks anew at each
// query.
#include "passes/analysis/ClusterAnalysis.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;

/// Returns the attribute of the nearest op around `op`, or null.
static StringAttr findText(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto text = op->getAttrOfType<StringAttr>(clusterAttrName))
      return text;
  return {};
}

ClusterAnalysis::ClusterAnalysis(Operation *op) : op(op), text(findText(op)) {
  if (text)
    parsed = machine::parseCluster(text.str());
}

FailureOr<abi::Cluster> ClusterAnalysis::get(int64_t ranks) const {
  abi::Expected<abi::Cluster> cluster = text ? *parsed : machine::parseCluster("", ranks);
  abi::Status status = cluster ? machine::checkRanks(*cluster, ranks) : cluster.status();
  if (!status.ok())
    return op->emitError() << status.message();
  return *cluster;
}

bool ClusterAnalysis::isInvalidated(const AnalysisManager::PreservedAnalyses &) const {
  return findText(op) != text;
}
