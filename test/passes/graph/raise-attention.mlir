// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!q = tensor<2x4x3x8xf32>
!k = tensor<2x4x8x3xf32>
!s = tensor<2x4x3x3xf32>
!b = tensor<2x4x3x3xi1>
!g = tensor<2x2x3x8xf32>

// Scores divided by the root of the width, no mask. The key is stored as the matmul reads it.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: %[[R:.*]], %{{.*}} = graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @plain(%q: !q, %k: !q, %v: !q) -> !q {
  %two = graph.constant dense<2.0> : !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.div %0, %two : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// Query and key are both scaled before the matmul; the key is transposed explicitly.
// CHECK-LABEL: func.func @scaled_before
// CHECK: graph.attention %arg0, %{{.*}}, %arg2 scale = 2.500000e-01 :
func.func @scaled_before(%q: !q, %k: !k, %v: !q) -> !q {
  %a = graph.constant dense<0.5> : !q
  %b = graph.constant dense<0.5> : !k
  %0 = graph.mul %q, %a : !q
  %1 = graph.mul %b, %k : !k
  %2 = graph.matmul %0, %1 : !q, !k
  %3 = graph.softmax %2 axis = 3 : !s
  %4 = graph.matmul %3, %v : !s, !q
  return %4 : !q
}

