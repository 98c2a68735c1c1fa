// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ONNX node as its handler reads it: inputs by position, attributes by name, results, and the
// emitter. An attribute that the handler does not read is an error, so no attribute is ever
// ignored.
#pragma once

#include "compiler/import/emit/Emitter.h"
#include "compiler/import/files/FxNode.h"
#include "compiler/import/files/TensorData.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
} // namespace pcc::onnx

namespace pcc::import {

/// Imports the bodies of nodes for control flow.
class BodyImporter {
public:
  virtual ~BodyImporter() = default;
  /// Imports the nodes of `body` for `inputs`, and returns the outputs. Fails after an error.
  virtual mlir::FailureOr<llvm::SmallVector<Tensor>>
  importBody(const onnx::GraphProto &body, llvm::ArrayRef<Tensor> inputs, Emitter &emit) = 0;
};

class Node {
public:
  Node(const onnx::NodeProto &proto, llvm::SmallVector<Tensor> inputs, Emitter &emit,
       TensorReader &tensors, BodyImporter &bodies)
      : emit(emit), proto(proto), inputs(std::move(inputs)), tensors(tensors), bodies(bodies) {}

  Emitter &emit;

  /// Accessors of inputs. An absent optional input is a null tensor.
  size_t inputCount() const { return inputs.size(); }
  Tensor input(size_t position) const;
  llvm::ArrayRef<Tensor> allInputs() const { return inputs; }
  /// Returns the integers of an input that determines shapes. Emits an error, which calls the input
  /// `what`, if the value is not known at import.
  std::optional<llvm::SmallVector<int64_t>> knownIntegers(size_t position, llvm::StringRef what);
  /// Same for a list of numbers of any type.
  std::optional<llvm::SmallVector<double>> knownNumbers(size_t position, llvm::StringRef what);
  /// Same for an optional input; returns nothing if it is absent. Fails after an error.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>> optionalIntegers(size_t position,
                                                                              llvm::StringRef what);

  /// Accessors of attributes. An attribute of another kind is an error, and the default is
  /// returned.
  bool hasAttribute(llvm::StringRef name) const;
  /// Marks an attribute as read, because the known inputs make it irrelevant.
  void ignore(llvm::StringRef name) { read.insert(name); }
  int64_t integer(llvm::StringRef name, int64_t defaultValue);
  double number(llvm::StringRef name, double defaultValue);
  std::string text(llvm::StringRef name, llvm::StringRef defaultValue);
  std::optional<llvm::SmallVector<int64_t>> integers(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> numbers(llvm::StringRef name);
  std::optional<llvm::SmallVector<std::string>> texts(llvm::StringRef name);
  std::optional<Constant> tensor(llvm::StringRef name);

  /// Imports the graph of the attribute `name` with `inputs` as its inputs, and returns its
  /// outputs. A body may be imported many times. Fails after an error.
  mlir::FailureOr<llvm::SmallVector<Tensor>> body(llvm::StringRef name,
                                                  llvm::ArrayRef<Tensor> inputs);

  /// Checks `axis` for a tensor of `rank` dimensions. A negative axis counts from the end.
  std::optional<int64_t> checkAxis(int64_t axis, int64_t rank);
  /// Checks a list of axes without repetitions, and sorts it.
  std::optional<llvm::SmallVector<int64_t>> checkAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

  /// Accessors of results. A null tensor means that an error was reported.
  size_t outputCount() const;
  /// Returns the name of an output; empty if nothing reads it.
  llvm::StringRef outputName(size_t position) const;
  mlir::LogicalResult setResult(Tensor result) { return setResults({std::move(result)}); }
  mlir::LogicalResult setResults(llvm::ArrayRef<Tensor> values);
  llvm::ArrayRef<Tensor> getResults() const { return results; }

  /// Returns the fx node from which torch's exporter made this node, if the file has it.
  std::optional<FxNode> traced() const { return findFxNode(proto); }

  /// Checks that every attribute was read and had the expected kind.
  mlir::LogicalResult checkAttributes();

private:
  const onnx::AttributeProto *find(llvm::StringRef name, int kind, llvm::StringRef kindName);

  const onnx::NodeProto &proto;
  llvm::SmallVector<Tensor> inputs, results;
  TensorReader &tensors;
  BodyImporter &bodies;
  llvm::StringSet<> read;
  bool hasBadAttribute = false;
};

} // namespace pcc::import
