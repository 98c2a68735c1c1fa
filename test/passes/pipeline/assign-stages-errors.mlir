// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-assign-stages="stages=3"

// Stages do not decrease along the data; the edge is named.

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{it is made here}}
  %0 = graph.exp %x {pipe.stage = 1 : i64} : tensor<4xf32>
  // expected-error @below {{"tanh" on stage 0 reads "exp" on stage 1: stages do not decrease along the data}}
  %1 = graph.tanh %0 {pipe.stage = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The same through an op that has inherited its stage, and for given chunks.

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.virtual_stage = 2 : i64} : tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32>
  // expected-error @below {{"tanh" in chunk 1 reads "neg" in chunk 2: chunks do not decrease along the data}}
  %2 = graph.tanh %1 {pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected 'pipe.stage' of "exp" to be a number from 0 to 2, got 3 : i64}}
  %0 = graph.exp %x {pipe.stage = 3 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected 'pipe.virtual_stage' of "exp" to be a number from 0 to 2, got "first"}}
  %0 = graph.exp %x {pipe.virtual_stage = "first"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{"exp" is given stage 0 and chunk 1, which is on stage 1}}
  %0 = graph.exp %x {pipe.virtual_stage = 1 : i64, pipe.stage = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Each stage has work.

// expected-error @below {{no op is on stage 1: expected ops on each of stages 0 to 2}}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
  %1 = graph.tanh %0 {pipe.stage = 2 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// No stage reaches the op of a trainable parameter.

func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                   %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x {pipe.stage = 0 : i64} : tensor<4xf32>
  %1 = graph.neg %w : tensor<4xf32>
  // expected-error @below {{"mul" reads parameter "w" and has no stage, nor has what it reads or what reads it; expected a stage for the op of each trainable parameter}}
  %2 = graph.mul %x, %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
graph.parameter @w : tensor<4xf32> init(<zeros>)