// A select with a constant hides later positions.
// CHECK-LABEL: func.func @causal_select
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @causal_select(%q: !q, %k: !q, %v: !q) -> !q {
  %hidden = graph.constant dense<0xFF800000> : !s
  %c = graph.constant dense<[[[[false, true, true], [false, false, true], [false, false, false]]]]> : tensor<1x1x3x3xi1>
  %m = graph.broadcast %c, [0, 1, 2, 3] : tensor<1x1x3x3xi1> to !b
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.select %m, %hidden, %0 : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// The same as a sum with a matrix; the scale comes before it.
// CHECK-LABEL: func.func @causal_add
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 2.500000e-01 {causal} :
func.func @causal_add(%q: !q, %k: !q, %v: !q) -> !q {
  %s = graph.constant dense<0.25> : !s
  %c = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %m = graph.broadcast %c, [2, 3] : tensor<3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.mul %0, %s : !s
  %2 = graph.add %m, %1 : !s
  %3 = graph.softmax %2 axis = 3 : !s
  %4 = graph.matmul %3, %v : !s, !q
  return %4 : !q
}

// Fewer query positions than key positions, with the first ones aligned: the offset is 0.
// CHECK-LABEL: func.func @causal_offset
// CHECK: %[[O:.*]] = graph.constant dense<0> : tensor<i64>
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 offset(%[[O]] : tensor<i64>) {causal} :
func.func @causal_offset(%q: tensor<2x4x2x8xf32>, %k: !q, %v: !q) -> tensor<2x4x2x8xf32> {
  %hidden = graph.constant dense<-1.0e9> : tensor<2x4x2x3xf32>
  %c = graph.constant dense<[[true, false, false], [true, true, false]]> : tensor<2x3xi1>
  %m = graph.broadcast %c, [2, 3] : tensor<2x3xi1> to tensor<2x4x2x3xi1>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x2x8xf32>, !q
  %1 = graph.select %m, %0, %hidden : tensor<2x4x2x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x2x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x2x3xf32>, !q
  return %3 : tensor<2x4x2x8xf32>
}

// Another constant is a numeric mask, in its small shape.
// CHECK-LABEL: func.func @other_constant
// CHECK: %[[M:.*]] = graph.constant dense<{{.*}}> : tensor<1x1x3x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 1.000000e+00 :
func.func @other_constant(%q: !q, %k: !q, %v: !q) -> !q {
  %c = graph.constant dense<[[0.0, 0.5, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %m = graph.broadcast %c, [2, 3] : tensor<3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.add %0, %m : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// A mask of samples and a causal mask. Both hide by minus infinity, so that a wholly masked row is zero either way.
// CHECK-LABEL: func.func @two_masks
// CHECK: %[[M:.*]] = graph.select %{{.*}} : tensor<2x1x1x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 1.000000e+00 {causal} :
func.func @two_masks(%q: !q, %k: !q, %v: !q, %x: tensor<2x1x1x3xf32>) -> !q {
  %hidden = graph.constant dense<0xFF800000> : !s
  %zero = graph.constant dense<0.0> : tensor<2x1x1x3xf32>
  %p = graph.compare gt %x, %zero : tensor<2x1x1x3xf32>
  %c = graph.constant dense<[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %m = graph.broadcast %c, [2, 3] : tensor<3x3xf32> to !s
  %n = graph.broadcast %p, [0, 1, 2, 3] : tensor<2x1x1x3xi1> to !b
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.select %n, %0, %hidden : !s
  %2 = graph.add %1, %m : !s
  %w = graph.softmax %2 axis = 3 : !s
  %nan = graph.compare ne %w, %w : !s
  %none = graph.constant dense<0.0> : !s
  %3 = graph.select %nan, %none, %w : !s
  %4 = graph.matmul %3, %v : !s, !q
  return %4 : !q
}

// Heads that are repeated for the groups of the query are read once.
// CHECK-LABEL: func.func @grouped
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 : tensor<2x4x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>
func.func @grouped(%q: !q, %k: !g, %v: !g) -> !q {
  %0 = graph.reshape %k : !g to tensor<2x2x1x3x8xf32>
  %1 = graph.broadcast %0, [0, 1, 2, 3, 4] : tensor<2x2x1x3x8xf32> to tensor<2x2x2x3x8xf32>
  %2 = graph.reshape %1 : tensor<2x2x2x3x8xf32> to !q
  %3 = graph.broadcast %v, [0, 1, 3, 4] : !g to tensor<2x2x2x3x8xf32>
  %4 = graph.reshape %3 : tensor<2x2x2x3x8xf32> to !q
  %5 = graph.matmul %q, %2 {transpose_rhs} : !q, !q
  %6 = graph.softmax %5 axis = 3 : !s
  %7 = graph.matmul %6, %4 : !s, !q
  return %7 : !q
}

// Heads that are repeated in the other order (all groups for each head in turn) are not groups.
// CHECK-LABEL: func.func @interleaved
// CHECK: graph.attention %arg0, %{{.*}}, %{{.*}} scale = 1.000000e+00 : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
func.func @interleaved(%q: !q, %k: !g) -> !q {
  %0 = graph.broadcast %k, [0, 2, 3, 4] : !g to tensor<2x2x2x3x8xf32>
  %1 = graph.reshape %0 : tensor<2x2x2x3x8xf32> to !q
  %2 = graph.matmul %q, %1 {transpose_rhs} : !q, !q
  %3 = graph.softmax %2 axis = 3 : !s
  %4 = graph.matmul %3, %1 : !s, !q
  return %4 : !q
}

// A softmax over another dimension is not attention.
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: graph.attention
// CHECK: return
func.func @other_axis(%q: !q, %k: !q, %v: !q) -> !q {
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.softmax %0 axis = 2 : !s
  %2 = graph.matmul %1, %v : !s, !q
  return %2 : !q
}

// The heads of all samples are one dimension, as in a batched matmul of rank 3: they become heads
// of one sample. The mask hides later positions.
// CHECK-LABEL: func.func @rank3
// CHECK-DAG: %[[Q:.*]] = graph.reshape %arg0 : tensor<8x3x8xf32> to tensor<1x8x3x8xf32>
// CHECK-DAG: %[[K:.*]] = graph.reshape %arg1 : tensor<8x3x8xf32> to tensor<1x8x3x8xf32>
// CHECK: %[[R:.*]], %{{.*}} = graph.attention %[[Q]], %[[K]], %{{.*}} scale = 5.000000e-01 {causal} : tensor<1x8x3x8xf32>
// CHECK: graph.reshape %[[R]] : tensor<1x8x3x8xf32> to tensor<8x3x8xf32>
// CHECK-NOT: graph.softmax
func.func @rank3(%q: tensor<8x3x8xf32>, %k: tensor<8x3x8xf32>, %v: tensor<8x3x8xf32>) -> tensor<8x3x8xf32> {
  %half = graph.constant dense<0.5> : tensor<8x3x8xf32>
  %mask = graph.constant dense<[[0.0, -1.0e10, -1.0e10], [0.0, 0.0, -1.0e10], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %masks = graph.broadcast %mask, [1, 2] : tensor<3x3xf32> to tensor<8x3x3xf32>
  %0 = graph.mul %q, %half : tensor<8x3x8xf32>
  %1 = graph.matmul %0, %k {transpose_rhs} : tensor<8x3x8xf32>, tensor<8x3x8xf32>
  %2 = graph.add %1, %masks : tensor<8x3x3xf32>
  %3 = graph.softmax %2 axis = 2 : tensor<8x3x3xf32>
  %4 = graph.matmul %3, %v : tensor<8x3x3xf32>, tensor<8x3x8xf32>
  return %4 : tensor<8x3x8xf32>
}

// Each of the heads has its own mask.
// CHECK-LABEL: func.func @rank3_mask
// CHECK: %[[M:.*]] = graph.reshape %arg3 : tensor<8x3x3xf32> to tensor<1x8x3x3xf32>
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %[[M]]
func.func @rank3_mask(%q: tensor<8x3x8xf32>, %k: tensor<8x3x8xf32>, %v: tensor<8x3x8xf32>, %mask: tensor<8x3x3xf32>) -> tensor<8x3x8xf32> {
  %1 = graph.matmul %q, %k {transpose_rhs} : tensor<8x3x8xf32>, tensor<8x3x8xf32>
  %2 = graph.add %1, %mask : tensor<8x3x3xf32>
  %3 = graph.softmax %2 axis = 2 : tensor<8x3x3xf32>
  %4 = graph.matmul %3, %v : tensor<8x3x3xf32>, tensor<8x3x8xf32>
  return %4 : tensor<8x3x8xf32>
}
