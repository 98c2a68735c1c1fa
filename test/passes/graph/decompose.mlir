// RUN: pcc-opt %s --graph-decompose | FileCheck %s
// RUN: pcc-opt %s --graph-decompose=ops=softmax,sgd | FileCheck %s --check-prefix=SOME
// RUN: pcc-opt %s --graph-decompose -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// Composites and their decompositions compute the same.
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// Softmax subtracts the maximum first.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[MAX:.+]] = graph.reduce max %[[X:.+]], [1] : tensor<2x3xf32>
// CHECK: %[[REPEATED:.+]] = graph.broadcast %[[MAX]], [0] : tensor<2xf32> to tensor<2x3xf32>
// CHECK: %[[SHIFTED:.+]] = graph.sub %[[X]], %[[REPEATED]]
// CHECK: %[[POWER:.+]] = graph.exp %[[SHIFTED]]
// CHECK: %[[SUM:.+]] = graph.reduce sum %[[POWER]], [1]
// CHECK: %[[BELOW:.+]] = graph.broadcast %[[SUM]], [0]
// CHECK: graph.div %[[POWER]], %[[BELOW]]
// SOME-LABEL: func.func @softmax
// SOME-NOT: graph.softmax
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.softmax %x axis = 1 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Class numbers become one-hot weights of the logarithms.
// CHECK-LABEL: func.func @classes
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>, %[[L:.+]]: tensor<2xi64>
// CHECK: %[[WEIGHTS:.+]] = graph.one_hot %[[L]] axis = 1 : tensor<2xi64> to tensor<2x3xf32>
// CHECK: %[[MAX:.+]] = graph.reduce max %[[X]], [1]
// CHECK: %[[SHIFTED:.+]] = graph.sub %[[X]], %{{.*}}
// CHECK: %[[LOG:.+]] = graph.log %{{.*}} : tensor<2xf32>
// CHECK: %[[LOGS:.+]] = graph.sub %[[SHIFTED]], %{{.*}}
// CHECK: %[[PRODUCT:.+]] = graph.mul %[[WEIGHTS]], %[[LOGS]]
// CHECK: %[[COUNTS:.+]] = graph.compare ne %[[WEIGHTS]], %[[ZERO:.+]] :
// CHECK: %[[TERMS:.+]] = graph.select %[[COUNTS]], %[[PRODUCT]], %[[ZERO]]
// CHECK: %[[SUM:.+]] = graph.reduce sum %[[TERMS]], [1]
// CHECK: %[[LOSSES:.+]] = graph.neg %[[SUM]]
// CHECK: graph.reduce mean %[[LOSSES]], [0] : tensor<2xf32>
// SOME-LABEL: func.func @classes
// SOME: graph.softmax_cross_entropy
func.func @classes(%x: tensor<2x3xf32>, %l: tensor<2xi64>) -> tensor<f32> {
  %0 = graph.softmax_cross_entropy %x, %l : tensor<2x3xf32>, tensor<2xi64>
  return %0 : tensor<f32>
}

// Ignored samples add zero and do not count.
// CHECK-LABEL: func.func @ignored
// CHECK: %[[SENTINEL:.+]] = graph.constant dense<1> : tensor<8xi64>
// CHECK: %[[COUNTS:.+]] = graph.compare ne %{{.*}}, %[[SENTINEL]]
// CHECK: %[[ZERO:.+]] = graph.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK: %[[KEPT:.+]] = graph.select %[[COUNTS]], %{{.*}}, %[[ZERO]]
// CHECK: %[[SUM:.+]] = graph.reduce sum %[[KEPT]], [0]
// CHECK: %[[ONES:.+]] = graph.cast %[[COUNTS]] : tensor<8xi1> to tensor<8xf32>
// CHECK: %[[NUMBER:.+]] = graph.reduce sum %[[ONES]], [0]
// CHECK: graph.div %[[SUM]], %[[NUMBER]] : tensor<f32>
func.func @ignored(%x: tensor<8x3xf32>, %l: tensor<8xi64>) -> tensor<f32> {
  %0 = graph.softmax_cross_entropy %x, %l {ignore_index = 1} : tensor<8x3xf32>, tensor<8xi64>
  return %0 : tensor<f32>
}

