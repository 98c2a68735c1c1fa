// RUN: pcc-opt %s --fuse-epilogues --fuse-assign-kernels --schedule-plan-memory --schedule-verify-memory -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-opt %t.mlir --lower-to-task | FileCheck %s --check-prefix=TASK

// If gradients add up over actions, the instruction of a weight's gradient adds to its sum. It
// leaves out the bias's gradient, which another instruction adds.
module {
  // CHECK-LABEL: @forward_backward
  // CHECK: graph.relu {{.*}}task.matmul_group = 0 : i64{{.*}}}
  // CHECK: graph.matmul {{.*}} {task.kernel = 1 : i64, task.matmul_group = 1 : i64, task.place = #task.place<persistent + 320>, transpose_lhs}
  // CHECK-NEXT: graph.reduce sum %arg0, [0] {task.kernel = 1 : i64, task.matmul_group = 1 : i64{{.*}}}
  // TASK: task.section @forward_backward
  // TASK: task.matmul {{.*}} into %[[W:[0-9]+]] sum_of_a %[[B:[0-9]+]] {{.*}}accumulation = #task<accumulation add_after_first>
  // TASK-NOT: task.accumulate %[[W]]
  // TASK: task.accumulate %[[B]] into
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
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}
