// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ONNX node as its handler sees it: inputs by position, attributes by name, a place for the
// results, and the emitter. Whatever a handler does not read of the node's attributes is an error:
// no attribute is ever ignored.
#pragma once

#include "compiler/import/Emitter.h"
#include "compiler/import/TensorData.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::onnx {
class AttributeProto;
class NodeProto;
} // namespace pcc::onnx

namespace pcc::import {

class Node {
public:
  Node(const onnx::NodeProto &proto, llvm::SmallVector<Tensor> inputs, Emitter &emit,
       TensorReader &tensors)
      : emit(emit), proto(proto), inputs(std::move(inputs)), tensors(tensors) {}

  Emitter &emit;

  /// Inputs. An absent optional one is a null tensor.
  size_t inputCount() const { return inputs.size(); }
  Tensor input(size_t position) const;
  llvm::ArrayRef<Tensor> allInputs() const { return inputs; }
  /// The integers of an input that decides about shapes: called `what` in the error that a value
  /// not known at import is.
  std::optional<llvm::SmallVector<int64_t>> knownIntegers(size_t position, llvm::StringRef what);
  /// The same for an input that may be absent: nothing then. Fails after an error.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>> optionalIntegers(size_t position,
                                                                              llvm::StringRef what);

  /// Attributes; a value of another kind is an error, and the default is returned.
  bool hasAttribute(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t defaultValue);
  double number(llvm::StringRef name, double defaultValue);
  std::string text(llvm::StringRef name, llvm::StringRef defaultValue);
  std::optional<llvm::SmallVector<int64_t>> integers(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> numbers(llvm::StringRef name);
  std::optional<Constant> tensor(llvm::StringRef name);

  /// The axis `axis` of a tensor of `rank` dimensions, counted from its end if negative.
  std::optional<int64_t> checkAxis(int64_t axis, int64_t rank);
  /// The same for a list without repetitions; sorted.
  std::optional<llvm::SmallVector<int64_t>> checkAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

  /// Results. A null tensor stands for an error that was diagnosed.
  size_t outputCount() const;
  /// Empty where nobody reads it.
  llvm::StringRef outputName(size_t position) const;
  mlir::LogicalResult setResult(Tensor result) { return setResults({std::move(result)}); }
  mlir::LogicalResult setResults(llvm::ArrayRef<Tensor> values);
  llvm::ArrayRef<Tensor> getResults() const { return results; }

  /// Succeeds if every attribute was read and had the expected kind.
  mlir::LogicalResult checkAttributes();

private:
  const onnx::AttributeProto *find(llvm::StringRef name, int kind, llvm::StringRef kindName);

  const onnx::NodeProto &proto;
  llvm::SmallVector<Tensor> inputs, results;
  TensorReader &tensors;
  llvm::StringSet<> read;
  bool hasBadAttribute = false;
};

} // namespace pcc::import
