// RUN: pcc-opt %s --graph-split-batch=count=0 --verify-diagnostics

// An invalid count.
// expected-error @+1 {{expected 1 or more parts, microbatches times copies, got 0}}
func.func @f(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) {
  return
}
