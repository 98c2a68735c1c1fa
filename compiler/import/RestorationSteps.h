// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of `restoreParameters`. Each restores parameters of which the file has only a value that
// the exporter computed from them. The name of that value, what it was folded from, and the traced
// nodes that read it tell how it was computed. If they do not tell it for certain, the value stays.
#pragma once

#include "compiler/import/InitializerEdits.h"

namespace pcc::import {

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
