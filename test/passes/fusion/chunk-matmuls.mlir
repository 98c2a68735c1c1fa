// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=2x1xV100 --fuse-chunk-matmuls='chunks=2' | FileCheck %s
// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=2x1xV100 --fuse-chunk-matmuls='chunks=4' --remarks-filter=fusion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not pcc-opt %s --split-input-file --attach-cluster=cluster=2xbanana --fuse-chunk-matmuls -o /dev/null 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: not pcc-opt %s --split-input-file --fuse-chunk-matmuls=chunks=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected one chunk of a matmul or more, got 0
// MACHINE: error: {{.*}}banana

// A sum takes as long as its matmul: one half of the rows is summed while the other half is
// computed. Shape ops between matmul and sum are moved after the sum.
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  // CHECK-LABEL: func.func @long
  // CHECK: %[[X0:.+]] = graph.slice %arg0 axis = 0 start = 0 : tensor<16384x2048xf32> to tensor<8192x2048xf32>
  // CHECK: %[[Y0:.+]] = graph.matmul %[[X0]], %arg1 {transpose_rhs} : tensor<8192x2048xf32>, tensor<4096x2048xf32>
  // CHECK: %[[S0:.+]] = dist.all_reduce sum %[[Y0]] over <axes [tp]> : tensor<8192x4096xf32>
  // CHECK: %[[X1:.+]] = graph.slice %arg0 axis = 0 start = 8192
  // CHECK: %[[Y1:.+]] = graph.matmul %[[X1]], %arg1
  // CHECK: %[[S1:.+]] = dist.all_reduce sum %[[Y1]]
  // CHECK: %[[Y:.+]] = graph.concat %[[S0]], %[[S1]] axis = 0
  // CHECK: %[[R:.+]] = graph.reshape %[[Y]] : tensor<16384x4096xf32> to tensor<4x4096x4096xf32>
  // CHECK-NOT: graph.matmul
  // CHECK: graph.exp %[[R]]
  // REMARK: chunk-matmuls{{.*}}chunks=4
  func.func @long(%x: tensor<16384x2048xf32>, %w: tensor<4096x2048xf32>) -> tensor<4x4096x4096xf32> {
    %0 = graph.matmul %x, %w {transpose_rhs} : tensor<16384x2048xf32>, tensor<4096x2048xf32>
    %1 = graph.reshape %0 : tensor<16384x4096xf32> to tensor<4x4096x4096xf32>
    %2 = dist.all_reduce sum %1 over <axes [tp]> : tensor<4x4096x4096xf32>
    %3 = graph.exp %2 : tensor<4x4096x4096xf32>
    return %3 : tensor<4x4096x4096xf32>
  }
}

// -----

// If a chunk has little work, latencies make chunks cost more than the whole.
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  // CHECK-LABEL: func.func @short
  // CHECK-NOT: graph.slice
  // REMARK: chunk-matmuls{{.*}}chunks=1
  func.func @short(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> tensor<16x16xf32> {
    %0 = graph.matmul %x, %w : tensor<16x32xf32>, tensor<32x16xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}

// -----

// Not split: matmuls with other readers, matmuls of weight gradients, whose rows are not batch
// rows, and sums of other values.
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  // CHECK-LABEL: func.func @others
  // CHECK-NOT: graph.slice
  func.func @others(%x: tensor<16384x2048xf32>, %w: tensor<2048x4096xf32>, %t: tensor<2048x16384xf32>)
      -> (tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<16384x4096xf32>) {
    %0 = graph.matmul %x, %w : tensor<16384x2048xf32>, tensor<2048x4096xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<16384x4096xf32>
    %2 = graph.matmul %t, %w {transpose_lhs} : tensor<2048x16384xf32>, tensor<2048x4096xf32>
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<16384x4096xf32>
    return %0, %1, %3 : tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<16384x4096xf32>
  }
}
