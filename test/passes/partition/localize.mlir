// RUN: pcc-opt %s --split-input-file --dist-localize | FileCheck %s

// Shapes become those of one rank, and annotations disappear from ops. to_local of to_global folds.

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.+]]: tensor<2x6xf32> {dist.sharding = #dist.sharding<[dp, _]>}, %[[W:.+]]: tensor<6x2xf32>
// CHECK-SAME: -> (tensor<2x2xf32> {dist.sharding = #dist.sharding<[dp, _]>}) attributes {dist.local}
// CHECK-NEXT: %[[Y:.+]] = graph.matmul %[[X]], %[[W]] : tensor<2x6xf32>, tensor<6x2xf32>
// CHECK-NEXT: return %[[Y]]
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @layer(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<[dp, _]>},
                   %w: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _]>})
      -> (tensor<8x2xf32> {dist.sharding = #dist.sharding<[dp, _]>}) {
    %0 = graph.matmul %x, %w {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[dp, _]>]} : tensor<8x6xf32>, tensor<6x2xf32>
    %1 = dist.to_local %0 [dp, _] : tensor<8x2xf32> to tensor<2x2xf32>
    %2 = dist.to_global %1 [dp, _] : tensor<2x2xf32> to tensor<8x2xf32>
    return %2 : tensor<8x2xf32>
  }
}

// -----

// A mean over split samples is a partial sum of the blocks' means.

// CHECK-LABEL: func.func @mean(
// CHECK: %[[M:.+]] = graph.reduce {{ ?}}mean %{{.+}}, [0] : tensor<2xf32>
// CHECK: %[[C:.+]] = graph.constant dense<2.500000e-01> : tensor<f32>
// CHECK: graph.mul %[[M]], %[[C]] : tensor<f32>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @mean(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>}) {
    %0 = graph.reduce mean %x, [0] {dist.in = [#dist.sharding<[dp]>], dist.out = [#dist.sharding<[] partial(sum: dp)>]} : tensor<8xf32>
    return %0 : tensor<f32>
  }
}

// -----

// iota counts from the start of the block.

// CHECK-LABEL: func.func @iota(
// CHECK: %[[I:.+]] = graph.iota axis = 0 : tensor<2xi64>
// CHECK: %[[R:.+]] = dist.rank over <axes [dp]>
// CHECK: %[[O:.+]] = graph.mul %[[R]]
// CHECK: %[[S:.+]] = graph.broadcast %[[O]], [] : tensor<i64> to tensor<2xi64>
// CHECK: graph.add %[[I]], %[[S]] : tensor<2xi64>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @iota() -> (tensor<8xi64> {dist.sharding = #dist.sharding<[dp]>}) {
    %0 = graph.iota axis = 0 {dist.in = [], dist.out = [#dist.sharding<[dp]>]} : tensor<8xi64>
    return %0 : tensor<8xi64>
  }
}

// -----

// Floats are computed from integers, since only integers hold offset and index exactly.

// CHECK-LABEL: func.func @float_iota(
// CHECK: %[[I:.+]] = graph.iota axis = 0 : tensor<300xi64>
// CHECK: %[[A:.+]] = graph.add %[[I]], %{{.+}} : tensor<300xi64>
// CHECK: graph.cast %[[A]] : tensor<300xi64> to tensor<300xbf16>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @float_iota() -> (tensor<1200xbf16> {dist.sharding = #dist.sharding<[dp]>}) {
    %0 = graph.iota axis = 0 {dist.in = [], dist.out = [#dist.sharding<[dp]>]} : tensor<1200xbf16>
    return %0 : tensor<1200xbf16>
  }
}

// -----

// The same holds for indices whose type cannot hold the number of rows.

// CHECK-LABEL: func.func @gather_by_bytes(
// CHECK-SAME: %{{.+}}, %[[I:.+]]: tensor<5xi8>
// CHECK: %[[WIDE:.+]] = graph.cast %[[I]] : tensor<5xi8> to tensor<5xi64>
// CHECK: %[[LEGAL:.+]] = graph.clamp %[[WIDE]] {high = 1.990000e+02 : f64, low = 0.000000e+00 : f64}
// CHECK: %[[RELATIVE:.+]] = graph.sub %[[LEGAL]]
// CHECK: graph.gather %{{.+}}, %[[RELATIVE]] axis = 0 : tensor<50x2xf32>, tensor<5xi64>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @gather_by_bytes(%t: tensor<200x2xf32> {dist.sharding = #dist.sharding<[dp, _]>},
                             %i: tensor<5xi8> {dist.sharding = #dist.sharding<[_]>})
      -> (tensor<5x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>}) {
    %0 = graph.gather %t, %i axis = 0 {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_]>], dist.out = [#dist.sharding<[_, _] partial(sum: dp)>]} : tensor<200x2xf32>, tensor<5xi8>
    return %0 : tensor<5x2xf32>
  }
}

