// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/Cases.h"

namespace pcc::test {

static std::string tensor(const std::string &dims, const std::string &element) {
  return "tensor<" + dims + element + ">";
}

/// Adds normalizations of rows, and of rows of two dimensions.
static void addTrailingForms(Cases &cases, const std::string &e) {
  const std::string x = tensor("3x130x", e), s = tensor("130x", e), y = tensor("3x5x7x", e),
                    w = tensor("5x7x", e), epsilon = " axis = 1 epsilon = 0.0625 : ";
  cases.add({x}, "graph.log_softmax %a0 axis = 1 : " + x, x);
  cases.add({x, s, s}, "graph.layer_norm %a0, %a1, %a2" + epsilon + x + ", " + s + ", " + s, x);
  cases.add({y, w}, "graph.layer_norm %a0, %a1" + epsilon + y + ", " + w, y);
  cases.add({x, s}, "graph.rms_norm %a0, %a1" + epsilon + x + ", " + s, x);
  cases.add({x, "tensor<3x130xi64>", "tensor<i64>"},
            "graph.dropout %a0, %a1, %a2 rate = 0.25 : " + x + ", tensor<i64>", x);
}

/// Adds batch norms; the statistics of channels are f32 for every input type.
static void addBatchNorms(Cases &cases, const std::string &e) {
  const std::string c = "tensor<3xf32>", variance = "  %v = graph.square %a4 : " + c + "\n";
  for (const char *dims : {"4x3x5x2x", "6x3x"}) {
    const std::string x = tensor(dims, e), types = " : " + x + ", " + c + ", " + c;
    const std::string operands = " %a0, %a1, %a2, %a3, %v epsilon = 0.0625";
    const std::string norm = "  %r:3 = graph.batch_norm" + operands + " momentum = 0.75" + types;
    cases.add({x, c, c, c, c}, "graph.neg %r#0 : " + x, x, variance + norm + "\n");
    cases.add({x, c, c, c, c}, "graph.neg %r#1 : " + c, c, variance + norm + "\n");
    cases.add({x, c, c, c, c}, "graph.neg %r#2 : " + c, c, variance + norm + "\n");
    cases.add({x, c, c, c, c}, "graph.batch_norm_inference" + operands + types, x, variance);
  }
}

static void addLosses(Cases &cases, const std::string &e) {
  const std::string x = tensor("3x130x", e), y = tensor("3x5x7x", e), scalar = tensor("", e);
  cases.add({x, "tensor<3xi64>"}, "graph.nll %a0, %a1 : " + x + ", tensor<3xi64>", scalar);
  cases.add({x, "tensor<3xi8>"},
            "graph.nll %a0, %a1 {ignore_index = 1 : i64} : " + x + ", tensor<3xi8>", scalar);
  cases.add({y, y}, "graph.mse %a0, %a1 : " + y, scalar);
  cases.add({y, y}, "graph.sigmoid_cross_entropy %a0, %a1 : " + y, scalar);
}

void addNormalForms(Cases &cases) {
  for (const std::string &element : floats) {
    addTrailingForms(cases, element);
    addBatchNorms(cases, element);
    addLosses(cases, element);
  }
}

} // namespace pcc::test
