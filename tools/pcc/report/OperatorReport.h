// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the ONNX operators that pcc imports.
#pragma once

namespace pcc::cli {

/// Prints a Markdown table of the ONNX operators that pcc imports, sorted by name: the opsets in
/// which their meaning changed, their numbers of inputs, and the inputs that receive gradients.
void printOperators();

} // namespace pcc::cli
