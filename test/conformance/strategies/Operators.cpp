// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Operators.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::conformance {

int64_t Operation::axis(int64_t rank) const {
  int64_t value = -1;
  if (std::optional<Shape> list = node.list("axis"); list && !list->empty())
    value = list->front();
  else if (node.attributes)
    value = node.attributes->getInteger("axis").value_or(value);
  return value < 0 ? value + rank : value;
}

bool Operation::isTrue(llvm::StringRef attribute) const {
  return node.attributes && node.attributes->getBoolean(attribute).value_or(false);
}

void Operation::readBy(unsigned index, const std::string &reader, unsigned operand) {
  sites.operands.resize(std::max<size_t>(sites.operands.size(), index + 1));
  sites.operands[index] = {reader, operand};
}

namespace {

struct Row {
  llvm::StringLiteral name; ///< name in MindSpore
  llvm::StringLiteral op;   ///< mnemonic in pcc, or the kind of reduction
  WriteOperator write;
};

constexpr Row rows[] = {
    {"ReLU", "relu", writeUnary},
    {"Tanh", "tanh", writeUnary},
    {"GeLU", "gelu", writeUnary},
    {"Sigmoid", "sigmoid", writeUnary},
    {"Exp", "exp", writeUnary},
    {"Log", "log", writeUnary},
    {"Sqrt", "sqrt", writeUnary},
    {"Rsqrt", "rsqrt", writeUnary},
    {"Neg", "neg", writeUnary},
    {"Abs", "abs", writeUnary},
    {"Square", "square", writeUnary},
    {"Floor", "floor", writeUnary},
    {"Add", "add", writeElementwise},
    {"Sub", "sub", writeElementwise},
    {"Mul", "mul", writeElementwise},
    {"Div", "div", writeElementwise},
    {"RealDiv", "div", writeElementwise},
    {"FloorDiv", "div", writeFloorDivide},
    {"Pow", "pow", writeElementwise},
    {"Maximum", "max", writeElementwise},
    {"Minimum", "min", writeElementwise},
    {"BiasAdd", "add", writeBiasAdd},
    {"MatMul", "matmul", writeMatmul},
    {"BatchMatMul", "matmul", writeMatmul},
    {"ReduceSum", "sum", writeReduce},
    {"ReduceMean", "mean", writeReduce},
    {"ReduceMax", "max", writeReduce},
    {"ReduceMin", "min", writeReduce},
    {"ReduceProd", "prod", writeReduce},
    {"Softmax", "softmax", writeSoftmax},
    {"Transpose", "transpose", writeTranspose},
    {"Reshape", "reshape", writeReshape},
    {"Cast", "cast", writeCast},
    {"Concat", "concat", writeConcat},
    {"Split", "split", writeSplit},
    {"Gather", "gather", writeGather},
    {"OneHot", "one_hot", writeOneHot},
    {"StridedSlice", "slice", writeStridedSlice},
    {"LayerNorm", "", writeLayerNorm},
    {"BatchNorm", "batch_norm", writeBatchNorm},
    {"SoftmaxCrossEntropyWithLogits", "", writeCrossEntropy},
    {"Conv2D", "conv2d", writeConvolution},
    {"MaxPool", "max_pool", writeMaxPool},
};

} // namespace

bool writeOperator(Operation &operation, std::vector<Value> &results) {
  const Row *row = llvm::find_if(rows, [&](const Row &r) { return r.name == operation.node.op; });
  if (row == std::end(rows))
    return false;
  operation.op = row->op.str();
  results = row->write(operation);
  return true;
}

} // namespace pcc::conformance
