// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-assign-stages="stages=2 virtual-stages=2"

// No chunk follows the last one.

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{it is made here}}
  %0 = graph.exp %x {pipe.virtual_stage = 3 : i64} : tensor<4xf32>
  // expected-error @below {{"tanh" on stage 0 reads "exp" in chunk 3 of 4, behind which stage 0 has none; expected more virtual stages}}
  %1 = graph.tanh %0 {pipe.stage = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{no op is in chunk 2, of stage 0: expected ops in each of chunks 0 to 3}}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
  %1 = graph.tanh %0 {pipe.stage = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
