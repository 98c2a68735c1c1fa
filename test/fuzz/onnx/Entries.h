// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operators that random graphs are made of: one entry an operator. Which types and
// attributes an operator has in an opset is ONNX's table (Schema.h); in which opsets pcc has it,
// the importer's.
#pragma once

#include "compiler/import/operators/Operators.h"
#include "test/fuzz/onnx/Maker.h"
#include <functional>

namespace pcc::fuzz {

struct Entry {
  llvm::StringLiteral name;
  /// Adds a node with random inputs and attributes; false where nothing fits.
  std::function<bool(Maker &)> draw;
  /// Later opsets have deprecated the operator.
  int64_t lastOpset = import::newestOpset;
};

/// The entries of each family, in its own file.
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

/// All entries.
const std::vector<Entry> &allEntries();

/// 2 to 12 nodes of the opset that `seed` draws. `error` receives the message of a node that the
/// importer or the interpreter refuses, which ends the graph.
Graph makeGraph(uint64_t seed, mlir::MLIRContext &context, std::string &error);

} // namespace pcc::fuzz