// Probabilities weight the logarithms; `sum` does not divide.
// CHECK-LABEL: func.func @probabilities
// CHECK-NOT: graph.one_hot
// CHECK: %[[PRODUCT:.+]] = graph.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>
// CHECK: %[[TERMS:.+]] = graph.select %{{.*}}, %[[PRODUCT]], %{{.*}}
// CHECK: %[[ROWS:.+]] = graph.reduce sum %[[TERMS]], [1]
// CHECK: %[[LOSSES:.+]] = graph.neg %[[ROWS]]
// CHECK: graph.reduce sum %[[LOSSES]], [0]
func.func @probabilities(%x: tensor<2x3xf32>, %l: tensor<2x3xf32>) -> tensor<f32> {
  %0 = graph.softmax_cross_entropy %x, %l {reduction = #graph.loss_reduction<sum>} : tensor<2x3xf32>, tensor<2x3xf32>
  return %0 : tensor<f32>
}

// The arithmetic is in f32; without decay there is no decay term.
// CHECK-LABEL: func.func @sgd
// CHECK-NEXT: %[[P:.+]] = graph.cast %arg0 : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: %[[G:.+]] = graph.cast %arg1 : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: %[[RATES:.+]] = graph.broadcast %arg2, [] : tensor<f32> to tensor<4xf32>
// CHECK-NEXT: %[[MOVE:.+]] = graph.mul %[[G]], %[[RATES]]
// CHECK-NEXT: %[[NEW:.+]] = graph.sub %[[P]], %[[MOVE]]
// CHECK-NEXT: %[[NARROW:.+]] = graph.cast %[[NEW]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT: return %[[NARROW]]
// SOME-LABEL: func.func @sgd
// SOME-NOT: graph.sgd
func.func @sgd(%p: tensor<4xf16>, %g: tensor<4xf16>, %rate: tensor<f32>) -> tensor<4xf16> {
  %0 = graph.sgd %p, %g, %rate : tensor<4xf16>, tensor<f32>
  return %0 : tensor<4xf16>
}

// Nesterov's momentum with weight decay.
// CHECK-LABEL: func.func @momentum
// CHECK-SAME: %[[P:.+]]: tensor<4xf32>, %[[G:.+]]: tensor<4xf32>, %[[V:.+]]: tensor<4xf32>, %[[R:.+]]: tensor<f32>
// CHECK: %[[DECAY:.+]] = graph.constant dense<1.000000e-01>
// CHECK: %[[SHRINK:.+]] = graph.mul %[[P]], %[[DECAY]]
// CHECK: %[[GRADIENT:.+]] = graph.add %[[G]], %[[SHRINK]]
// CHECK: %[[FACTOR:.+]] = graph.constant dense<0.899999976>
// CHECK: %[[OLD:.+]] = graph.mul %[[V]], %[[FACTOR]]
// CHECK: %[[NEW:.+]] = graph.add %[[OLD]], %[[GRADIENT]]
// CHECK: %[[AGAIN:.+]] = graph.constant dense<0.899999976>
// CHECK: %[[AHEAD:.+]] = graph.mul %[[NEW]], %[[AGAIN]]
// CHECK: %[[DIRECTION:.+]] = graph.add %[[GRADIENT]], %[[AHEAD]]
// CHECK: %[[MOVE:.+]] = graph.mul %[[DIRECTION]]
// CHECK: %[[STEP:.+]] = graph.sub %[[P]], %[[MOVE]]
// CHECK: return %[[STEP]], %[[NEW]]
// SOME-LABEL: func.func @momentum
// SOME: graph.momentum
func.func @momentum(%p: tensor<4xf32>, %g: tensor<4xf32>, %v: tensor<4xf32>, %rate: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = graph.momentum %p, %g, %v, %rate {momentum = 0.9, weight_decay = 0.1, nesterov} : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Adam: the moments, what their bias is divided out by (1 / (1 - beta^t) with t = step + 1, as a
// hyperbolic tangent), the quotient.
// CHECK-LABEL: func.func @adam
// CHECK-SAME: %[[P:.+]]: tensor<4xf32>, %[[G:.+]]: tensor<4xf32>, %[[M:.+]]: tensor<4xf32>, %[[V:.+]]: tensor<4xf32>, %[[RATE:.+]]: tensor<f32>, %[[STEP:.+]]: tensor<i64>
// CHECK: %[[NEWM:.+]] = graph.add
// CHECK: %[[SQUARE:.+]] = graph.square %[[G]]
// CHECK: %[[NEWV:.+]] = graph.add
// CHECK: %[[COUNT:.+]] = graph.cast %[[STEP]] : tensor<i64> to tensor<f32>
// CHECK: %[[T:.+]] = graph.add %[[COUNT]], %{{.*}} : tensor<f32>
// CHECK: graph.tanh %{{.*}} : tensor<f32>
// CHECK: graph.tanh %{{.*}} : tensor<f32>
// CHECK: %[[ROOT:.+]] = graph.sqrt
// CHECK: %[[DIVISOR:.+]] = graph.add %[[ROOT]]
// CHECK: graph.div %{{.*}}, %[[DIVISOR]]
// CHECK: return %{{.*}}, %[[NEWM]], %[[NEWV]]
func.func @adam(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>,
                %rate: tensor<f32>, %step: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %v2 = graph.square %v : tensor<4xf32>
  %0:3 = graph.adam %p, %g, %m, %v2, %rate, %step {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8} : tensor<4xf32>, tensor<f32>, tensor<i64>
  return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The decay of AdamW is not part of the moments. Without memory of a moment there is no bias correction.
// CHECK-LABEL: func.func @adam_weight_decay
// CHECK: graph.div
// CHECK-NOT: graph.tanh
// CHECK: %[[SHRINK:.+]] = graph.mul %arg0
// CHECK: graph.add %{{.*}}, %[[SHRINK]]
func.func @adam_weight_decay(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>,
                             %rate: tensor<f32>, %step: tensor<i64>) -> tensor<4xf32> {
  %0:3 = graph.adam_weight_decay %p, %g, %m, %v, %rate, %step {beta1 = 0.0, beta2 = 0.0, epsilon = 1.0e-8, weight_decay = 0.01} : tensor<4xf32>, tensor<f32>, tensor<i64>
  return %0#0 : tensor<4xf32>
}

// LAMB in mixed precision: norms over all dimensions, in f32.
// CHECK-LABEL: func.func @lamb
// CHECK: graph.reduce sum %{{.*}}, [0, 1] : tensor<4x3xf32>
// CHECK: graph.reduce sum %{{.*}}, [0, 1] : tensor<4x3xf32>
// CHECK: graph.select %{{.*}} : tensor<f32>
// CHECK: graph.select %{{.*}} : tensor<f32>
// CHECK: graph.cast %{{.*}} : tensor<4x3xf32> to tensor<4x3xbf16>
func.func @lamb(%p: tensor<4x3xbf16>, %g: tensor<4x3xf32>, %m: tensor<4x3xf32>, %v: tensor<4x3xf32>,
                %rate: tensor<f32>, %step: tensor<i64>) -> (tensor<4x3xbf16>, tensor<4x3xf32>) {
  %v2 = graph.square %v : tensor<4x3xf32>
  %0:3 = graph.lamb %p, %g, %m, %v2, %rate, %step {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-6, weight_decay = 0.01} : tensor<4x3xbf16> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>), tensor<f32>, tensor<i64>
  return %0#0, %0#2 : tensor<4x3xbf16>, tensor<4x3xf32>
}

// A parameter of rank 0 is its own norm.
// CHECK-LABEL: func.func @lamb_scalar
// CHECK-NOT: graph.reduce
// CHECK: return
func.func @lamb_scalar(%p: tensor<f32>, %g: tensor<f32>, %rate: tensor<f32>, %step: tensor<i64>) -> tensor<f32> {
  %0:3 = graph.lamb %p, %g, %g, %p, %rate, %step {beta1 = 0.9, beta2 = 0.0, epsilon = 1.0e-6} : tensor<f32>, tensor<f32>, tensor<i64>
  return %0#0 : tensor<f32>
}

// CHECK-LABEL: func.func @adagrad
// CHECK: %[[SQUARE:.+]] = graph.square %arg1
// CHECK: %[[SUM:.+]] = graph.add %{{.*}}, %[[SQUARE]]
// CHECK: graph.sqrt %[[SUM]]
func.func @adagrad(%p: tensor<4xf32>, %g: tensor<4xf32>, %a: tensor<4xf32>, %rate: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a2 = graph.square %a : tensor<4xf32>
  %0:2 = graph.adagrad %p, %g, %a2, %rate {epsilon = 1.0e-10} : tensor<4xf32>, tensor<f32>
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Activations leave only arithmetic and functions of one number.
// CHECK-LABEL: func.func @activations
// CHECK-NOT: graph.{{gelu|silu|softplus|elu|leaky_relu|clamp}}
// CHECK: graph.erf
// CHECK-NOT: graph.{{gelu|silu|softplus|elu|leaky_relu|clamp}}
// CHECK: graph.tanh
// CHECK-NOT: graph.{{gelu|silu|softplus|elu|leaky_relu|clamp}}
// CHECK: graph.sigmoid
// CHECK-NOT: graph.{{gelu|silu|softplus|elu|leaky_relu|clamp}}
// CHECK: graph.log1p
// CHECK-NOT: graph.{{gelu|silu|softplus|elu|leaky_relu|clamp}}
// CHECK: return
func.func @activations(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                                             tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.gelu %x : tensor<4xf32>
  %1 = graph.gelu %x {form = #graph.gelu_form<tanh>} : tensor<4xf32>
  %2 = graph.silu %x : tensor<4xf32>
  %3 = graph.softplus %x : tensor<4xf32>
  %4 = graph.elu %x {alpha = 1.0} : tensor<4xf32>
  %5 = graph.leaky_relu %x {alpha = 0.1} : tensor<4xf32>
  %6 = graph.clamp %x {low = 0.0, high = 6.0} : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
                                      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Integers are clamped to the integers between the limits, and to those of their type.
// CHECK-LABEL: func.func @clamp_integers
// CHECK: graph.constant dense<1> : tensor<4xi8>
// CHECK: graph.constant dense<127> : tensor<4xi8>
func.func @clamp_integers(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = graph.clamp %x {low = 0.5, high = 3.0e10} : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Samples of narrow floats are counted in f32: bf16 has no 257.
// CHECK-LABEL: func.func @ignored_bf16
// CHECK: %[[WIDE:.+]] = graph.cast %{{.*}} : tensor<257xbf16> to tensor<257xf32>
// CHECK: %[[SUM:.+]] = graph.reduce sum %[[WIDE]], [0]
// CHECK: %[[ONES:.+]] = graph.cast %{{.*}} : tensor<257xi1> to tensor<257xf32>
// CHECK: %[[NUMBER:.+]] = graph.reduce sum %[[ONES]], [0]
// CHECK: %[[MEAN:.+]] = graph.div %[[SUM]], %[[NUMBER]] : tensor<f32>
// CHECK: graph.cast %[[MEAN]] : tensor<f32> to tensor<bf16>
func.func @ignored_bf16(%x: tensor<257x3xbf16>, %l: tensor<257xi64>) -> tensor<bf16> {
  %0 = graph.softmax_cross_entropy %x, %l {ignore_index = 9} : tensor<257x3xbf16>, tensor<257xi64>
  return %0 : tensor<bf16>
}
