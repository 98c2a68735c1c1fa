// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-insert-transfers

// The name of a copy already exists.

graph.parameter @w : tensor<4xf32> init(<zeros>)
// expected-error @below {{"w.chunk1" is the name of a copy of "w": rename this symbol}}
graph.parameter @w.chunk1 : tensor<4xf32> init(<zeros>)
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<4xf32> {
  %0 = graph.mul %x, %w {pipe.virtual_stage = 0 : i64} : tensor<4xf32>
  %1 = graph.mul %0, %w {pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Running statistics belong to one chunk.

graph.parameter @mean : tensor<4xf32> init(<zeros>) {trainable = false}
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                   %m: tensor<4xf32> {graph.role = #graph.role<parameter "mean">})
    -> (tensor<4xf32>, tensor<4xf32> {graph.role = #graph.role<parameter "mean">}) {
  %0 = graph.mul %x, %m {pipe.virtual_stage = 0 : i64} : tensor<4xf32>
  // expected-error @below {{"mean" is updated by "forward" and read in chunk 0 by "mul" and in chunk 1 by "add"; expected one chunk}}
  %1 = graph.add %0, %m {pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}
