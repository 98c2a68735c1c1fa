// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace pcc::onnx {
class GraphProto;
}

namespace pcc::import {

/// Returns a unique name for each node; empty for a node without scopes.
std::vector<std::string> nameByModules(const onnx::GraphProto &graph);

} // namespace pcc::import
