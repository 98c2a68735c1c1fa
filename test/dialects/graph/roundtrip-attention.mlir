// RUN: pcc-opt %s | pcc-opt | FileCheck %s
// RUN: pcc-opt %s --mlir-print-op-generic | pcc-opt | FileCheck %s

!q = tensor<2x4x6x8xf32>
!k = tensor<2x2x10x8xf32>
!v = tensor<2x2x10x3xf32>
!r = tensor<2x4x6x3xf32>
!l = tensor<2x4x6xf32>
!m = tensor<1x4x1x10xf32>

// CHECK-LABEL: func.func @attention
func.func @attention(%q: !q, %k: !k, %v: !v, %m: !m, %o: tensor<i64>, %g: !r) {
  // CHECK: graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>
  %0:2 = graph.attention %q, %k, %v scale = 0.5 : !q, !k, !v
  // CHECK: graph.attention %arg0, %arg1, %arg2, %arg3 scale = 5.000000e-01 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>, tensor<1x4x1x10xf32>
  %1:2 = graph.attention %q, %k, %v, %m scale = 0.5 : !q, !k, !v, !m
  // CHECK: graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 offset(%arg4 : tensor<i64>) {causal} : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>
  %2:2 = graph.attention %q, %k, %v scale = 0.5 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  // CHECK: graph.attention_gradient %arg0, %arg1, %arg2, %{{.*}}, %{{.*}}, %arg5 scale = 5.000000e-01 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6xf32>
  %3:3 = graph.attention_gradient %q, %k, %v, %0#0, %0#1, %g scale = 0.5 : !q, !k, !v, !r, !l
  // CHECK: graph.attention_gradient {{.*}}, %arg5, %arg3 scale = 5.000000e-01 offset(%arg4 : tensor<i64>) {causal} : {{.*}}, tensor<1x4x1x10xf32>
  %4:3 = graph.attention_gradient %q, %k, %v, %1#0, %1#1, %g, %m scale = 0.5 offset(%o : tensor<i64>) {causal} : !q, !k, !v, !r, !l, !m
  return
}

// CHECK-LABEL: func.func @rotary
func.func @rotary(%x: !q, %c: tensor<6x4xf32>, %each: tensor<2x6x4xf32>) {
  // CHECK: graph.rotary_embedding %arg0, %arg1, %arg1 : tensor<2x4x6x8xf32>, tensor<6x4xf32>
  %0 = graph.rotary_embedding %x, %c, %c : !q, tensor<6x4xf32>
  // CHECK: graph.rotary_embedding %arg0, %arg2, %arg2 {interleaved} : tensor<2x4x6x8xf32>, tensor<2x6x4xf32>
  %1 = graph.rotary_embedding %x, %each, %each {interleaved} : !q, tensor<2x6x4xf32>
  return
}
