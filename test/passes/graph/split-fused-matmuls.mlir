// RUN: pcc-opt %s --split-input-file --graph-split-fused-matmuls --graph-canonicalize | FileCheck %s
// RUN: rm -rf %t && split-file %s %t
// RUN: pcc-opt %t/qkv.mlir --graph-split-fused-matmuls -o %t/split.mlir
// RUN: pcc verify %t/qkv.mlir %t/split.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: pcc-opt %t/heads.mlir --graph-split-fused-matmuls -o %t/split.mlir
// RUN: pcc verify %t/heads.mlir %t/split.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: pcc-opt %t/gated.mlir --graph-split-fused-matmuls -o %t/split.mlir
// RUN: pcc verify %t/gated.mlir %t/split.mlir | FileCheck %s --check-prefix=EQUAL
// EQUAL: verify: 1 passed, 0 failed

//--- qkv.mlir
// Query, key and value are slices of one matmul with a bias; each is named after its place in the
// attention. The weight is stored as [out, in]: a slice of it is contiguous.
// CHECK-LABEL: graph.parameter @"w[q]" : tensor<8x6xf32>
// CHECK-SAME:    graph.part = {offset = 0 : i64, period = 144 : i64, shape = array<i64: 24, 6>, whole = "w"}
// CHECK-NEXT:  graph.parameter @"w[k]" {{.*}}offset = 48 : i64
// CHECK-NEXT:  graph.parameter @"w[v]" {{.*}}offset = 96 : i64
// CHECK-NEXT:  graph.parameter @"b[q]" : tensor<8xf32> init(<file>) {{.*}}value = dense<[0.000000e+00, 1.000000e+00, {{.*}}7.000000e+00]>
// CHECK-NEXT:  graph.parameter @"b[k]" {{.*}}value = dense<[8.000000e+00,
// CHECK-NEXT:  graph.parameter @"b[v]"
// CHECK:       func.func @forward(%[[X:[^:]*]]: tensor<2x5x6xf32>, %[[WQ:[^:]*]]: tensor<8x6xf32> {graph.role = #graph.role<parameter "w[q]">}, %[[WK:[^:]*]]: tensor<8x6xf32>
// CHECK:         %[[Q:.*]] = graph.einsum "bsi,oi->bso" %[[X]], %[[WQ]]
// CHECK:         %[[K:.*]] = graph.einsum "bsi,oi->bso" %[[X]], %[[WK]]
// CHECK:         graph.einsum
// CHECK-DAG:     graph.add %[[Q]]
// CHECK-DAG:     graph.reshape {{.*}} : tensor<2x5x8xf32> to tensor<2x5x2x4xf32>
// CHECK-DAG:     graph.transpose {{.*}} : tensor<2x5x2x4xf32>
// CHECK-NOT:     graph.slice
// CHECK:         graph.attention
module {
  graph.parameter @w : tensor<24x6xf32> init(<normal, 0.0, 0.5>)
  graph.parameter @b : tensor<24xf32> init(<file>) {value = dense<[0.,1.,2.,3.,4.,5.,6.,7.,8.,9.,10.,11.,12.,13.,14.,15.,16.,17.,18.,19.,20.,21.,22.,23.]> : tensor<24xf32>}
  func.func @forward(%x: tensor<2x5x6xf32>, %w: tensor<24x6xf32> {graph.role = #graph.role<parameter "w">},
                     %b: tensor<24xf32> {graph.role = #graph.role<parameter "b">}) -> tensor<2x2x5x4xf32> {
    %p = graph.einsum "bsi,oi->bso" %x, %w : tensor<2x5x6xf32>, tensor<24x6xf32>
    %bs = graph.broadcast %b, [2] : tensor<24xf32> to tensor<2x5x24xf32>
    %a = graph.add %p, %bs : tensor<2x5x24xf32>
    %r = graph.reshape %a : tensor<2x5x24xf32> to tensor<2x5x3x2x4xf32>
    %t = graph.transpose %r, [2, 0, 3, 1, 4] : tensor<2x5x3x2x4xf32>
    %q0 = graph.slice %t axis = 0 start = 0 : tensor<3x2x2x5x4xf32> to tensor<1x2x2x5x4xf32>
    %k0 = graph.slice %t axis = 0 start = 1 : tensor<3x2x2x5x4xf32> to tensor<1x2x2x5x4xf32>
    %v0 = graph.slice %t axis = 0 start = 2 : tensor<3x2x2x5x4xf32> to tensor<1x2x2x5x4xf32>
    %q = graph.reshape %q0 : tensor<1x2x2x5x4xf32> to tensor<2x2x5x4xf32>
    %k = graph.reshape %k0 : tensor<1x2x2x5x4xf32> to tensor<2x2x5x4xf32>
    %v = graph.reshape %v0 : tensor<1x2x2x5x4xf32> to tensor<2x2x5x4xf32>
    %y:2 = graph.attention %q, %k, %v scale = 0.5 : tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>
    return %y#0 : tensor<2x2x5x4xf32>
  }
}

// -----
//--- heads.mlir
// Groups of two queries, a key and a value follow each other: a slice is some columns of every group.
// CHECK-LABEL: graph.parameter @"w[q]" : tensor<6x12xf32>
// CHECK-SAME:    graph.part = {offset = 0 : i64, period = 12 : i64, shape = array<i64: 6, 24>, whole = "w"}
// CHECK-NEXT:  graph.parameter @"w[k]" : tensor<6x6xf32> {{.*}}offset = 6 : i64
// CHECK-NEXT:  graph.parameter @"w[v]" : tensor<6x6xf32> {{.*}}offset = 9 : i64
// CHECK:         graph.matmul {{.*}} : tensor<10x6xf32>, tensor<6x12xf32>
// CHECK:         graph.reshape {{.*}} : tensor<10x12xf32> to tensor<2x5x4x3xf32>
// CHECK-NOT:     graph.split
module {
  graph.parameter @w : tensor<6x24xf32> init(<uniform, -1.0, 1.0>)
  func.func @forward(%x: tensor<10x6xf32>, %w: tensor<6x24xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<2x4x5x3xf32> {
    %p = graph.matmul %x, %w : tensor<10x6xf32>, tensor<6x24xf32>
    %r = graph.reshape %p : tensor<10x24xf32> to tensor<2x5x2x4x3xf32>
    %q0, %k0, %v0 = graph.split %r axis = 3 : tensor<2x5x2x4x3xf32> to tensor<2x5x2x2x3xf32>, tensor<2x5x2x1x3xf32>, tensor<2x5x2x1x3xf32>
    %q1 = graph.reshape %q0 : tensor<2x5x2x2x3xf32> to tensor<2x5x4x3xf32>
    %k1 = graph.reshape %k0 : tensor<2x5x2x1x3xf32> to tensor<2x5x2x3xf32>
    %v1 = graph.reshape %v0 : tensor<2x5x2x1x3xf32> to tensor<2x5x2x3xf32>
    %q = graph.transpose %q1, [0, 2, 1, 3] : tensor<2x5x4x3xf32>
    %k = graph.transpose %k1, [0, 2, 1, 3] : tensor<2x5x2x3xf32>
    %v = graph.transpose %v1, [0, 2, 1, 3] : tensor<2x5x2x3xf32>
    %y:2 = graph.attention %q, %k, %v scale = 0.5 : tensor<2x4x5x3xf32>, tensor<2x2x5x3xf32>, tensor<2x2x5x3xf32>
    return %y#0 : tensor<2x4x5x3xf32>
  }
}

// -----
//--- gated.mlir
// Slices that enter no attention are numbered. A slice that is read twice is one matmul.
// CHECK-LABEL: graph.parameter @"w[0]" : tensor<6x4xf32>
// CHECK-NEXT:  graph.parameter @"w[1]" : tensor<6x4xf32>
// CHECK-COUNT-2: graph.matmul
// CHECK-NOT:     graph.matmul
module {
  graph.parameter @w : tensor<6x8xf32> init(<ones>)
  func.func @forward(%x: tensor<10x6xf32>, %w: tensor<6x8xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<10x4xf32> {
    %p = graph.matmul %x, %w : tensor<10x6xf32>, tensor<6x8xf32>
    %gate, %up = graph.split %p axis = 1 : tensor<10x8xf32> to tensor<10x4xf32>, tensor<10x4xf32>
    %again = graph.slice %p axis = 1 start = 4 : tensor<10x8xf32> to tensor<10x4xf32>
    %s = graph.silu %gate : tensor<10x4xf32>
    %m = graph.mul %s, %up : tensor<10x4xf32>
    %y = graph.add %m, %again : tensor<10x4xf32>
    return %y : tensor<10x4xf32>
  }
}

// -----
//--- kept.mlir
// A matmul or weight that any op reads whole is not split.
// CHECK-LABEL: func.func @product_is_read
// CHECK:         graph.split
// CHECK-LABEL: func.func @weight_is_read
// CHECK:         graph.split
// CHECK-LABEL: func.func @columns_are_left
// CHECK:         graph.slice
module {
  graph.parameter @w1 : tensor<6x8xf32> init(<ones>)
  graph.parameter @w2 : tensor<6x8xf32> init(<ones>)
  graph.parameter @w3 : tensor<6x8xf32> init(<ones>)
  func.func @product_is_read(%x: tensor<10x6xf32>, %w: tensor<6x8xf32> {graph.role = #graph.role<parameter "w1">})
      -> (tensor<10x4xf32>, tensor<10x4xf32>, tensor<10x8xf32>) {
    %p = graph.matmul %x, %w : tensor<10x6xf32>, tensor<6x8xf32>
    %a, %b = graph.split %p axis = 1 : tensor<10x8xf32> to tensor<10x4xf32>, tensor<10x4xf32>
    return %a, %b, %p : tensor<10x4xf32>, tensor<10x4xf32>, tensor<10x8xf32>
  }
  func.func @weight_is_read(%x: tensor<10x6xf32>, %w: tensor<6x8xf32> {graph.role = #graph.role<parameter "w2">})
      -> (tensor<10x4xf32>, tensor<10x4xf32>, tensor<6x8xf32>) {
    %p = graph.matmul %x, %w : tensor<10x6xf32>, tensor<6x8xf32>
    %a, %b = graph.split %p axis = 1 : tensor<10x8xf32> to tensor<10x4xf32>, tensor<10x4xf32>
    return %a, %b, %w : tensor<10x4xf32>, tensor<10x4xf32>, tensor<6x8xf32>
  }
  func.func @columns_are_left(%x: tensor<10x6xf32>, %w: tensor<6x8xf32> {graph.role = #graph.role<parameter "w3">})
      -> tensor<10x4xf32> {
    %p = graph.matmul %x, %w : tensor<10x6xf32>, tensor<6x8xf32>
    %a = graph.slice %p axis = 1 start = 0 : tensor<10x8xf32> to tensor<10x4xf32>
    return %a : tensor<10x4xf32>
  }
}
