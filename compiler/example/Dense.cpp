// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of dense layers.
#include "compiler/example/Example.h"
#include "compiler/example/Network.h"

using namespace mlir;

namespace pcc::example {

OwningOpRef<ModuleOp> buildMlp(const Sizes &sizes, FloatType type) {
  Network net(type);
  int64_t batch = sizes.at("batch"), width = sizes.at("width");
  Value x = net.data("x", {batch, 1, 28, 28});
  x = net.reshape(x, {batch, 784});
  x = net.make<graph::ReluOp>(net.linear("layer1", x, width));
  x = net.make<graph::ReluOp>(net.linear("layer2", x, width));
  return net.finish(net.linear("layer3", x, sizes.at("classes")), "logits");
}

/// Cheng et al.: Wide & deep learning for recommender systems, DLRS 2016. Each sample has `fields`
/// categorical values. The wide part adds one weight for each value; the deep part feeds their
/// embeddings to a tower of dense layers.
OwningOpRef<ModuleOp> buildWideDeep(const Sizes &sizes, FloatType type) {
  Network net(type);
  int64_t batch = sizes.at("batch"), fields = sizes.at("fields"), rows = sizes.at("vocabulary");
  int64_t width = sizes.at("width");
  Value ids = net.input("x", net.i64(), {batch, fields});
  Value wide = net.embedding("wide", ids, rows, 1);
  wide = net.make<graph::ReduceOp>(graph::ReduceOpKind::Sum, wide, ArrayRef<int64_t>{1});
  Value deep = net.reshape(net.embedding("deep", ids, rows, width), {batch, fields * width});
  deep = net.make<graph::ReluOp>(net.linear("fc1", deep, 512));
  deep = net.make<graph::ReluOp>(net.linear("fc2", deep, 256));
  return net.finish(net.make<graph::AddOp>(wide, net.linear("fc3", deep, 1)), "logits");
}

} // namespace pcc::example
