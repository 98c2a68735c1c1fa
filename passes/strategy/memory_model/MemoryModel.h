// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model `memory` of MindSpore, for comparison with its searches. It counts, in the
// forward graph, the bytes of the local slices that an op touches and sends, and the bytes
// redistributed between ops. The costs of gradients are included (docs/spec/memory-model.md).
//
//   op                 computation                    forward             parameters
//   any                operands                                           each that is trained and
//                                                                         held by several devices
//   matmul             + result, if k is split        result              right operand only
//   reduce             + result (mean: twice)         result
//                      if a reduced dimension is split
//   convolution        as any, whatever is split
//   concat             first operand only                                 first operand only
//   gather             3 table + 7 indices            result
//                      if the table's axis is split
//
//   matmul 128x64 · 64x32, f32, on 8 devices by counts i=4, k=1, j=2, the right operand a parameter
//     computation 32·64·4 + 64·16·4 = 12,288; parameters 64·16·4 = 4,096, which 4 devices hold
#pragma once

#include "dialects/interfaces/FactorRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/strategy/memory_model/DeviceLayout.h"

namespace pcc::strategy {

/// Costs in bytes on one device.
struct MemoryCost {
  double computation = 0;
  double activations = 0; ///< sent for activations and, between ops, for their gradients
  double parameters = 0;  ///< sent for gradients of parameters

  MemoryCost &operator+=(const MemoryCost &other);
};

/// Weights that combine the costs to one number.
struct MemoryModel {
  double alpha = 1, beta = 400, gamma = 0.001;

  /// Returns alpha · computation + beta · (activations + gamma · parameters).
  double getTotal(const MemoryCost &cost) const;
};

/// A tensor as an op reads or produces it, before a broadcast repeats it along missing dimensions.
struct MemoryTensor {
  llvm::SmallVector<int64_t, 4> shape;
  TensorFactors dims; ///< empty for a dimension that is repeated
  int64_t elementBytes = 4;

  double countBytes(llvm::ArrayRef<int64_t> counts) const;
  /// Number of devices that hold different parts of the tensor.
  int64_t countParts(llvm::ArrayRef<int64_t> counts) const;
};

struct MemoryOperand {
  MemoryTensor tensor;
  bool isTrained = false; ///< whether it is a parameter with a gradient
};

/// Row of the table above that applies to an op.
enum class MemoryCostRule { Any, Matmul, Convolution, Concat, Mean, Gather };

struct MemoryOp {
  FactorRule rule;
  MemoryCostRule costRule = MemoryCostRule::Any;
  llvm::SmallVector<MemoryOperand, 3> operands;
  llvm::SmallVector<MemoryTensor, 1> results;
};

/// Returns the cost of an op whose factors are cut `counts` times, on `devices` devices.
MemoryCost costOfOp(const MemoryOp &op, llvm::ArrayRef<int64_t> counts, int64_t devices);

/// Returns the cost of redistributing a tensor between two ops.
MemoryCost costOfReshard(const ReshardVolume &volume);

/// Returns the cost of redistributing a tensor through a reshape whose input has the layout `from`.
MemoryCost costOfReshape(const ReshardVolume &volume, const DeviceLayout &from, int64_t devices);

//===-- MemoryGraph.cpp -----------------------------------------------------------------------===//

// The forward graph of a program for the cost model `memory`: ops and the values they read.
//
//   program                                    MemoryGraph
//   add of x and r = broadcast of b            add of x and b: b is read once
//   matmul of r = reshape of x, and w          matmul of x, reshaped on the way, and w
//   argument that is a parameter               an operand without a source, possibly trained
//   argument that is an input                  an operand with the layout in which it is fed
//   constant, scalar                           an operand without a source
//
// The forward graph of a training step is the part of @forward_backward before the first
// derivative. The graph of a program that does not train is its function; its results must be
// unsplit when they leave it.

struct MemoryNode {
  mlir::Operation *op;
  MemoryOp modelOp;
};

/// Source of a value.
struct MemorySource {
  int node = -1;             ///< producer in the graph, or -1
  unsigned result = 0;       ///< result number of the node
  mlir::BlockArgument input; ///< an input if not null; without node and input there is no source
  mlir::Value reshaped;      ///< the value read, if it is a reshape of the source; else null

  bool isNowhere() const { return node < 0 && !input; }
};

/// Use of a value by an operand or by a result that leaves the program.
struct MemoryUse {
  MemorySource from;
  int node = -1;        ///< the reader; -1: outside
  unsigned operand = 0; ///< operand number of the reader
  MemoryTensor tensor;  ///< as the reader reads it
};

class MemoryGraph {
public:
  explicit MemoryGraph(mlir::ModuleOp module);

  mlir::func::FuncOp function;   ///< null if there is none
  std::vector<MemoryNode> nodes; ///< in program order
  std::vector<MemoryUse> uses;   ///< uses that have a source
};

/// Whether `op` comes from the user's model: it has a rule and was not derived from another op.
bool isForwardOp(mlir::Operation *op);

} // namespace pcc::strategy
