// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links the programs of all stages. This class numbers buffers, groups, axes, kernels and sections
// for the parts of the linker.
//
// Each stage of a module that was cut into stages has a linker of its own. Ranks in the stage's
// module are ranks of the stage, from 0; ranks in the file are ranks of all stages. In the module,
// only peers of messages between stages are ranks of all stages (#task.rank<4 + pp * 4 + dp * 1>).
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Stages.h"
#include "dialects/task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/analysis/ElementTypes.h"
#include "runtime/abi/program.pb.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::link {

/// Returns the elements row-major and little endian, one byte for i1. Fails if the attribute does
/// not hold them.
mlir::FailureOr<std::string> bytesOf(mlir::ElementsAttr elements);

/// Data that the programs of an executable share.
struct SharedTables {
  explicit SharedTables(abi::Executable &executable) : executable(executable) {}

  abi::Executable &executable;
  int64_t stages = 1;
  bool isCut = false;    ///< the mesh has an axis of stages
  bool hasValues = true; ///< constants and initial values are linked, not only their sizes
  llvm::DenseMap<mlir::Attribute, uint32_t> groups;
  llvm::DenseMap<mlir::Attribute, uint64_t> constants; ///< offsets
  llvm::StringMap<uint32_t> kernels;
};

class Linker {
public:
  Linker(mlir::ModuleOp module, task::ProgramOp program, SharedTables &shared)
      : module(module), program(program), mesh(dist::getMesh(module)),
        stage(pipe::getStage(module).value_or(0)), shared(shared), executable(shared.executable),
        out(*executable.add_programs()) {}

  mlir::LogicalResult run();

private:
  // Link.cpp
  mlir::LogicalResult checkAxes();
  /// Returns the number of an axis in the file; nothing if no axis has this name.
  std::optional<uint32_t> axisOf(llvm::StringRef name) const;
  /// Converts a rank of the stage to a rank of all stages.
  int64_t worldRank(int64_t rank) const { return stage * mesh.getNumRanks() + rank; }
  mlir::LogicalResult linkBuffer(task::BufferOp op);
  mlir::FailureOr<uint64_t> linkConstant(task::BufferOp op);
  void linkActions();
  void linkBatch();

  // LinkBoundary.cpp
  void linkPart(graph::ParameterOp declaration, abi::Parameter &parameter);
  mlir::LogicalResult linkParameter(task::ParameterOp op);
  mlir::LogicalResult linkInitializer(graph::ParameterOp op, abi::Initializer &initializer);
  void linkInput(task::InputOp op);
  mlir::LogicalResult linkResult(task::ResultOp op);
  mlir::LogicalResult linkMetric(task::MetricOp op);
  void linkBlock(task::BlockAttr block, mlir::Value buffer, abi::Block &message);

  // LinkInstructions.cpp
  void linkSection(task::SectionOp section);
  void linkInstruction(mlir::Operation *op, abi::Instruction &instruction);
  void linkLaunch(task::LaunchOp op, abi::Launch &launch);
  void linkMatmul(task::MatmulOp op, abi::Matmul &matmul);
  void linkAttention(task::AttentionOp op, abi::Attention &attention);
  void linkConvolution(task::ConvolutionOp op, abi::Convolution &convolution);
  void linkCollective(mlir::Operation *op, abi::Collective &collective);
  void linkExtras(mlir::Operation *op, abi::Collective &collective);
  void linkMoves(task::BlockExchangeOp op, abi::Collective &collective);
  void linkPairs(task::CollectivePermuteOp op, abi::Collective &collective);
  void linkOperand(mlir::Value value, abi::Operand &operand);
  void linkRank(task::RankAttr attribute, abi::RankExpression &expression);
  void linkPeer(task::RankAttr attribute, abi::RankExpression &expression);
  uint32_t groupOf(mlir::DenseIntElementsAttr lists);
  uint32_t kernelOf(llvm::StringRef symbol);

  mlir::ModuleOp module;
  task::ProgramOp program;
  dist::Mesh mesh; ///< of the stage
  int64_t stage;
  SharedTables &shared;
  abi::Executable &executable;
  abi::Program &out;
  llvm::DenseMap<mlir::Value, uint32_t> bufferOf;
  llvm::StringMap<uint32_t> sections, inputs, outputs;
};

} // namespace pcc::link
