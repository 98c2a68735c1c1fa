// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates parameters that files hold as parts of one tensor.
//
//   graph.parameter @"attn.weight[k]" : tensor<64x256xf32> init(<normal, 0.0, 0.02>)
//     {graph.piece = {whole = "attn.weight", shape = array<i64: 192, 256>,
//                     period = 49152 : i64, offset = 16384 : i64}}
//
// The piece holds one run of every `period` elements of the whole tensor, row-major, from `offset`
// on: here 16384 elements, rows 64 to 127. The sizes of both tensors give the length of a run. The
// initial values of the piece are those of the whole at these places, with any initializer.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// Name of the attribute on a `graph.parameter` that is a piece.
inline constexpr llvm::StringLiteral pieceAttrName = "graph.piece";

struct Piece {
  llvm::StringRef whole;                   ///< name of the tensor in files
  llvm::SmallVector<int64_t> shape;        ///< of the whole
  int64_t period = 1, offset = 0, run = 1; ///< in elements
};

/// Returns the name of the piece `label` of `whole`. getWholeName returns the whole of a piece
/// called `name`, or an empty name if no piece has that name.
std::string makePieceName(llvm::StringRef whole, llvm::StringRef label);
llvm::StringRef getWholeName(llvm::StringRef name);

/// Returns the piece that `parameter` is; nothing if it is a tensor of its own.
std::optional<Piece> getPiece(ParameterOp parameter);

/// Annotates `parameter`; `piece.run` follows from the types.
void setPiece(ParameterOp parameter, const Piece &piece);

/// Diagnoses an annotation that is not of the form above or does not lie in its whole.
mlir::LogicalResult verifyPiece(ParameterOp parameter);

/// Extracts the piece's bytes from those of the whole.
std::vector<char> cutPiece(const Piece &piece, llvm::ArrayRef<char> whole);

} // namespace pcc::graph
