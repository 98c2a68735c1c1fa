// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(schedule-assign-kernels),schedule-plan-memory,lower-to-task)' | FileCheck %s

// An output with a row of scores for each number of an integer input is measured by it.
// CHECK-LABEL: task.program
// CHECK: task.accuracy "scores", "label"
module {
  func.func @forward(%x: tensor<4x10xf32> {graph.role = #graph.role<input "x">},
                     %l: tensor<4xi64> {graph.role = #graph.role<input "label">})
      -> (tensor<4x10xf32> {graph.role = #graph.role<output "scores">}) {
    %0 = graph.relu %x : tensor<4x10xf32>
    return %0 : tensor<4x10xf32>
  }
}

// -----

// Inputs that are no rows of one batch are no labels: here positions in a table.
// CHECK-LABEL: task.program
// CHECK-NOT: task.accuracy
module {
  func.func @forward(%table: tensor<7x10xf32> {graph.role = #graph.role<input "table">},
                     %i: tensor<4xi64> {graph.role = #graph.role<input "positions">})
      -> (tensor<4x10xf32> {graph.role = #graph.role<output "rows">}) {
    %0 = graph.gather %table, %i axis = 0 : tensor<7x10xf32>, tensor<4xi64>
    return %0 : tensor<4x10xf32>
  }
}
