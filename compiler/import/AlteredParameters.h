// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the parameters of a module that its exporter changed. The file computes the same results as
// the module, but training the file would not train the same module:
//
//   merged    equal initializers became one: all zero biases, all unit scales
//   removed   a zero bias, or a scale of one, whose op the optimizer removed
//   folded    an op made a constant of the parameter: an expand over the batch, an exponential
//   split     one parameter is stored twice, e.g. for an embedding and transposed for a matmul
//   missing   a parameter has no initializer, and the metadata that tell why are not in the file
//
// A parameter may also be merged with running statistics, or with another value that a node reads.
// A parameter that was only transposed or reshaped, and is stored once, is trained unchanged.
#pragma once

#include "compiler/import/ExportedModule.h"
#include <string>

namespace pcc::import {

/// Returns a description of each altered parameter: "'b.bias' is merged into 'a.bias'". The list is
/// empty for a file that does not list its parameters. A parameter that no node reads is reported
/// only if metadata are missing, or if the optimizer removed an op that could have read it. `opset`
/// selects the meaning of the file's operators. The pass CheckParameters refuses to train a module
/// with altered parameters.
std::vector<std::string> findAlteredParameters(const onnx::GraphProto &graph, int64_t opset,
                                               const ExportedModule &exported);

} // namespace pcc::import
