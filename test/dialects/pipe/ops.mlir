// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// A step of two microbatches: gradients are summed over the actions and halved.

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
  // CHECK-NEXT: pipe.action @forward_backward microbatch = 0 copy = 0
  pipe.action @forward_backward microbatch = 0 copy = 0
  // CHECK-NEXT: pipe.action @forward_backward microbatch = 1 copy = 0
  pipe.action @forward_backward microbatch = 1 copy = 0
  // CHECK-NEXT: pipe.action @update
  pipe.action @update
}

// An action for all copies of a microbatch: its section has the rows of each copy.

// CHECK: tensor<4xf32> {pipe.copy = 1 : i64}
func.func @all_copies(%x: tensor<4xf32> {pipe.copy = 0 : i64}, %y: tensor<4xf32> {pipe.copy = 1 : i64}) {
  return
}
// CHECK: pipe.step @interleaved micro_batches = 1 copies = 2
pipe.step @interleaved micro_batches = 1 copies = 2 micro_reduction = sum {
  // CHECK-NEXT: pipe.action @all_copies microbatch = 0{{$}}
  pipe.action @all_copies microbatch = 0
}
