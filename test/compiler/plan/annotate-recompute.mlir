// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=1xcpu --plan-annotate-recompute='parts=0,1' | FileCheck %s
// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=1xcpu --plan-annotate-recompute='parts=0 alone' | FileCheck %s --check-prefix=ALONE
// RUN: not pcc-opt %s --split-input-file --attach-cluster=cluster=1xcpu --plan-annotate-recompute='parts=9' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: expected numbers of parts below 2, got 9

// Cheap ops are recomputed first, matmuls later; results of the segment are saved. Names identify the ops.
// CHECK: pipe.constraints = [{marked, op_name = "/exp", recompute}, {marked, op_name = "/sin", recompute}, {marked, op_name = "/first", recompute}, {marked, op_name = "/second", recompute}]
// ALONE: pipe.constraints = [{marked, op_name = "/exp", recompute}, {marked, op_name = "/sin", recompute}]
// ALONE: graph.matmul {{.*}}pipe.stage = 0
module {
  func.func @forward(%x: tensor<8x8xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<8x8xf32> {graph.role = #graph.role<output "y">}) {
    %0 = graph.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> loc("/first")
    %1 = graph.exp %0 : tensor<8x8xf32> loc("/exp")
    %2 = graph.matmul %1, %1 : tensor<8x8xf32>, tensor<8x8xf32> loc("/second")
    %3 = graph.sin %2 : tensor<8x8xf32> loc("/sin")
    %4 = graph.neg %3 : tensor<8x8xf32> loc("/neg")
    return %4 : tensor<8x8xf32>
  }
}
