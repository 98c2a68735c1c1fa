// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of a module's graph by torch's optimizing exporter, and how import undoes them. The
// exporter keeps the results of the module, but neither its parameters nor its detached values. Its
// metadata tell which values of the module each node reads (ExportedModule.h).
//
// Changes of parameters that import undoes:
//
//   merged      equal tensors became one initializer: each reader gets its own tensor back. So do
//               readers of values that are computed from equal tensors of two modules
//   transposed  the weight of a linear layer is stored transposed: a Transpose is added
//   expanded    a parameter is stored once for each row of the batch: an Expand is added
//   reshaped    the channels of a group norm are stored as [16, 1, 1]: a Reshape is added
//   rearranged  the gates of an LSTM or GRU have another order: nodes that order them are added
//   renamed     a parameter that is indexed is stored as `val_3`: an Identity is added
//   mapped      the exponential or negative of a parameter is stored: an Exp or a Neg is added
//   removed     an input of zeros was removed from a Conv, ConvTranspose or Gemm: it is added again
//
// Other changes cannot be undone. The file computes the same results as the module, but training
// the file would not train the same module:
//
//   merged    equal initializers became one: all zero biases, all unit scales
//   removed   a zero bias, or a scale of one, whose op the optimizer removed
//   folded    an op made a constant of the parameter: an expand of equal numbers, a product
//   split     one parameter is stored twice, e.g. for an embedding and transposed for a matmul
//   twins     two nodes compute the same from equal tensors, and one of them is removed with its
//             tensors: two layer norms of one value. The readers of its result still name it
//   missing   a parameter has no initializer, and the metadata that tell why are not in the file
//
// A parameter may also be merged with running statistics, or with another value that a node reads.
// A parameter that was only transposed or reshaped is accepted if its elements are absent: the
// model can then be planned, but not trained.
//
// No gradient flows through the values that `x.detach()` returns. In ONNX a detach is an Identity,
// which the optimizer removes. Its readers in the module then read a value that they do not name:
//
//   fx node of the Gemm     %linear_1 = linear(%detach, %p_w, %p_b)
//   inputs of the Gemm      linear, w, b                              `linear` is detached
#pragma once

#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/files/TensorData.h"
#include <string>

namespace pcc::import {

/// Returns whether the exporter made the value inside of one fx node, such as the transposed weight
/// of a linear layer: it names such values `val_N`.
inline bool isInner(llvm::StringRef name) { return name.starts_with("val_"); }

struct Restored {
  int64_t nodes = 0; ///< number of nodes added, which are the first nodes of the graph
  /// Parameters about which nodes and metadata contradict each other: "'w' is read as 'a' and 'b'".
  std::vector<std::string> contradictions;
  /// Parameters that were added with the elements of another one: (added, other).
  std::vector<std::pair<std::string, std::string>> twins;
  bool lacksData = false; ///< elements of an initializer are absent, so it is left as it is
};

/// Restores the parameters in `model`, whose external data lie in `folder`. Does nothing if the
/// file does not list its parameters. A tensor that cannot be read is left as it is; the importer
/// reports it.
Restored restoreParameters(std::shared_ptr<onnx::ModelProto> model, llvm::StringRef folder,
                           mlir::MLIRContext &context);

/// Returns a description of each altered parameter: "'b.bias' is merged into 'a.bias'". The list is
/// empty for a file that does not list its parameters. A parameter that no node reads is reported
/// only if metadata are missing, or if the optimizer removed a node that could have read it.
/// `opset` selects the meaning of the file's operators. `restored` says what import added to the
/// graph. The pass CheckParameters refuses to train a module with altered parameters.
std::vector<std::string> findAlteredParameters(const onnx::GraphProto &graph, int64_t opset,
                                               const ExportedModule &exported,
                                               const Restored &restored);

/// Returns the modules in which the optimizer removed the addition of a zero or the multiplication
/// by a one, each once. The parameter that an op read belongs to its module, or to a part of it;
/// the module "" is the whole model. Ops on integers do not count.
std::vector<std::string> findLostArithmetic(const onnx::GraphProto &graph,
                                            const ExportedModule &exported);

struct DetachedInputs {
  /// By first output of a node: its inputs through which no gradient flows.
  llvm::StringMap<llvm::SmallVector<int>> positions;
  /// Values of which the file does not say whether they are detached.
  std::vector<std::string> unclear;
};

/// Finds the detached inputs in `graph`, whose parameters have been restored. Only values that
/// depend on parameters count, since nothing else has a gradient.
DetachedInputs findDetachedInputs(const onnx::GraphProto &graph);

} // namespace pcc::import
