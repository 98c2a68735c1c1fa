// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory,lower-to-task)' | FileCheck %s

// An output with a row of scores for each number of an integer input is measured against the input.
// CHECK-LABEL: task.program
// CHECK: task.metric accuracy "scores", "label"
// CHECK: task.metric perplexity "scores", "label" {on_request}
module {
  func.func @forward(%x: tensor<4x10xf32> {graph.role = #graph.role<input "x">},
                     %l: tensor<4xi64> {graph.role = #graph.role<input "label">})
      -> (tensor<4x10xf32> {graph.role = #graph.role<output "scores">}) {
    %0 = graph.relu %x : tensor<4x10xf32>
    return %0 : tensor<4x10xf32>
  }
}

// -----

// A batch of sequences: perplexity is evaluated by default.
// CHECK-LABEL: task.program
// CHECK: task.metric accuracy "scores", "next"
// CHECK: task.metric perplexity "scores", "next"{{$}}
module {
  func.func @forward(%x: tensor<4x3x10xf32> {graph.role = #graph.role<input "x">},
                     %l: tensor<4x3xi64> {graph.role = #graph.role<input "next">})
      -> (tensor<4x3x10xf32> {graph.role = #graph.role<output "scores">}) {
    %0 = graph.relu %x : tensor<4x3x10xf32>
    return %0 : tensor<4x3x10xf32>
  }
}

// -----

// Inputs of the scores are not labels; a single score is not a choice.
// CHECK-LABEL: task.program
// CHECK-NOT: task.metric
module {
  func.func @forward(%tokens: tensor<4xi64> {graph.role = #graph.role<input "tokens">},
                     %label: tensor<4xi64> {graph.role = #graph.role<input "label">})
      -> (tensor<4x1xi64> {graph.role = #graph.role<output "score">}) {
    %0 = graph.reshape %tokens : tensor<4xi64> to tensor<4x1xi64>
    return %0 : tensor<4x1xi64>
  }
}

// -----

// A loss of the evaluation's own may read the labels.
// CHECK-LABEL: task.program
// CHECK: task.metric accuracy "scores", "label"
module {
  func.func @forward(%tokens: tensor<4xi64> {graph.role = #graph.role<input "tokens">},
                     %table: tensor<7x10xf32> {graph.role = #graph.role<parameter "table">},
                     %label: tensor<4xi64> {graph.role = #graph.role<input "label">})
      -> (tensor<4x10xf32> {graph.role = #graph.role<output "scores">},
          tensor<4xi64> {graph.role = #graph.role<output "wrong">}) {
    %0 = graph.gather %table, %tokens axis = 0 : tensor<7x10xf32>, tensor<4xi64>
    %1 = graph.sub %tokens, %label : tensor<4xi64>
    return %0, %1 : tensor<4x10xf32>, tensor<4xi64>
  }
}

// -----

// Inputs that are not rows of one batch are not labels: here positions in a table.
// CHECK-LABEL: task.program
// CHECK-NOT: task.metric
module {
  func.func @forward(%table: tensor<7x10xf32> {graph.role = #graph.role<input "table">},
                     %i: tensor<4xi64> {graph.role = #graph.role<input "positions">})
      -> (tensor<4x10xf32> {graph.role = #graph.role<output "rows">}) {
    %0 = graph.gather %table, %i axis = 0 : tensor<7x10xf32>, tensor<4xi64>
    return %0 : tensor<4x10xf32>
  }
}
