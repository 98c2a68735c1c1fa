// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-collect-annotations --pipeline-apply-stage-constraints="stages=2 virtual-stages=2" --pipeline-assign-stages="stages=2 virtual-stages=2"

// The stage and the chunk of an op reach assign-stages, which compares them: by two annotations of
// one op, then by two constraints.

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{"exp_0" is given stage 0 and chunk 1, which is on stage 1}}
  %0 = graph.exp %x {pipe.stage = 0 : i64, pipe.virtual_stage = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {pipe.constraints = [{op_name = "exp", chunk = 3 : i64}, {op = "exp", stage = 0 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{"exp" is given stage 0 and chunk 3, which is on stage 1}}
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
