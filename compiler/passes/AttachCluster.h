// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches the machine to a module (passes/analysis/ClusterAnalysis.h), as a pass:
// `--attach-cluster=cluster=2x8xH100`.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace pcc {

/// Returns a pass that sets the attribute `pcc.cluster` to `cluster`: a short form such as
/// `2x8xH100`, or a `Cluster` message (runtime/abi/cluster.proto) in text format. The pass fails
/// with an error if the text is invalid.
std::unique_ptr<mlir::Pass> createAttachClusterPass(const std::string &cluster);

/// Registers the pass with pcc-opt as `--attach-cluster`.
void registerAttachClusterPass();

} // namespace pcc
