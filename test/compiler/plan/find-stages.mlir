// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse" | FileCheck %s
// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 virtual-stages=2 micro-batches=4" | FileCheck %s --check-prefix=CHUNKS

// Four equal matmuls: two in each stage, or one in each chunk. Values computed from parameters join
// their first reader. A residual is never cut through.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.matmul %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.matmul %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.tanh %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.add %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.transpose %{{.*}} {pipe.stage = 1 : i64}
// CHECK: graph.matmul %{{.*}} {pipe.stage = 1 : i64}
// CHECK: graph.matmul %{{.*}} {pipe.stage = 1 : i64}

// CHUNKS-LABEL: func.func @forward(
// CHUNKS: graph.matmul %{{.*}} {pipe.virtual_stage = 0 : i64}
// CHUNKS: graph.matmul %{{.*}} {pipe.virtual_stage = 1 : i64}
// CHUNKS: graph.tanh %{{.*}} {pipe.virtual_stage = 1 : i64}
// CHUNKS: graph.add %{{.*}} {pipe.virtual_stage = 1 : i64}
// CHUNKS: graph.matmul %{{.*}} {pipe.virtual_stage = 2 : i64}
// CHUNKS: graph.matmul %{{.*}} {pipe.virtual_stage = 3 : i64}
graph.parameter @a : tensor<512x512xf32> init(#graph.init<zeros>)
graph.parameter @b : tensor<512x512xf32> init(#graph.init<zeros>)
graph.parameter @c : tensor<512x512xf32> init(#graph.init<zeros>)
graph.parameter @d : tensor<512x512xf32> init(#graph.init<zeros>)
func.func @forward(%x: tensor<256x512xf32> {graph.role = #graph.role<input "x">},
                   %a: tensor<512x512xf32> {graph.role = #graph.role<parameter "a">},
                   %b: tensor<512x512xf32> {graph.role = #graph.role<parameter "b">},
                   %c: tensor<512x512xf32> {graph.role = #graph.role<parameter "c">},
                   %d: tensor<512x512xf32> {graph.role = #graph.role<parameter "d">})
    -> (tensor<256x512xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.matmul %x, %a : tensor<256x512xf32>, tensor<512x512xf32>
  %1 = graph.matmul %0, %b : tensor<256x512xf32>, tensor<512x512xf32>
  %2 = graph.tanh %1 : tensor<256x512xf32>
  %3 = graph.add %2, %0 : tensor<256x512xf32>
  %4 = graph.transpose %c, [1, 0] : tensor<512x512xf32>
  %5 = graph.matmul %3, %4 : tensor<256x512xf32>, tensor<512x512xf32>
  %6 = graph.matmul %5, %d : tensor<256x512xf32>, tensor<512x512xf32>
  return %6 : tensor<256x512xf32>
}

// -----

// A model with any assigned stage stays unchanged.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp %{{.*}} {pipe.stage = 1 : i64}
// CHECK: graph.tanh %{{.*}} : tensor<4xf32>
func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.exp %x {pipe.stage = 1 : i64} : tensor<4xf32>
  %1 = graph.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
