// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text only to reject errors early, and stores the text itself as the attribute.
// ClusterAnalysis parses it again for the passes that estimate costs.
#include "compiler/passes/AttachCluster.h"

#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/ClusterAnalysis.h"

using namespace mlir;
using namespace pcc;

namespace {
struct AttachCluster : PassWrapper<AttachCluster, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AttachCluster)

  AttachCluster() = default;
  AttachCluster(const AttachCluster &other) : PassWrapper(other) { cluster = other.cluster; }
  explicit AttachCluster(const std::string &text) { cluster = text; }

  StringRef getName() const override { return "AttachCluster"; }
  StringRef getArgument() const override { return "attach-cluster"; }
  StringRef getDescription() const override {
    return "attach the machine for which later passes compile the module";
  }

  void runOnOperation() override {
    if (abi::Expected<abi::Cluster> parsed = machine::parseCluster(cluster); !parsed) {
      getOperation().emitError() << parsed.status().message();
      return signalPassFailure();
    }
    getOperation()->setDiscardableAttr(analysis::clusterAttrName,
                                       StringAttr::get(&getContext(), StringRef(cluster).trim()));
  }

  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("`2x8xH100`, or the message of docs/spec/machine.md as text")};
};
} // namespace

std::unique_ptr<Pass> pcc::createAttachClusterPass(const std::string &cluster) {
  return std::make_unique<AttachCluster>(cluster);
}

void pcc::registerAttachClusterPass() { PassRegistration<AttachCluster>(); }
