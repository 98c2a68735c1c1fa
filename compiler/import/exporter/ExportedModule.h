// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of torch's exporter about the exported module. With those of the nodes (FxNode.h) they
// tell which tensors of the module an ONNX file holds, and how the exporter's optimizer changed
// them.
//
//   signature of the graph      p_head_weight: PARAMETER target='head.weight'
//                               b_freq: BUFFER target='freq' persistent=True
//                               linear_1: USER_OUTPUT
//   `folded_from` of a value    ['head.weight', 'val_3']
//
// The target of a parameter, buffer or constant is its name in the module: `head.weight`. Its
// placeholder is its name in the text of fx nodes: `p_head_weight`.
#pragma once

#include "compiler/import/files/FxNode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace pcc::onnx {
class GraphProto;
} // namespace pcc::onnx

namespace pcc::import {

/// A parameter or buffer of the module. Its target is also the name of its initializer, if the file
/// has one.
struct ExportedTensor {
  llvm::StringRef target, placeholder;
};

/// Returns the path of the module that owns a parameter, and its name there: "model.norm",
/// "weight".
std::pair<llvm::StringRef, llvm::StringRef> splitTarget(llvm::StringRef target);

/// Returns whether the module `inner` is `outer` or a part of it.
bool isWithin(llvm::StringRef inner, llvm::StringRef outer);

class ExportedModule {
public:
  /// Reads the metadata of `graph`, which must outlive this object.
  explicit ExportedModule(const onnx::GraphProto &graph);

  /// Returns whether the file lists the parameters of the module.
  bool listsParameters() const { return !list.empty(); }
  /// Returns the parameters in the order of the module.
  llvm::ArrayRef<ExportedTensor> parameters() const { return list; }
  /// Returns the names in fx nodes of the inputs, parameters, buffers and constants.
  const llvm::StringSet<> &inputs() const { return inputNames; }
  /// Returns whether fx nodes use this name for a parameter, buffer or constant of the module.
  bool isTensor(llvm::StringRef placeholder) const { return targets.contains(placeholder); }
  /// Returns the target of such a tensor; empty for another name.
  llvm::StringRef targetOf(llvm::StringRef placeholder) const {
    return targets.lookup(placeholder);
  }
  /// Returns the placeholder of a parameter; empty if the module has none of this name.
  llvm::StringRef placeholderOf(llvm::StringRef parameter) const;
  /// Returns whether a parameter, buffer or constant has this name in the module.
  bool isTarget(llvm::StringRef name) const;
  /// Returns the names in fx nodes of the outputs.
  llvm::ArrayRef<llvm::StringRef> outputs() const { return outputNames; }

  /// Return whether the initializer of this name is a parameter, or a buffer, of the module.
  bool isParameter(llvm::StringRef name) const { return parameterNames.contains(name); }
  bool isBuffer(llvm::StringRef name) const { return bufferNames.contains(name); }
  bool isSavedBuffer(llvm::StringRef name) const {
    return llvm::any_of(buffers, [&](const ExportedTensor &own) { return own.target == name; });
  }
  /// Returns the buffers that are in the module's state dict, in the order of the module.
  llvm::ArrayRef<ExportedTensor> savedBuffers() const { return buffers; }
  /// Returns the names of the values from which the exporter folded this initializer; empty if it
  /// is not folded.
  llvm::ArrayRef<llvm::StringRef> foldedFrom(llvm::StringRef initializer) const;
  /// Returns whether the file has `folded_from` for at least one value.
  bool listsFolded() const { return !sources.empty(); }
  /// Returns whether the exporter folded this initializer from a parameter.
  bool isFoldedParameter(llvm::StringRef initializer) const;

private:
  void readSignature(llvm::StringRef text);

  std::vector<ExportedTensor> list, buffers;
  llvm::StringSet<> parameterNames, bufferNames, inputNames;
  llvm::StringMap<llvm::StringRef> targets; ///< by placeholder
  llvm::SmallVector<llvm::StringRef> outputNames;
  llvm::StringMap<llvm::SmallVector<llvm::StringRef>> sources; ///< by initializer
};

//===-- ModuleNames.cpp -----------------------------------------------------------------------===//

// Names of a graph's nodes by the modules of the program that exported it.
//
//   name scopes of torch's exporter                       op       name
//   ['', 'model', 'model.layers.7.mlp.up_proj', 'linear'] MatMul model.layers.7.mlp.up_proj/matmul
//   ['', 'model', 'model.layers.7', 'add_14']             Add      model.layers.7/add
//   ['', 'model', 'model.layers.7', 'add_15']             Add      model.layers.7/add_1
//   ['', 'mul']                                           Mul      mul
//
// Nodes that depend on no input of the graph have names such as `model.layers.7/add.fixed` and are
// numbered separately, because an exporter may fold them. The other names are therefore the same
// whether it optimizes or not.

/// Returns a unique name for each node; empty for a node without scopes.
std::vector<std::string> nameByModules(const onnx::GraphProto &graph);

} // namespace pcc::import
