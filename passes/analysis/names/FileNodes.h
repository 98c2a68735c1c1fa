// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of the file that a model was imported from, and the shardings that the file gives to
// their tensors: the module attribute `dist.file_nodes`.
//
//   dist.file_nodes = {
//     file = "model.onnx",
//     nodes = [{in = ["x", "w_t"], out = ["y"]}],
//     shapes = {x = array<i64: 8, 4>, w = array<i64: 2, 4>, w_t = array<i64: 4, 2>, …},
//     views = {w_t = {of = "w", order = array<i64: 1, 0>}},
//     configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2>,
//     shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, _]>}]}
//
// Import records it for a file with shardings, without which the last two lines are absent. A
// module whose plan is to be written to the file has the entry `kept`, too.
#pragma once

#include "dialects/dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::analysis {

inline constexpr llvm::StringLiteral fileNodesAttrName = "dist.file_nodes";

/// Metadata of the fused location of an imported node. The location of its position in the file has
/// the index of the node as its line.
inline constexpr llvm::StringLiteral nodeLocationTag = "onnx.node";

struct FileNode {
  std::vector<std::string> inputs, outputs;
};

/// A tensor that has the elements of another one, with its dimensions in another order.
struct TensorView {
  std::string of;
  /// Dimension of `of`, by dimension.
  llvm::SmallVector<int64_t> order;
};

/// The sharding of a tensor as one of its nodes reads or makes it.
struct FileSharding {
  int64_t node;
  std::string tensor;
  dist::Sharding sharding;
};

struct FileNodes {
  std::string file;
  std::vector<FileNode> nodes;
  llvm::StringMap<llvm::SmallVector<int64_t>> shapes; ///< by tensor
  llvm::StringMap<TensorView> views;                  ///< by tensor
  std::string configuration;                          ///< empty: no shardings
  int64_t stages = 1;                                 ///< pipeline stages of the configuration
  dist::Mesh mesh;                                    ///< of the ranks of a stage
  std::vector<FileSharding> shardings;
  bool isKept = false; ///< the attribute stays on the module after phase strategy

  /// Returns the contents of the attribute; nothing if `module` has none.
  static std::optional<FileNodes> read(mlir::ModuleOp module);
  /// Sets the attribute.
  void write(mlir::ModuleOp module) const;
};

/// Returns the indices of the nodes in `loc`, ascending.
llvm::SmallVector<int64_t, 4> findNodes(mlir::Location loc);

} // namespace pcc::analysis
