// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operators in random graphs, one entry for each operator. ONNX's table (Schema.h)
// gives the types and attributes of an operator in an opset. The importer's table gives the opsets
// in which pcc supports the operator.
#pragma once

#include "compiler/import/operators/Operators.h"
#include "test/fuzz/onnx/Maker.h"
#include <functional>

namespace pcc::fuzz {

struct Entry {
  llvm::StringLiteral name;
  /// Adds a node with random inputs and attributes; returns false if nothing fits.
  std::function<bool(Maker &)> draw;
  /// The last opset before the operator was deprecated.
  int64_t lastOpset = import::newestOpset;
};

/// Entries of one family, in a file of its own.
std::vector<Entry> elementwiseEntries(); // DrawElementwise.cpp
std::vector<Entry> binaryEntries();      // DrawBinary.cpp
std::vector<Entry> constantEntries();    // DrawConstants.cpp
std::vector<Entry> shapeEntries();       // DrawShapes.cpp
std::vector<Entry> pieceEntries();       // DrawPieces.cpp
std::vector<Entry> indexEntries();       // DrawIndices.cpp
std::vector<Entry> orderEntries();       // DrawOrder.cpp
std::vector<Entry> reductionEntries();   // DrawReductions.cpp
std::vector<Entry> productEntries();     // DrawProducts.cpp
std::vector<Entry> windowEntries();      // DrawWindows.cpp
std::vector<Entry> normalEntries();      // DrawNormals.cpp
std::vector<Entry> attentionEntries();   // DrawAttention.cpp

/// Returns all entries.
const std::vector<Entry> &allEntries();

/// Makes a graph of 2 to 12 nodes of the opset that `seed` draws. The graph ends at a node that the
/// importer or the interpreter refuses; `error` receives the message.
Graph makeGraph(uint64_t seed, mlir::MLIRContext &context, std::string &error);

} // namespace pcc::fuzz
