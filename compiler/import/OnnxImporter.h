// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the graph of a parsed model into a module by one walk over the nodes, with every value of
// the graph kept by name. A node that fails poisons its results, and nodes that read a poisoned
// value are skipped silently. Each diagnostic is therefore a cause and never a consequence.
#pragma once

#include "compiler/import/Import.h"
#include "compiler/import/Inputs.h"
#include "compiler/import/emit/Node.h"
#include "compiler/import/restore/ExporterChanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::onnx {
class GraphProto;
class ModelProto;
} // namespace pcc::onnx

namespace pcc::import {

struct Operator;

class OnnxImporter : public BodyImporter {
public:
  OnnxImporter(llvm::StringRef path, std::shared_ptr<onnx::ModelProto> model,
               mlir::MLIRContext &context, std::vector<UnsupportedNode> *unsupported);

  /// Returns the module with the dimensions and inputs of `options` bound; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> import(const ImportOptions &options);

private:
  /// Role of an initializer in the program. A buffer is a constant that is saved with the
  /// parameters.
  enum class Use { Constant, Trained, State, Buffer };

  struct Initializer {
    std::string name;
    TensorData data;
    Use use;
  };

  /// Keeps the nodes of the file for recordNodes, if it is to record them.
  void keepNodes(const ImportOptions &options);
  mlir::LogicalResult recordNodes();
  bool checkOpsets();
  bool readInitializers();
  bool readInitializer(const std::string &name, const onnx::TensorProto &tensor, Use use);
  void readBuffer(const onnx::TensorProto &tensor);
  void reportLostBuffers(const ExportedModule &exported);
  void reportUnreadParameters(const ExportedModule &exported);
  void recordAltered(llvm::ArrayRef<std::string> altered);
  bool createFunction(llvm::ArrayRef<GraphInput> inputs);
  void declareParameters();
  bool importNodes(bool canEvaluate);
  /// Imports a node; `index` is its position in the file, negative for a restored node.
  /// `moduleName` is its name by modules, if it has one.
  bool importNode(int64_t index, const onnx::NodeProto &node, llvm::StringRef moduleName,
                  bool canEvaluate);
  mlir::LogicalResult runHandler(const Operator &entry, const onnx::NodeProto &proto,
                                 mlir::Location loc);
  void stopGradient(Tensor &x, mlir::Location loc);
  void annotateStage(const onnx::NodeProto &node, mlir::Operation *before);
  /// Defines the results, which have elements of the type `narrow` unless it is null.
  mlir::LogicalResult defineResults(const onnx::NodeProto &proto, const Node &node,
                                    mlir::Type narrow);
  bool returnOutputs();
  void recordEmptyOutput(const std::string &name, mlir::RankedTensorType type);
  bool returnOutput(const std::string &name, const Tensor &value,
                    llvm::SmallVectorImpl<mlir::Value> &results,
                    llvm::SmallVectorImpl<std::string> &names);
  void warnOfFoldedBatchNorms();
  void warnOfSharedParameters();

  mlir::FailureOr<llvm::SmallVector<Tensor>>
  importBody(const onnx::GraphProto &body, llvm::ArrayRef<Tensor> inputs, Emitter &emit) override;
  mlir::LogicalResult defineBody(const onnx::GraphProto &body, llvm::ArrayRef<Tensor> inputs,
                                 Emitter &emit);
  bool lookUpBodies(const onnx::NodeProto &node, mlir::Location loc);
  const Operator *lookUp(const onnx::NodeProto &node, mlir::Location loc);
  bool define(const std::string &name, Tensor tensor, mlir::Location loc);

  std::string path;
  std::shared_ptr<onnx::ModelProto> model;
  const onnx::GraphProto &graph;
  mlir::MLIRContext &context;
  std::vector<UnsupportedNode> *unsupported;
  mlir::Location fileLoc;
  mlir::OpBuilder builder;
  TensorReader tensors;
  int64_t opset = 0;
  int64_t position = 0;           ///< of the imported node of the graph
  int64_t depth = 0;              ///< of bodies around the imported node
  std::vector<int64_t> positions; ///< of each node in the file, if functions were inlined
  Restored restored;
  DetachedInputs detached;
  std::string configuration;                         ///< of several devices; empty: none
  std::shared_ptr<const onnx::ModelProto> fileNodes; ///< null: they are not recorded
  bool recordsNodes = false; ///< for a plan that is to be written to the file

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<Initializer> parameters, largeConstants; ///< constants too large to fold
  llvm::StringMap<Tensor> values;                      ///< by name; null: poisoned
  std::vector<std::string> absent;   ///< initializers without data, each with its file
  llvm::StringSet<> liftedConstants; ///< node results read as initializers
};

} // namespace pcc::import
