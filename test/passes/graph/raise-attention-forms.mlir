// Forms of attention that torch exports. Each has the same values before and after.
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!q = tensor<2x4x3x8xf32>
!s = tensor<2x4x3x3xf32>
!b = tensor<2x4x3x3xi1>
!g = tensor<2x2x3x8xf32>
!h = tensor<2x4x3x8xbf16>

// scaled_dot_product_attention: query and key are multiplied by the root of the scale, the key is transposed in a
// tensor of rank 3, each head is repeated for its group, and rows without a visible position are zero. The mask comes
// from an input.
// CHECK-LABEL: func.func @torch
// CHECK: %[[M:.*]] = graph.select %arg3, %{{.*}}, %{{.*}} : tensor<2x1x3x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 2.500000e-01 : tensor<2x4x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x1x3x3xf32>
// CHECK-NOT: graph.softmax
func.func @torch(%q: !q, %k: !g, %v: !g, %p: tensor<2x1x3x3xi1>) -> !q {
  %half = graph.constant dense<0.5> : !q
  %halfk = graph.constant dense<0.5> : tensor<2x4x8x3xf32>
  %seen = graph.constant dense<0.0> : tensor<2x1x3x3xf32>
  %hidden = graph.constant dense<0xFF800000> : tensor<2x1x3x3xf32>
  %none = graph.constant dense<0.0> : !s
  %k5 = graph.reshape %k : !g to tensor<2x2x1x3x8xf32>
  %kb = graph.broadcast %k5, [0, 1, 2, 3, 4] : tensor<2x2x1x3x8xf32> to tensor<2x2x2x3x8xf32>
  %k3 = graph.reshape %kb : tensor<2x2x2x3x8xf32> to tensor<8x3x8xf32>
  %kt = graph.transpose %k3, [0, 2, 1] : tensor<8x3x8xf32>
  %k4 = graph.reshape %kt : tensor<8x8x3xf32> to tensor<2x4x8x3xf32>
  %v5 = graph.reshape %v : !g to tensor<2x2x1x3x8xf32>
  %vb = graph.broadcast %v5, [0, 1, 2, 3, 4] : tensor<2x2x1x3x8xf32> to tensor<2x2x2x3x8xf32>
  %v4 = graph.reshape %vb : tensor<2x2x2x3x8xf32> to !q
  %qs = graph.mul %q, %half : !q
  %ks = graph.mul %k4, %halfk : tensor<2x4x8x3xf32>
  %m = graph.select %p, %seen, %hidden : tensor<2x1x3x3xf32>
  %mb = graph.broadcast %m, [0, 1, 2, 3] : tensor<2x1x3x3xf32> to !s
  %0 = graph.matmul %qs, %ks : !q, tensor<2x4x8x3xf32>
  %1 = graph.add %0, %mb : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %nan = graph.compare ne %2, %2 : !s
  %3 = graph.select %nan, %none, %2 : !s
  %4 = graph.matmul %3, %v4 : !s, !q
  return %4 : !q
}

