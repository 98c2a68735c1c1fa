// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace pcc::fuzz {

/// A model whose ops and parameters have names, for files that refer to a model.
inline constexpr const char *smallModel = R"(
module {
  graph.parameter @fc.weight : tensor<8x8xf32> init(#graph.init<normal, 0.0, 0.1>)
  graph.parameter @fc.bias : tensor<8xf32> init(#graph.init<zeros>)
  func.func @forward(%x: tensor<16x8xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "fc.weight">},
                     %b: tensor<8xf32> {graph.role = #graph.role<parameter "fc.bias">})
      -> (tensor<16x8xf32> {graph.role = #graph.role<output "y">}) {
    %0 = graph.matmul %x, %w : tensor<16x8xf32>, tensor<8x8xf32> loc("fc/matmul")
    %1 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<16x8xf32> loc("fc/broadcast")
    %2 = graph.add %0, %1 : tensor<16x8xf32> loc("fc/add")
    return %2 : tensor<16x8xf32>
  }
}
)";

} // namespace pcc::fuzz
