// RUN: pcc-opt %s --split-input-file --verify-diagnostics --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2"

// Models with fewer layers than stages.

// expected-error@+1 {{the model cannot be cut in 2 stages: expected at least 2 layers, one for each stage, got 1}}
func.func @forward(%x: tensor<4x2xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<4x2xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.tanh %x : tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// expected-error@+1 {{the model cannot be cut in 2 stages: it computes nothing from its inputs}}
func.func @forward(%x: tensor<4x2xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<4x2xf32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<4x2xf32>
}
