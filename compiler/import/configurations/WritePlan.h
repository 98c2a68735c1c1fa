// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the model's file with a plan: the shardings of a program as sharding specs of the nodes
// (ONNX IR 11), and its pipeline stages.
//
// A node has specs for its inputs and outputs that are operands and results of the program's
// forward ops (passes/analysis/names/FileTensorUses.h). Nodes have no backward ops and no partial
// sums: a result that the ranks still have to add up is written as the sharding after the addition.
// A tensor that several ops of its node take in different shardings has no spec.
//
// Everything else in the file stays as it is. Weights in other files stay there.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "passes/solve/order/Pipeline.h"
#include <string>

namespace pcc::import {

struct PlanFile {
  std::string model;         ///< file that the module was imported from
  std::string output;        ///< file to write; may be the same
  std::string configuration; ///< name of the configuration; empty: the file's only one, or `pcc`
};

/// Returns the content of the output file for the plan of `module`, a program after phase strategy
/// whose nodes were recorded at import. `pipeline` gives the number of stages. Emits an error and
/// fails if the model cannot be read, or if the output would not find its weights.
mlir::FailureOr<std::string> encodePlan(mlir::ModuleOp module, const PlanFile &file,
                                        const order::PipelineShape &pipeline);

} // namespace pcc::import
