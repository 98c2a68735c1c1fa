// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where torch's optimizer removed the addition of a zero or the multiplication by a one. The
// other operand may have been a parameter, which is then missing from the file.
#pragma once

#include "compiler/import/ExportedModule.h"

namespace pcc::import {

/// Returns the modules in which such ops were removed, each once. The parameter that an op read
/// belongs to its module, or to a part of it; the module "" is the whole model. Ops on integers do
/// not count.
std::vector<std::string> findLostArithmetic(const onnx::GraphProto &graph,
                                            const ExportedModule &exported);

} // namespace pcc::import
