// RUN: pcc-opt %s --split-input-file --dist-insert-reshards | FileCheck %s

// A gradient that two ops read whole is resharded once, before the first of them. The function's
// result is resharded if it differs from its boundary.

// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[W:.+]]: tensor<8xf32> {{.+}}, %[[G:.+]]: tensor<8xf32>
// CHECK: %[[SUM:.+]] = dist.reshard %[[G]] from [_] partial(sum: dp) to [_] : tensor<8xf32>
// CHECK: %[[A:.+]] = graph.add %[[W]], %[[SUM]]
// CHECK: %[[B:.+]] = graph.mul %[[A]], %[[SUM]]
// CHECK: %[[CUT:.+]] = dist.reshard %[[B]] from [_] to [dp] : tensor<8xf32>
// CHECK: return %[[CUT]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @update(%w: tensor<8xf32> {dist.sharding = #dist.sharding<[_]>},
                    %g: tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>})
      -> (tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) {
    %0 = graph.add %w, %g {dist.in = [#dist.sharding<[_]>, #dist.sharding<[_]>], dist.out = [#dist.sharding<[_]>]} : tensor<8xf32>
    %1 = graph.mul %0, %g {dist.in = [#dist.sharding<[_]>, #dist.sharding<[_]>], dist.out = [#dist.sharding<[_]>]} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// A sum that two ops read in two shardings is reduced once: the second reshard starts from the
// first. A value that may stay partial is not resharded.

// CHECK-LABEL: func.func @two_cuts(
// CHECK-SAME: %[[X:.+]]: tensor<8xf32>
// CHECK: %[[SUM:.+]] = dist.reshard %[[X]] from [_] partial(sum: dp) to [dp] : tensor<8xf32>
// CHECK-NEXT: %[[ALL:.+]] = dist.reshard %[[SUM]] from [dp] to [_] : tensor<8xf32>
// CHECK-NEXT: graph.exp %[[SUM]]
// CHECK-NEXT: graph.tanh %[[ALL]]
// CHECK-NEXT: graph.neg %[[X]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @two_cuts(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>})
      -> (tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}, tensor<8xf32>,
          tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>}) {
    %0 = graph.exp %x {dist.in = [#dist.sharding<[dp]>], dist.out = [#dist.sharding<[dp]>]} : tensor<8xf32>
    %1 = graph.tanh %x {dist.in = [#dist.sharding<[_]>], dist.out = [#dist.sharding<[_]>]} : tensor<8xf32>
    %2 = graph.neg %x {dist.in = [#dist.sharding<[_] partial(sum: dp)>], dist.out = [#dist.sharding<[_] partial(sum: dp)>]} : tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// A constant is created in the required sharding.

// CHECK-LABEL: func.func @leaf(
// CHECK-NEXT: graph.constant {{.+}} {dist.in = [], dist.out = [#dist.sharding<[dp]>]}
// CHECK-NEXT: graph.add
// CHECK-NOT: dist.reshard
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @leaf(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) {
    %c = graph.constant dense<1.0> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[_]>]}
    %0 = graph.add %x, %c {dist.in = [#dist.sharding<[dp]>, #dist.sharding<[dp]>], dist.out = [#dist.sharding<[dp]>]} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Zeros that are read as a partial sum are zeros on every rank, of the size of the block that is read. Any other
// constant is kept on one rank. Neither is gathered first.

// CHECK-LABEL: func.func @partial_leaf(
// CHECK-NOT: dist.reshard {{.*}}from [dp]
// CHECK-DAG: %[[ZERO:.+]] = graph.constant dense<0.000000e+00> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[_] partial(sum: dp)>]}
// CHECK-DAG: %[[ONE:.+]] = graph.constant dense<1.000000e+00> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[_]>]}
// CHECK: %[[PART:.+]] = dist.reshard %[[ONE]] from [_] to [_] partial(sum: dp) : tensor<8xf32>
// CHECK: graph.add %{{.+}}, %[[ZERO]]
// CHECK: graph.add %{{.+}}, %[[PART]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @partial_leaf(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>})
      -> (tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>}) {
    %zero = graph.constant dense<0.0> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[dp]>]}
    %one = graph.constant dense<1.0> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[dp]>]}
    %0 = graph.add %x, %zero {dist.in = [#dist.sharding<[_] partial(sum: dp)>, #dist.sharding<[_] partial(sum: dp)>], dist.out = [#dist.sharding<[_] partial(sum: dp)>]} : tensor<8xf32>
    %1 = graph.add %0, %one {dist.in = [#dist.sharding<[_] partial(sum: dp)>, #dist.sharding<[_] partial(sum: dp)>], dist.out = [#dist.sharding<[_] partial(sum: dp)>]} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

// The factor of a gradient is multiplied into the partial value, before the ops that follow the gradient.

// CHECK-LABEL: func.func @factor(
// CHECK-NOT: dist.gradient_factor
// CHECK: %[[C:.+]] = graph.constant dense<4.000000e+00>
// CHECK: %[[P:.+]] = graph.mul %{{.+}}, %[[C]] {{.+}} dist.out = [#dist.sharding<[_] partial(sum: dp)>]
// CHECK: %[[N:.+]] = graph.neg
// CHECK: return %[[P]], %[[N]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @factor(%g: tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>},
                    %x: tensor<8xf32> {dist.sharding = #dist.sharding<[_]>})
      -> (tensor<8xf32> {dist.gradient_factor = 4.0 : f64, dist.sharding = #dist.sharding<[_] partial(sum: dp)>},
          tensor<8xf32> {dist.sharding = #dist.sharding<[_]>}) {
    %0 = graph.neg %x {dist.in = [#dist.sharding<[_]>], dist.out = [#dist.sharding<[_]>]} : tensor<8xf32>
    return %g, %0 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// An op without annotations reads and produces whole values.

// CHECK-LABEL: func.func @unmarked(
// CHECK-SAME: %[[X:.+]]: tensor<8xf32>
// CHECK: %[[WHOLE:.+]] = dist.reshard %[[X]] from [dp] to [_] : tensor<8xf32>
// CHECK: graph.reduce {{ ?}}sum %[[WHOLE]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @unmarked(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) -> tensor<f32> {
    %0 = graph.reduce sum %x, [0] : tensor<8xf32>
    return %0 : tensor<f32>
  }
}
