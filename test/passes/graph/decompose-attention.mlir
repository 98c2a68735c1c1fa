// RUN: pcc-opt %s --graph-decompose | FileCheck %s
// RUN: pcc-opt %s --graph-decompose=keep=attention,attention_gradient | FileCheck %s --check-prefix=KEEP
// RUN: pcc-opt %s --graph-decompose -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// Attention and rotary embeddings: composites and their decompositions compute the same.
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!q = tensor<2x4x3x2xf32>
!k = tensor<2x2x5x2xf32>
!v = tensor<2x2x5x3xf32>
!r = tensor<2x4x3x3xf32>
!l = tensor<2x4x3xf32>

// The heads of a group are rows of one matmul: keys and values are not repeated.
// CHECK-LABEL: func.func @grouped
// CHECK: %[[ROWS:.+]] = graph.reshape %arg0 : tensor<2x4x3x2xf32> to tensor<2x2x6x2xf32>
// CHECK: %[[MATMUL:.+]] = graph.matmul %[[ROWS]], %arg1 {transpose_rhs}
// CHECK: %[[SCORES:.+]] = graph.reshape %[[MATMUL]] : tensor<2x2x6x5xf32> to tensor<2x4x3x5xf32>
// CHECK-NOT: graph.select
// CHECK: graph.reduce max %{{.*}}, [3]
// CHECK: graph.matmul %{{.*}}, %arg2 : tensor<2x2x6x5xf32>, tensor<2x2x5x3xf32>
// CHECK: graph.reshape %{{.*}} : tensor<2x2x6x3xf32> to tensor<2x4x3x3xf32>
// KEEP-LABEL: func.func @grouped
// KEEP: graph.attention
func.func @grouped(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %r, %l = graph.attention %q, %k, %v scale = 0.7 : !q, !k, !v
  return %r, %l : !r, !l
}

// Causal: what lies ahead is hidden by its number.
// CHECK-LABEL: func.func @causal
// CHECK: graph.iota axis = 2 : tensor<2x4x3x5xi32>
// CHECK: graph.iota axis = 3 : tensor<2x4x3x5xi32>
// CHECK: graph.constant dense<2> : tensor<2x4x3x5xi32>
// CHECK: graph.compare le
// CHECK: graph.select
func.func @causal(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %r, %l = graph.attention %q, %k, %v scale = 0.7 {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

// Rows without visible keys are guarded against 0 / 0.
// CHECK-LABEL: func.func @blind
// CHECK: graph.max %{{.*}}, %{{.*}} : tensor<2x4x3xf32>
func.func @blind(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %o = graph.constant dense<-1> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.7 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

// An offset may be any number of its type. It is limited in i64, before positions are added in i32.
// CHECK-LABEL: func.func @sees_all_keys(
// CHECK: %[[LEAST:.+]] = graph.constant dense<-3> : tensor<i64>
// CHECK: %[[MAX:.+]] = graph.max %{{.*}}, %[[LEAST]] : tensor<i64>
// CHECK: %[[GREATEST:.+]] = graph.constant dense<5> : tensor<i64>
// CHECK: %[[MIN:.+]] = graph.min %[[MAX]], %[[GREATEST]] : tensor<i64>
// CHECK: graph.cast %[[MIN]] : tensor<i64> to tensor<i32>
func.func @sees_all_keys(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %o = graph.constant dense<2147483647> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.7 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

// The low 32 bits are -1 and 0: without the limit, rows would see too few keys or too many.
func.func @sees_all_keys_beyond_i32(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %o = graph.constant dense<4294967295> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.7 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

func.func @sees_no_key(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %o = graph.constant dense<-4294967296> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.7 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

func.func @greatest_offset(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %o = graph.constant dense<9223372036854775807> : tensor<i64>
  %r, %l = graph.attention %q, %k, %v scale = 0.7 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r, %l : !r, !l
}

func.func @masked(%q: !q, %k: !k, %v: !v) -> (!r, !l) {
  %m = graph.constant dense<[[[[0.0, 0xFF800000, 1.0, -1.0, 0.5]], [[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]], [[0.0, 0.0, 0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0, 4.0, 5.0]]]]> : tensor<1x4x1x5xf32>
  %r, %l = graph.attention %q, %k, %v, %m scale = 1.0 : !q, !k, !v, tensor<1x4x1x5xf32>
  return %r, %l : !r, !l
}

// Scores of narrow floats are computed in f32.
// CHECK-LABEL: func.func @narrow
// CHECK: graph.cast %arg0 : tensor<2x2x3x2xbf16> to tensor<2x2x3x2xf32>
// CHECK: graph.matmul %{{.*}} {transpose_rhs} : tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32>
// KEEP-LABEL: func.func @narrow
// KEEP: graph.attention
func.func @narrow(%q: tensor<2x2x3x2xbf16>) -> tensor<2x2x3x2xbf16> {
  %r, %l = graph.attention %q, %q, %q scale = 0.7 : tensor<2x2x3x2xbf16>, tensor<2x2x3x2xbf16>, tensor<2x2x3x2xbf16>
  return %r : tensor<2x2x3x2xbf16>
}

// CHECK-LABEL: func.func @gradient
// CHECK-NOT: graph.attention_gradient
// KEEP-LABEL: func.func @gradient
// KEEP: graph.attention_gradient
func.func @gradient(%q: !q, %k: !k, %v: !v, %g: !r) -> (!q, !k, !v) {
  %r, %l = graph.attention %q, %k, %v scale = 0.7 {causal} : !q, !k, !v
  %0:3 = graph.attention_gradient %q, %k, %v, %r, %l, %g scale = 0.7 {causal} : !q, !k, !v, !r, !l
  return %0#0, %0#1, %0#2 : !q, !k, !v
}

// CHECK-LABEL: func.func @rotary
// CHECK: graph.slice %arg0 axis = 3 start = 0 : tensor<2x4x3x2xf32> to tensor<2x4x3x1xf32>
// CHECK: graph.concat
func.func @rotary(%x: !q, %c: tensor<3x1xf32>, %s: tensor<3x1xf32>) -> !q {
  %r = graph.rotary_embedding %x, %c, %s : !q, tensor<3x1xf32>
  return %r : !q
}

func.func @interleaved(%x: tensor<2x2x3x4xf32>, %c: tensor<2x3x2xf32>, %s: tensor<2x3x2xf32>) -> tensor<2x2x3x4xf32> {
  %r = graph.rotary_embedding %x, %c, %s {interleaved} : tensor<2x2x3x4xf32>, tensor<2x3x2xf32>
  return %r : tensor<2x2x3x4xf32>
}
