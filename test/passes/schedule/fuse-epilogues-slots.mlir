// RUN: pcc-opt %s --schedule-fuse-epilogues --remarks-filter=schedule --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Where gradients add up over slots, a bias and a rectifier are part of a record, and sums are not. Sections that run once may
// sum: the one that comes last has no result that adds up.
// expected-remark @below {{biases=1, gelu gradients=0, gelus=0, relus=1, sums=1}}
module {
  // CHECK-LABEL: @forward_backward
  // CHECK: graph.relu {{.*}} {task.product = 0 : i64}
  // CHECK: graph.matmul {{.*}} {transpose_lhs}
  // CHECK-NEXT: graph.reduce sum %arg0, [0] : tensor<4x8xf32>
  func.func @forward_backward(%g: tensor<4x8xf32> {graph.role = #graph.role<input "g">},
                              %x: tensor<4x8xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">},
                              %b: tensor<8xf32> {graph.role = #graph.role<parameter "b">})
      -> (tensor<4x8xf32> {graph.role = #graph.role<output "y">},
          tensor<8x8xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 0.5>},
          tensor<8xf32> {graph.role = #graph.role<gradient "b">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) {
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
    %2 = graph.add %0, %1 : tensor<4x8xf32>
    %3 = graph.relu %2 : tensor<4x8xf32>
    %4 = graph.matmul %g, %x {transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32>
    %5 = graph.reduce sum %g, [0] : tensor<4x8xf32>
    return %3, %4, %5 : tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>
  }
  // CHECK-LABEL: @update
  // CHECK: graph.matmul {{.*}} {task.product = 0 : i64, transpose_lhs}
  // CHECK-NEXT: graph.reduce sum %arg0, [0] {task.product = 0 : i64}
  func.func @update(%w: tensor<8x8xf32> {graph.role = #graph.role<gradient "w">},
                    %b: tensor<8xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<8x8xf32> {graph.role = #graph.role<parameter "w">}, tensor<8xf32> {graph.role = #graph.role<parameter "b">}) {
    %0 = graph.matmul %w, %w {transpose_lhs} : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = graph.reduce sum %w, [0] : tensor<8x8xf32>
    %2 = graph.add %1, %b : tensor<8xf32>
    return %0, %2 : tensor<8x8xf32>, tensor<8xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.slot @forward_backward microbatch = 0 copy = 0
    pipe.slot @forward_backward microbatch = 1 copy = 0
    pipe.slot @update
  }
}
