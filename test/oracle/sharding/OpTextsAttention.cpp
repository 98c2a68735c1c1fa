// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpTexts.h"

namespace pcc::test {

const char attentionCases[] = R"mlir(
!q = tensor<4x4x6x2xf32>
!k = tensor<4x2x8x2xf32>
!v = tensor<4x2x8x4xf32>
!r = tensor<4x4x6x4xf32>
!l = tensor<4x4x6xf32>
!t = tensor<6x1xf32>
!q8 = tensor<2x4x8x2xf32>
!k8 = tensor<2x2x8x2xf32>
!v8 = tensor<2x2x8x4xf32>
!r8 = tensor<2x4x8x4xf32>
!l8 = tensor<2x4x8xf32>
!q6 = tensor<2x2x6x2xf32>
!l6 = tensor<2x2x6xf32>

func.func @attention(%a: !q, %b: !k, %c: !v) -> (!r, !l) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 : !q, !k, !v
  return %r, %l : !r, !l
}
func.func @attention.causal(%a: !q, %b: !k, %c: !v) -> !r {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q, !k, !v
  return %r : !r
}
func.func @attention.offset(%a: !q, %b: !k, %c: !v) -> !r {
  %o = graph.constant dense<-1> : tensor<i64>
  %r, %l = graph.attention %a, %b, %c scale = 0.5 offset(%o : tensor<i64>) {causal} : !q, !k, !v
  return %r : !r
}
func.func @attention.masked(%a: !q, %b: !k, %c: !v, %m: tensor<4x1x1x8xf32>) -> !r {
  %r, %l = graph.attention %a, %b, %c, %m scale = 0.5 : !q, !k, !v, tensor<4x1x1x8xf32>
  return %r : !r
}
func.func @attention_gradient(%a: !q, %b: !k, %c: !v, %g: !r) -> (!q, !k, !v) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 : !q, !k, !v
  %0:3 = graph.attention_gradient %a, %b, %c, %r, %l, %g scale = 0.5 : !q, !k, !v, !r, !l
  return %0#0, %0#1, %0#2 : !q, !k, !v
}
func.func @attention_gradient.causal(%a: !q, %b: !k, %c: !v, %g: !r) -> (!q, !k, !v) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q, !k, !v
  %0:3 = graph.attention_gradient %a, %b, %c, %r, %l, %g scale = 0.5 {causal} : !q, !k, !v, !r, !l
  return %0#0, %0#1, %0#2 : !q, !k, !v
}
func.func @attention.self(%a: !q8, %b: !k8, %c: !v8) -> (!r8, !l8) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 : !q8, !k8, !v8
  return %r, %l : !r8, !l8
}
func.func @attention.self_causal(%a: !q8, %b: !k8, %c: !v8) -> (!r8, !l8) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q8, !k8, !v8
  return %r, %l : !r8, !l8
}
func.func @attention.self_odd(%a: !q6, %b: !q6, %c: !q6) -> (!q6, !l6) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q6, !q6, !q6
  return %r, %l : !q6, !l6
}
func.func @attention.self_offset(%a: !q8, %b: !k8, %c: !v8) -> !r8 {
  %o = graph.constant dense<-3> : tensor<i64>
  %r, %l = graph.attention %a, %b, %c scale = 0.5 offset(%o : tensor<i64>) {causal} : !q8, !k8, !v8
  return %r : !r8
}
func.func @attention.self_ahead(%a: !q8, %b: !k8, %c: !v8) -> !r8 {
  %o = graph.constant dense<2> : tensor<i64>
  %r, %l = graph.attention %a, %b, %c scale = 0.5 offset(%o : tensor<i64>) {causal} : !q8, !k8, !v8
  return %r : !r8
}
func.func @attention_gradient.self(%a: !q8, %b: !k8, %c: !v8, %g: !r8) -> (!q8, !k8, !v8) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 : !q8, !k8, !v8
  %0:3 = graph.attention_gradient %a, %b, %c, %r, %l, %g scale = 0.5 : !q8, !k8, !v8, !r8, !l8
  return %0#0, %0#1, %0#2 : !q8, !k8, !v8
}
func.func @attention_gradient.self_causal(%a: !q8, %b: !k8, %c: !v8, %g: !r8) -> (!q8, !k8, !v8) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q8, !k8, !v8
  %0:3 = graph.attention_gradient %a, %b, %c, %r, %l, %g scale = 0.5 {causal} : !q8, !k8, !v8, !r8, !l8
  return %0#0, %0#1, %0#2 : !q8, !k8, !v8
}
func.func @attention_gradient.self_odd(%a: !q6, %b: !q6, %c: !q6, %g: !q6) -> (!q6, !q6, !q6) {
  %r, %l = graph.attention %a, %b, %c scale = 0.5 {causal} : !q6, !q6, !q6
  %0:3 = graph.attention_gradient %a, %b, %c, %r, %l, %g scale = 0.5 {causal} : !q6, !q6, !q6, !q6, !l6
  return %0#0, %0#1, %0#2 : !q6, !q6, !q6
}
func.func @rotary_embedding(%a: !q, %b: !t, %c: !t) -> !q {
  %r = graph.rotary_embedding %a, %b, %c : !q, !t
  return %r : !q
}
)mlir";

} // namespace pcc::test
