// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates parameters that files hold as parts of one tensor.
//
//   graph.parameter @"attn.weight[k]" : tensor<64x256xf32> init(<normal, 0.0, 0.02>)
//     {graph.part = {whole = "attn.weight", shape = array<i64: 192, 256>,
//                     period = 49152 : i64, offset = 16384 : i64}}
//
// The part holds one run of every `period` elements of the whole tensor, row-major, from `offset`
// on: here 16384 elements, rows 64 to 127. The sizes of both tensors give the length of a run. The
// initial values of the part are those of the whole at these places, with any initializer.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// Name of the attribute on a `graph.parameter` that is a part.
inline constexpr llvm::StringLiteral partAttrName = "graph.part";

struct ParameterPart {
  llvm::StringRef whole;                   ///< name of the tensor in files
  llvm::SmallVector<int64_t> shape;        ///< of the whole
  int64_t period = 1, offset = 0, run = 1; ///< in elements
};

/// Returns the name of the part `label` of `whole`. getWholeName returns the whole of a part
/// called `name`, or an empty name if no part has that name.
std::string makePartName(llvm::StringRef whole, llvm::StringRef label);
llvm::StringRef getWholeName(llvm::StringRef name);

/// Returns the part that `parameter` is; nothing if it is a tensor of its own.
std::optional<ParameterPart> getParameterPart(ParameterOp parameter);

/// Annotates `parameter`; `part.run` follows from the types.
void setParameterPart(ParameterOp parameter, const ParameterPart &part);

/// Diagnoses an annotation that is not of the form above or does not lie in its whole.
mlir::LogicalResult verifyParameterPart(ParameterOp parameter);

/// Extracts the part's bytes from those of the whole.
std::vector<char> cutParameterPart(const ParameterPart &part, llvm::ArrayRef<char> whole);

} // namespace pcc::graph
