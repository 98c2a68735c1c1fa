// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// A step of two microbatches: gradients are summed over the slots and halved.

// CHECK: pipe.accumulate = #pipe.accumulate<scale = 5.000000e-01>
func.func @forward_backward() -> (tensor<4xf32> {pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @update() {
  return
}
// CHECK: pipe.step @train micro_batches = 2 copies = 1 micro_reduction = {{ ?}}sum {
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
  // CHECK-NEXT: pipe.slot @forward_backward microbatch = 0 copy = 0
  pipe.slot @forward_backward microbatch = 0 copy = 0
  // CHECK-NEXT: pipe.slot @forward_backward microbatch = 1 copy = 0
  pipe.slot @forward_backward microbatch = 1 copy = 0
  // CHECK-NEXT: pipe.slot @update
  pipe.slot @update
}
