// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of `restoreParameters`. Each restores parameters of which the file has only a value that
// the exporter computed from them. The name of that value, what it was folded from, and the traced
// nodes that read it tell how it was computed. If they do not tell it for certain, the value stays.
//
// A step edits the graph: it adds initializers, and nodes that compute what the exporter has stored
// instead.
//
//   before   initializer val_3, read by a MatMul
//   after    initializer head.weight, a Transpose that computes val_3 from it
#pragma once

#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/files/TensorData.h"
#include <map>
#include <string>

namespace pcc::import {

/// The fx nodes of an exported graph, with their ONNX nodes.
struct TracedGraph {
  explicit TracedGraph(onnx::GraphProto &graph);

  /// Returns the ONNX nodes of an fx node, in the order of the graph.
  llvm::ArrayRef<onnx::NodeProto *> nodesOf(const FxNode &fx) const;

  std::vector<FxNode> traced;                                      ///< in order, each name once
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *>> readersOf; ///< by value
  llvm::StringMap<const onnx::NodeProto *> producers;              ///< by value

private:
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *>> nodes; ///< by name of their fx node
};

/// The edits of a graph.
class InitializerEdits {
public:
  /// Edits the graph of `model`, whose external data lie in `folder`.
  InitializerEdits(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                   mlir::MLIRContext &context);

  /// Returns the initializer of this name; null if there is none.
  onnx::TensorProto *find(llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return find(name) != nullptr; }
  /// Returns type and elements of a tensor; nullopt if they cannot be read.
  std::optional<TensorData> read(const onnx::TensorProto &tensor);
  /// Returns whether a tensor that `read` was called for is absent.
  bool lacksData() const { return foundAbsent; }
  /// Returns all initializers that the graph has now.
  std::vector<onnx::TensorProto *> list() const;

  onnx::TensorProto *add(llvm::StringRef name, int32_t type, llvm::ArrayRef<int64_t> dims,
                         std::string bytes);
  /// Adds the parameter `target` with these elements, of the type of `like`. If the graph has such
  /// an initializer, returns whether it has this shape and these elements.
  bool addParameter(llvm::StringRef target, const onnx::TensorProto &like,
                    llvm::ArrayRef<int64_t> dims, std::string bytes);
  /// Adds the parameter `target` with the elements of the initializer `source`, as `addParameter`.
  bool addTwin(llvm::StringRef target, llvm::StringRef source);
  /// Adds a copy of the initializer `source`.
  void addCopyOfTensor(llvm::StringRef target, const onnx::TensorProto &source);
  /// Adds an initializer that holds `numbers`, for a node that computes `result`; returns its name.
  std::string addIntegers(llvm::StringRef result, llvm::ArrayRef<int64_t> numbers);

  /// Adds a node of one output. Added nodes come before all others, in the order of the calls.
  onnx::NodeProto &addNode(llvm::StringRef operation, llvm::ArrayRef<llvm::StringRef> inputs,
                           llvm::StringRef output);
  /// Adds a node that computes the initializer `folded`, which `finish` removes.
  onnx::NodeProto &computeInstead(const onnx::TensorProto &folded, llvm::StringRef operation,
                                  llvm::ArrayRef<llvm::StringRef> inputs);
  /// Returns the added node whose first output is this value; null if there is none.
  const onnx::NodeProto *findNode(llvm::StringRef value) const { return computed.lookup(value); }
  /// Adds a node like `node`, which has these inputs, and results named by `nameResult`.
  void addCopyOfNode(const onnx::NodeProto &node, llvm::ArrayRef<std::string> inputs,
                     llvm::function_ref<std::string(llvm::StringRef)> nameResult);
  /// Returns whether a node computes this former initializer.
  bool isReplaced(llvm::StringRef name) const { return replaced.contains(name); }
  /// Returns whether this value is the first output of an added node.
  bool computes(llvm::StringRef name) const { return computed.contains(name); }

  /// Returns the parameters that were added with the elements of another one: (added, other).
  llvm::ArrayRef<std::pair<std::string, std::string>> twins() const { return twinList; }

  /// Removes the replaced initializers and adds the nodes; returns the number of added nodes, which
  /// are the first ones.
  int64_t finish();

private:
  onnx::GraphProto &graph;
  TensorReader tensors;
  mlir::MLIRContext &context;
  std::map<std::string, onnx::TensorProto *, std::less<>> initializers;
  std::vector<std::unique_ptr<onnx::NodeProto>> added;
  std::vector<std::pair<std::string, std::string>> twinList;
  bool foundAbsent = false;
  llvm::StringMap<const onnx::NodeProto *> computed; ///< `added`, by their first results
  llvm::StringSet<> replaced;                        ///< initializers that `added` computes
};

/// Adds an attribute of integers to `node`.
void addAttribute(onnx::NodeProto &node, llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);
void addAttribute(onnx::NodeProto &node, llvm::StringRef name, int64_t number);
/// Returns an attribute of `node`; `otherwise` if it has none of this name.
int64_t findInteger(const onnx::NodeProto &node, llvm::StringRef name, int64_t otherwise);

/// Restores the parameter from which the exporter computed `folded`:
///
///   val_3      read by aten.linear              transposed: a Transpose is added
///   permute    of a matrix                      transposed
///   expand     over the batch                   one row, and an Expand
///   repeat     over the batch                   one row, and an Expand
///   alias, or read by aten.index                unchanged: an Identity is added
///   exp, neg                                    the number before, and an Exp or a Neg
///   view, unsqueeze   of a list                 a list, and a Reshape
///   val_1      read by aten.prelu               a list, and a Reshape
///   linear     of zeros, with a bias            an Expand of the bias
void restoreFolded(const onnx::TensorProto &folded, const ExportedModule &exported,
                   const TracedGraph &traced, InitializerEdits &edits);

/// Restores the weights and biases of the layers of an `aten.lstm` or `aten.gru`, whose gates ONNX
/// has in another order. Returns whether the nodes of `fx` read all of them as the module does.
bool restoreRecurrent(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
                      InitializerEdits &edits);

/// Adds the parameter `target` with the elements of the one from which alone the nodes of the file
/// compute `value`, and copies of these nodes; returns the name of the copied value. Returns an
/// empty text if the file has other elements under this name, or computes `value` from more.
std::string copyForTwin(llvm::StringRef value, llvm::StringRef target,
                        const ExportedModule &exported, const TracedGraph &traced,
                        InitializerEdits &edits);

/// Restores parameters whose values were merged with equal ones of another module, where the nodes
/// of `fx` read them. Adds a text to `contradictions` where a parameter may be merged that way.
void restoreTwins(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
                  InitializerEdits &edits, std::vector<std::string> &contradictions);

} // namespace pcc::import
