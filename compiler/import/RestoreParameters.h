// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores the parameters of a module in the graph that torch's optimizing exporter made of it. The
// exporter keeps the results of the model but not its parameters. Its metadata tell which parameter
// each node reads, so that these changes can be undone:
//
//   merged      equal tensors became one initializer: each reader gets its own tensor back
//   transposed  the weight of a linear layer is stored transposed: a Transpose is added
//   expanded    a parameter is stored once for each row of the batch: an Expand is added
//   reshaped    the channels of a group norm are stored as [16, 1, 1]: a Reshape is added
//   removed     an input of zeros was removed from a Conv, ConvTranspose or Gemm: it is added again
//
// Other rewrites, such as batch norms folded into weights, cannot be undone. They stay in the
// graph, and findAlteredParameters reports them.
#pragma once

#include "compiler/import/ExportedModule.h"
#include "compiler/import/files/TensorData.h"
#include <string>

namespace pcc::import {

struct Restored {
  int64_t nodes = 0; ///< number of nodes added, which are the first nodes of the graph
  /// Parameters about which nodes and metadata contradict each other: "'w' is read as 'a' and 'b'".
  std::vector<std::string> contradictions;
};

/// Restores the parameters in `model`, whose external data lie in `folder`. Does nothing if the
/// file does not list its parameters. A tensor that cannot be read is left as it is; the importer
/// reports it.
Restored restoreParameters(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                           mlir::MLIRContext &context);

} // namespace pcc::import
