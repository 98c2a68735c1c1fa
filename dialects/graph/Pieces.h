// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters that files hold as parts of one tensor.
//
//   graph.parameter @"attn.weight[k]" : tensor<64x256xf32> init(<normal, 0.0, 0.02>)
//     {graph.piece = {whole = "attn.weight", shape = array<i64: 192, 256>,
//                     period = 49152 : i64, offset = 16384 : i64}}
//
// Of every `period` elements of the whole, row-major, the piece has a run, from `offset` on: here
// one run of 16384, rows 64 to 127. A run is as long as the sizes of both tensors say. The piece's
// first values are those of the whole at these places, however it is initialised.
#pragma once

#include "dialects/graph/Graph.h"

namespace pcc::graph {

/// The attribute on a `graph.parameter` that is a piece.
inline constexpr llvm::StringLiteral pieceAttrName = "graph.piece";

struct Piece {
  llvm::StringRef whole;                   ///< name of the tensor in files
  llvm::SmallVector<int64_t> shape;        ///< of the whole
  int64_t period = 1, offset = 0, run = 1; ///< in elements
};

/// What the piece `label` of `whole` is called, and what the whole of a piece called `name` is;
/// empty if that is the name of no piece.
std::string makePieceName(llvm::StringRef whole, llvm::StringRef label);
llvm::StringRef getWholeName(llvm::StringRef name);

/// What `parameter` is a piece of; nothing if it is a tensor of its own.
std::optional<Piece> getPiece(ParameterOp parameter);

/// Marks `parameter`; `piece.run` follows from the types.
void setPiece(ParameterOp parameter, const Piece &piece);

/// Diagnoses a mark that is not of the form above or does not lie in its whole.
mlir::LogicalResult verifyPiece(ParameterOp parameter);

/// The piece's bytes out of those of the whole.
std::vector<char> cutPiece(const Piece &piece, llvm::ArrayRef<char> whole);

} // namespace pcc::graph
