// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the parameters of a module that its exporter changed. The file computes the same results as
// the module, but training it would train another module:
//
//   merged    equal initializers became one: all zero biases, all unit scales
//   removed   a zero bias, or a scale of one, whose op the optimizer took out
//   folded    a parameter became a constant by an op: an expand over the batch, an exponential
//   split     one parameter is stored twice, as it is for an embedding and transposed for a product
//
// A parameter that was only transposed or reshaped, and is stored once, is trained as it is.
#pragma once

#include "compiler/import/ExportedModule.h"
#include <string>

namespace pcc::import {

/// Describes each altered parameter: "'b.bias' is merged into 'a.bias'". The result is empty for a
/// file that does not list its parameters. A parameter that nothing reads is not reported.
std::vector<std::string> findAlteredParameters(const onnx::GraphProto &graph, int64_t opset,
                                               const ExportedModule &exported);

} // namespace pcc::import
