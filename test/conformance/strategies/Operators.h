// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translations of the operators of a question.
#pragma once

#include "test/conformance/strategies/ModelWriter.h"

namespace pcc::conformance {

/// One node with the values of its operands.
struct Operation {
  const Node &node;
  std::vector<Value> operands;
  std::optional<Tuples> strategy, outStrategy;
  ModelWriter &writer;
  NodeSites &sites; ///< to be filled
  std::string op;   ///< mnemonic of the operator in pcc

  /// Returns the attribute `axis`, counted from the left in `rank` dimensions; the last dimension
  /// if absent.
  int64_t axis(int64_t rank) const;
  /// Returns the boolean attribute; false if absent.
  bool isTrue(llvm::StringRef attribute) const;
  /// Records that operand `index` is read by operand `operand` of the op called `reader`.
  void readBy(unsigned index, const std::string &reader, unsigned operand);
};

/// Writes the operator and returns its results.
using WriteOperator = std::vector<Value> (*)(Operation &operation);

/// Writes any operator; returns false if the operator is not known.
bool writeOperator(Operation &operation, std::vector<Value> &results);

// Functions of the rows of the table of operators.
std::vector<Value> writeUnary(Operation &operation);
std::vector<Value> writeElementwise(Operation &operation);
std::vector<Value> writeFloorDivide(Operation &operation);
std::vector<Value> writeBiasAdd(Operation &operation);
std::vector<Value> writeMatmul(Operation &operation);
std::vector<Value> writeReduce(Operation &operation);
std::vector<Value> writeSoftmax(Operation &operation);
std::vector<Value> writeTranspose(Operation &operation);
std::vector<Value> writeReshape(Operation &operation);
std::vector<Value> writeCast(Operation &operation);
std::vector<Value> writeConcat(Operation &operation);
std::vector<Value> writeSplit(Operation &operation);
std::vector<Value> writeGather(Operation &operation);
std::vector<Value> writeOneHot(Operation &operation);
std::vector<Value> writeStridedSlice(Operation &operation);
std::vector<Value> writeLayerNorm(Operation &operation);
std::vector<Value> writeCrossEntropy(Operation &operation);
std::vector<Value> writeBatchNorm(Operation &operation);
std::vector<Value> writeConvolution(Operation &operation);
std::vector<Value> writeMaxPool(Operation &operation);

} // namespace pcc::conformance
