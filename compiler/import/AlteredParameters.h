// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the parameters of a module that its exporter changed. The file computes the same results as
// the module, but training the file would not train the same module:
//
//   merged    equal initializers became one: all zero biases, all unit scales
//   removed   a zero bias, or a scale of one, whose op the optimizer removed
//   folded    an op made a constant of the parameter: an expand over the batch, an exponential
//   split     one parameter is stored twice, e.g. for an embedding and transposed for a matmul
//
// A parameter that was only transposed or reshaped, and is stored once, is trained unchanged.
#pragma once

#include "compiler/import/ExportedModule.h"
#include <string>

namespace pcc::import {

/// Returns a description of each altered parameter: "'b.bias' is merged into 'a.bias'". Returns
/// nothing for a file that does not list its parameters. Does not report a parameter that nothing
/// reads.
std::vector<std::string> findAlteredParameters(const onnx::GraphProto &graph, int64_t opset,
                                               const ExportedModule &exported);

} // namespace pcc::import