// -----

// Constants: a splat shrinks, another is cut.

// CHECK-LABEL: func.func @constants(
// CHECK: graph.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: %[[C:.+]] = graph.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK: graph.dynamic_slice %[[C]], %{{.+}} axis = 0 : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @constants() -> (tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>},
                             tensor<4xi64> {dist.sharding = #dist.sharding<[dp]>}) {
    %0 = graph.constant dense<1.0> : tensor<8xf32> {dist.in = [], dist.out = [#dist.sharding<[dp]>]}
    %1 = graph.constant dense<[0, 1, 2, 3]> : tensor<4xi64> {dist.in = [], dist.out = [#dist.sharding<[dp]>]}
    return %0, %1 : tensor<8xf32>, tensor<4xi64>
  }
}

// -----

// Ignored labels are counted over all ranks.

// CHECK-LABEL: func.func @ignoring(
// CHECK: %[[SUM:.+]] = graph.softmax_cross_entropy {{.+}} reduction = #graph.loss_reduction<sum>
// CHECK: %[[N:.+]] = graph.reduce {{ ?}}sum
// CHECK: %[[ALL:.+]] = dist.all_reduce {{ ?}}sum %[[N]] over <axes [dp]> : tensor<f32>
// CHECK: graph.div %[[SUM]], %[[ALL]] : tensor<f32>
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @ignoring(%x: tensor<8x3xf32> {dist.sharding = #dist.sharding<[dp, _]>},
                      %l: tensor<8xi64> {dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>}) {
    %0 = graph.softmax_cross_entropy %x, %l {ignore_index = -1 : i64, dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[dp]>], dist.out = [#dist.sharding<[] partial(sum: dp)>]} : tensor<8x3xf32>, tensor<8xi64>
    return %0 : tensor<f32>
  }
}

// -----

// The count is in f32 whatever the type of the loss: f16 ends at 65504.

// CHECK-LABEL: func.func @ignored_narrow
// CHECK: graph.cast {{.+}} : tensor<4xi1> to tensor<4xf32>
// CHECK: dist.all_reduce {{.+}} : tensor<f32>
// CHECK: graph.div {{.+}} : tensor<f32>
// CHECK: graph.cast {{.+}} : tensor<f32> to tensor<f16>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @ignored_narrow(%x: tensor<8x3xf16> {dist.sharding = #dist.sharding<[dp, _]>},
                            %l: tensor<8xi64> {dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<f16> {dist.sharding = #dist.sharding<[] partial(sum: dp)>}) {
    %0 = graph.softmax_cross_entropy %x, %l {ignore_index = -1 : i64, dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[dp]>], dist.out = [#dist.sharding<[] partial(sum: dp)>]} : tensor<8x3xf16>, tensor<8xi64>
    return %0 : tensor<f16>
  }
}

// -----

// Split along the classes: two small all-reduces combine the ranks' maxima and sums of
// exponentials; a third one combines the logarithm at the label.

// CHECK-LABEL: func.func @classes
// CHECK: graph.one_hot {{.+}} to tensor<8x3xf32>
// CHECK: dist.all_reduce {{ ?}}max {{.+}} over <axes [tp]> : tensor<8xf32>
// CHECK: dist.all_reduce {{ ?}}sum {{.+}} over <axes [tp]> : tensor<8xf32>
// CHECK: dist.all_reduce {{ ?}}sum {{.+}} over <axes [tp]> : tensor<8xf32>
// CHECK: dist.all_reduce {{ ?}}max {{.+}} over <axes [tp]> : tensor<8xf32>
// CHECK: dist.all_reduce {{ ?}}sum {{.+}} over <axes [tp]> : tensor<8xf32>
// CHECK-NOT: dist.all_
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @classes(%x: tensor<8x6xf32> {dist.sharding = #dist.sharding<[_, tp]>},
                     %l: tensor<8xi64> {dist.sharding = #dist.sharding<[_]>})
      -> (tensor<f32> {dist.sharding = #dist.sharding<[]>},
          tensor<8x6xf32> {dist.sharding = #dist.sharding<[_, tp]>}) {
    %0 = graph.softmax_cross_entropy %x, %l {dist.in = [#dist.sharding<[_, tp]>, #dist.sharding<[_]>], dist.out = [#dist.sharding<[]>]} : tensor<8x6xf32>, tensor<8xi64>
    %1 = graph.softmax %x axis = 1 {dist.in = [#dist.sharding<[_, tp]>], dist.out = [#dist.sharding<[_, tp]>]} : tensor<8x6xf32>
    return %0, %1 : tensor<f32>, tensor<8x6xf32>
  }
}