// A constant mask of booleans that torch computes for every sample: it is causal. No row is wholly masked.
// CHECK-LABEL: func.func @causal_constant
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @causal_constant(%q: !q, %k: !q, %v: !q) -> !q {
  %c = graph.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]], [[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<2x1x3x3xi1>
  %seen = graph.constant dense<0.0> : tensor<2x1x3x3xf32>
  %hidden = graph.constant dense<-3.40282347E+38> : tensor<2x1x3x3xf32>
  %m = graph.select %c, %seen, %hidden : tensor<2x1x3x3xf32>
  %mb = graph.broadcast %m, [0, 1, 2, 3] : tensor<2x1x3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.add %0, %mb : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// A causal mask of bf16 in a resource, as large models have it.
// CHECK-LABEL: func.func @causal_half
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @causal_half(%q: !h, %k: !h, %v: !h) -> !h {
  %c = graph.constant dense_resource<mask> : tensor<1x1x3x3xbf16>
  %m = graph.broadcast %c, [0, 1, 2, 3] : tensor<1x1x3x3xbf16> to tensor<2x4x3x3xbf16>
  %0 = graph.matmul %q, %k {transpose_rhs} : !h, !h
  %1 = graph.add %0, %m : tensor<2x4x3x3xbf16>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xbf16>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xbf16>, !h
  return %3 : !h
}

// A mask of zeros hides nothing.
// CHECK-LABEL: func.func @no_mask
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
func.func @no_mask(%q: !q, %k: !q, %v: !q) -> !q {
  %m = graph.constant dense<0.0> : tensor<2x1x3x3xf32>
  %mb = graph.broadcast %m, [0, 1, 2, 3] : tensor<2x1x3x3xf32> to !s
  %r = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %0 = graph.add %r, %mb : !s
  %c = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %cb = graph.broadcast %c, [0, 1, 2, 3] : tensor<1x1x3x3xi1> to !b
  %hidden = graph.constant dense<0xFF800000> : !s
  %1 = graph.select %cb, %0, %hidden : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// A sliding window of two positions: causal, and a mask for those left of the window.
// CHECK-LABEL: func.func @window
// CHECK: %[[M:.*]] = graph.constant dense<{{.*}}> : tensor<1x1x3x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 1.000000e+00 {causal} :
func.func @window(%q: !q, %k: !q, %v: !q) -> !q {
  %c = graph.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0]]> : tensor<3x3xf32>
  %m = graph.broadcast %c, [2, 3] : tensor<3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.add %0, %m : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// A causal mask with a first row that sees nothing: the softmax of finite scores is not zero there.
// CHECK-LABEL: func.func @finite_row
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor
func.func @finite_row(%q: !q, %k: !q, %v: !q) -> !q {
  %c = graph.constant dense<[[-1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9]]> : tensor<3x3xf32>
  %m = graph.broadcast %c, [2, 3] : tensor<3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.add %0, %m : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// masked_fill by a finite number: a wholly masked row has equal weights, and its query no gradient.
// CHECK-LABEL: func.func @finite_select
// CHECK: %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<2x4x3x8xf32>
// CHECK: graph.reduce max
// CHECK: %[[Q:.*]] = graph.select %{{.*}}, %arg0, %[[Z]] : tensor<2x4x3x8xf32>
// CHECK: graph.attention %[[Q]], %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : {{.*}}, tensor<2x1x3x3xf32>
func.func @finite_select(%q: !q, %k: !q, %v: !q, %p: tensor<2x1x3x3xi1>) -> !q {
  %hidden = graph.constant dense<-3.40282347E+38> : !s
  %m = graph.broadcast %p, [0, 1, 2, 3] : tensor<2x1x3x3xi1> to !b
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.select %m, %hidden, %0 : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// ALiBi: slopes times distances, scaled with the scores, and a causal mask. Heads and samples are one dimension at first.
// CHECK-LABEL: func.func @alibi
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale = 5.000000e-01 {causal} : tensor<2x4x3x8xf32>, {{.*}}, tensor<1x4x1x3xf32>
func.func @alibi(%q: tensor<8x3x8xf32>, %k: tensor<8x3x8xf32>, %v: tensor<8x3x8xf32>) -> tensor<8x3x8xf32> {
  %half = graph.constant dense<0.5> : !s
  %slopes = graph.constant dense<[[[[0.0, 0.5, 1.0]], [[0.0, 0.25, 0.5]], [[0.0, 0.125, 0.25]], [[0.0, 0.0625, 0.125]]]]> : tensor<1x4x1x3xf32>
  %c = graph.constant dense<[[[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %a = graph.broadcast %slopes, [0, 1, 2, 3] : tensor<1x4x1x3xf32> to !s
  %m = graph.broadcast %c, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to !s
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<8x3x8xf32>, tensor<8x3x8xf32>
  %1 = graph.reshape %0 : tensor<8x3x3xf32> to !s
  %2 = graph.add %1, %a : !s
  %3 = graph.mul %2, %half : !s
  %4 = graph.add %3, %m : !s
  %5 = graph.softmax %4 axis = 3 : !s
  %6 = graph.reshape %5 : !s to tensor<8x3x3xf32>
  %7 = graph.matmul %6, %v : tensor<8x3x3xf32>, tensor<8x3x8xf32>
  return %7 : tensor<8x3x8xf32>
}

// T5: a learned bias of relative positions and a causal mask, added to each other first. The bias hides nothing.
// CHECK-LABEL: func.func @relative_bias
// CHECK: %[[M:.*]] = graph.reshape {{.*}} to tensor<1x4x3x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 1.000000e+00 {causal} :
func.func @relative_bias(%q: !q, %k: !q, %v: !q, %table: tensor<5x4xf32> {graph.role = #graph.role<parameter "bias">}) -> !q {
  %i = graph.constant dense<[[0, 1, 2], [3, 0, 1], [4, 3, 0]]> : tensor<3x3xi64>
  %c = graph.constant dense<[[[[0.0, -3.40282347E+38, -3.40282347E+38], [0.0, 0.0, -3.40282347E+38], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %g = graph.gather %table, %i axis = 0 : tensor<5x4xf32>, tensor<3x3xi64>
  %t = graph.transpose %g, [2, 0, 1] : tensor<3x3x4xf32>
  %r = graph.reshape %t : tensor<4x3x3xf32> to tensor<1x4x3x3xf32>
  %rb = graph.broadcast %r, [0, 1, 2, 3] : tensor<1x4x3x3xf32> to !s
  %cb = graph.broadcast %c, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to !s
  %m = graph.add %rb, %cb : !s
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.add %0, %m : !s
  %2 = graph.softmax %1 axis = 3 : !s
  %3 = graph.matmul %2, %v : !s, !q
  return %3 : !q
}

// Cross attention of another length, computed eagerly: the softmax is in f32.
// CHECK-LABEL: func.func @cross
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 : tensor<2x4x3x8xbf16>, tensor<2x4x5x8xbf16>, tensor<2x4x5x8xbf16>
func.func @cross(%q: tensor<2x4x3x8xbf16>, %k: tensor<2x4x5x8xbf16>, %v: tensor<2x4x5x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %two = graph.constant dense<2.0> : tensor<2x4x3x5xbf16>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xbf16>, tensor<2x4x5x8xbf16>
  %1 = graph.div %0, %two : tensor<2x4x3x5xbf16>
  %2 = graph.cast %1 : tensor<2x4x3x5xbf16> to tensor<2x4x3x5xf32>
  %3 = graph.softmax %2 axis = 3 : tensor<2x4x3x5xf32>
  %4 = graph.cast %3 : tensor<2x4x3x5xf32> to tensor<2x4x3x5xbf16>
  %5 = graph.matmul %4, %v : tensor<2x4x3x5xbf16>, tensor<2x4x5x8xbf16>
  return %5 : tensor<2x4x3x8xbf16>
}

// One head of keys and values for all heads of the query.
// CHECK-LABEL: func.func @one_group
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 : tensor<2x4x3x8xf32>, tensor<2x1x3x8xf32>, tensor<2x1x3x8xf32>
func.func @one_group(%q: !q, %k: tensor<2x1x3x8xf32>, %v: tensor<2x1x3x8xf32>) -> !q {
  %kb = graph.broadcast %k, [0, 1, 2, 3] : tensor<2x1x3x8xf32> to !q
  %vb = graph.broadcast %v, [0, 1, 2, 3] : tensor<2x1x3x8xf32> to !q
  %0 = graph.matmul %q, %kb {transpose_rhs} : !q, !q
  %1 = graph.softmax %0 axis = 3 : !s
  %2 = graph.matmul %1, %vb : !s, !q
  return %2 : !q
}

// Windows of an image: their mask depends on the window, which is a dimension of its own only where the mask is added.
// CHECK-LABEL: func.func @windows
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor<4x4x3x8xf32>, {{.*}}, tensor<4x1x3x3xf32>
func.func @windows(%q: tensor<4x4x3x8xf32>, %k: tensor<4x4x3x8xf32>, %v: tensor<4x4x3x8xf32>) -> tensor<4x4x3x8xf32> {
  %c = graph.constant dense<[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, -100.0, 0.0], [-100.0, 0.0, -100.0], [0.0, -100.0, 0.0]]]> : tensor<2x3x3xf32>
  %m = graph.broadcast %c, [1, 3, 4] : tensor<2x3x3xf32> to tensor<2x2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<4x4x3x8xf32>, tensor<4x4x3x8xf32>
  %1 = graph.reshape %0 : tensor<4x4x3x3xf32> to tensor<2x2x4x3x3xf32>
  %2 = graph.add %1, %m : tensor<2x2x4x3x3xf32>
  %3 = graph.reshape %2 : tensor<2x2x4x3x3xf32> to tensor<4x4x3x3xf32>
  %4 = graph.softmax %3 axis = 3 : tensor<4x4x3x3xf32>
  %5 = graph.matmul %4, %v : tensor<4x4x3x3xf32>, tensor<4x4x3x8xf32>
  return %5 : tensor<4x4x3x8xf32>
}

// DeBERTa: scores of content and positions are added to those of content. A constant mask that shows all positions is
// selected by a finite number.
// CHECK-LABEL: func.func @positions
// CHECK-NEXT: %[[M:.*]] = graph.matmul %arg0, %arg3 {transpose_rhs} :
// CHECK-NEXT: %{{.*}} = graph.attention %arg0, %arg1, %arg2, %[[M]] scale = 1.000000e+00 :
func.func @positions(%q: !q, %k: !q, %v: !q, %r: !q) -> !q {
  %hidden = graph.constant dense<-3.40282347E+38> : !s
  %c = graph.constant dense<true> : !b
  %0 = graph.matmul %q, %k {transpose_rhs} : !q, !q
  %1 = graph.matmul %q, %r {transpose_rhs} : !q, !q
  %2 = graph.add %0, %1 : !s
  %3 = graph.select %c, %2, %hidden : !s
  %4 = graph.softmax %3 axis = 3 : !s
  %5 = graph.matmul %4, %v : !s, !q
  return %5 : !q
}

// Einsums of heads behind the positions.
// CHECK-LABEL: func.func @einsums
// CHECK: graph.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 5.000000e-01 : tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
// CHECK-NOT: graph.einsum
func.func @einsums(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x5x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %half = graph.constant dense<0.5> : tensor<2x4x3x5xf32>
  %0 = graph.einsum "bqhd,bkhd->bhqk" %q, %k : tensor<2x3x4x8xf32>, tensor<2x5x4x8xf32>
  %1 = graph.mul %0, %half : tensor<2x4x3x5xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x5xf32>
  %3 = graph.einsum "bhqk,bkhd->bqhd" %2, %v : tensor<2x4x3x5xf32>, tensor<2x5x4x8xf32>
  return %3 : tensor<2x3x4x8xf32>
}

// An einsum on one side of a softmax only stays.
// CHECK-LABEL: func.func @one_einsum
// CHECK: graph.einsum "abc,cd->abd"
func.func @one_einsum(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.einsum "abc,cd->abd" %x, %w : tensor<2x3x4xf32>, tensor<4x5xf32>
  %1 = graph.softmax %0 axis = 2 : tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// The attention of a file reads repeated heads once, and its constant mask becomes a flag.
// CHECK-LABEL: func.func @imported
// CHECK-NEXT: graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 {causal} : tensor<2x4x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>
func.func @imported(%q: !q, %k: !g, %v: !g) -> !q {
  %m = graph.constant dense<[[[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %kb = graph.broadcast %k, [0, 1, 3, 4] : !g to tensor<2x2x2x3x8xf32>
  %vb = graph.broadcast %v, [0, 1, 3, 4] : !g to tensor<2x2x2x3x8xf32>
  %k4 = graph.reshape %kb : tensor<2x2x2x3x8xf32> to !q
  %v4 = graph.reshape %vb : tensor<2x2x2x3x8xf32> to !q
  %y, %l = graph.attention %q, %k4, %v4, %m scale = 0.5 : !q, !q, !q, tensor<1x1x3x3xf32>
  return %y : !q
}

// Only the key repeats heads: nothing changes.
// CHECK-LABEL: func.func @one_repeated
// CHECK: graph.attention %arg0, %{{.*}}, %arg2 scale = 5.000000e-01 : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
func.func @one_repeated(%q: !q, %k: !g, %v: !q) -> !q {
  %kb = graph.broadcast %k, [0, 1, 3, 4] : !g to tensor<2x2x2x3x8xf32>
  %k4 = graph.reshape %kb : tensor<2x2x2x3x8xf32> to !q
  %y, %l = graph.attention %q, %k4, %v scale = 0.5 : !q, !q, !q
  return %y : !q
}

// Einsums that do not become an attention stay: here random numbers drop weights.
// CHECK-LABEL: func.func @einsums_with_dropout
// CHECK: graph.einsum "bqhd,bkhd->bhqk"
// CHECK: graph.einsum "bhqk,bkhd->bqhd"
func.func @einsums_with_dropout(%q: tensor<2x3x4x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x5x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = graph.einsum "bqhd,bkhd->bhqk" %q, %k : tensor<2x3x4x8xf32>, tensor<2x5x4x8xf32>
  %1 = graph.softmax %0 axis = 3 : tensor<2x4x3x5xf32>
  %index = graph.iota axis = 3 : tensor<2x4x3x5xi64>
  %seed = graph.constant dense<7> : tensor<i64>
  %2 = graph.dropout %1, %index, %seed rate = 0.5 : tensor<2x4x3x5xf32>, tensor<i64>
  %3 = graph.einsum "bhqk,bkhd->bqhd" %2, %v : tensor<2x4x3x5xf32>, tensor<2x5x4x8xf32>
  return %3 : tensor<2x3x4x8xf32>
}

{-#
  dialect_resources: {
    builtin: {
      mask: "0x02000000000080FF80FF0000000080FF000000000000"
    }
  }
#-}
