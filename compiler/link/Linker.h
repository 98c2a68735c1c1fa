// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the linker share: numbers of buffers, groups, axes, kernels, sections.
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/facts/ElementTypes.h"
#include "runtime/abi/program.pb.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::link {

/// The elements row-major, little endian, one byte for i1; fails where the attribute does not hold
/// them.
mlir::FailureOr<std::string> bytesOf(mlir::ElementsAttr elements);

class Linker {
public:
  Linker(mlir::ModuleOp module, task::ProgramOp program, abi::Executable &executable)
      : module(module), program(program), mesh(dist::getMesh(module)), executable(executable),
        out(*executable.add_programs()) {}

  mlir::LogicalResult run();

private:
  // Link.cpp
  mlir::LogicalResult checkAxes();
  void linkMesh();
  mlir::LogicalResult linkBuffer(task::BufferOp op);
  void linkSlots();
  void linkBatch();

  // LinkBoundary.cpp
  mlir::LogicalResult linkParameter(task::ParameterOp op);
  mlir::LogicalResult linkInitialiser(graph::ParameterOp op, abi::Initialiser &initialiser);
  void linkInput(task::InputOp op);
  mlir::LogicalResult linkResult(task::ResultOp op);
  mlir::LogicalResult linkMetric(task::MetricOp op);
  void linkBlock(task::BlockAttr block, mlir::Value buffer, abi::Block &message);

  // LinkRecords.cpp
  void linkSection(task::SectionOp section);
  void linkRecord(mlir::Operation *op, abi::Record &record);
  void linkLaunch(task::LaunchOp op, abi::Launch &launch);
  void linkMatmul(task::MatmulOp op, abi::Matmul &matmul);
  void linkAttention(task::AttentionOp op, abi::Attention &attention);
  void linkConvolution(task::ConvolutionOp op, abi::Convolution &convolution);
  void linkCollective(mlir::Operation *op, abi::Collective &collective);
  void linkExtras(mlir::Operation *op, abi::Collective &collective);
  void linkMoves(task::BlockExchangeOp op, abi::Collective &collective);
  void linkOperand(mlir::Value value, abi::Operand &operand);
  void linkRank(task::RankAttr attribute, abi::RankExpression &expression);
  uint32_t groupOf(mlir::DenseIntElementsAttr lists);
  uint32_t kernelOf(llvm::StringRef symbol);

  mlir::ModuleOp module;
  task::ProgramOp program;
  dist::Mesh mesh;
  abi::Executable &executable;
  abi::Program &out;
  llvm::DenseMap<mlir::Value, uint32_t> bufferOf;
  llvm::DenseMap<mlir::Attribute, uint32_t> groups;
  llvm::StringMap<uint32_t> kernels, sections, inputs, outputs;
};

} // namespace pcc::link
