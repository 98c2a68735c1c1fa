// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of torch's exporter about a node of an ONNX file.
//
//   fx node      %linear_1 : […][target=torch.ops.aten.linear.default](args = (%x, %p_head_weight,
//                %p_head_bias), kwargs = {})
//   scopes       ['', 'model', 'model.head', 'linear_1']
//   `rule_name`  the rule by which the exporter's optimizer rewrote the node
//
// An fx node is a node of the program that torch traced.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace pcc::onnx {
class NodeProto;
} // namespace pcc::onnx

namespace pcc::import {

/// The fx node from which the exporter made an ONNX node.
struct FxNode {
  llvm::StringRef name;       ///< of its result: "linear_1"
  llvm::StringRef operation;  ///< "aten.linear.default"; empty if it is no operator of torch
  llvm::StringRef positional; ///< its arguments without a keyword: "%x, 3, [%a, %b]"
  llvm::SmallVector<llvm::StringRef> arguments; ///< placeholders and names of fx nodes
  llvm::SmallVector<llvm::StringRef> lastList;  ///< items of the last list: "None", "%linear_1"

  bool reads(llvm::StringRef argument) const;
  /// Returns the text of a positional argument, "[%a, %b]"; empty if there is none.
  llvm::StringRef argument(size_t position) const;
};

/// Returns the fx node of `node`, if the exporter stored one.
std::optional<FxNode> findFxNode(const onnx::NodeProto &node);

/// Returns the path of the innermost module that computes `node`: "model.layers.7.mlp". Returns
/// nothing if the exporter stored no scopes.
std::optional<llvm::StringRef> findModule(const onnx::NodeProto &node);

/// Returns the name of an fx node without the numeric suffix that makes it unique: "linear".
llvm::StringRef baseName(llvm::StringRef fxName);

/// Returns the rule by which the exporter's optimizer rewrote `node`; empty if none did.
llvm::StringRef findRewriteRule(const onnx::NodeProto &node);

/// Returns the value of the entry `key` in the metadata of a node, value or graph; empty if there
/// is none.
template <typename Entries>
llvm::StringRef findMetadata(const Entries &entries, llvm::StringRef key) {
  for (const auto &entry : entries)
    if (entry.key() == key)
      return entry.value();
  return "";
}

} // namespace pcc::import
