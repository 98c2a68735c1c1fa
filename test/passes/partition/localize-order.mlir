// RUN: pcc-opt %s --split-input-file --dist-localize | FileCheck %s

// If classes are split, each rank finds its best class. One element and its number per rank are gathered.

// CHECK-LABEL: func.func @argmax(
// CHECK-SAME: %[[X:.+]]: tensor<2x100xf32>
// CHECK: %[[OWN:.+]] = graph.argmax %[[X]] axis = 1 : tensor<2x100xf32>
// CHECK: %[[NUMBER:.+]] = graph.add %[[OWN]]
// CHECK: %[[VALUE:.+]] = graph.reduce {{ ?}}max %[[X]], [1] : tensor<2x100xf32>
// CHECK-DAG: dist.all_gather %{{.+}} axis = 1 over <axes [tp]> : tensor<2x1xf32> to tensor<2x4xf32>
// CHECK-DAG: dist.all_gather %{{.+}} axis = 1 over <axes [tp]> : tensor<2x1xi64> to tensor<2x4xi64>
// CHECK: graph.argmax %{{.+}} axis = 1 : tensor<2x4xf32>
// CHECK: graph.gather
module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>} {
  func.func @argmax(%x: tensor<4x400xf32> {dist.sharding = #dist.sharding<[dp, tp]>})
      -> (tensor<4xi64> {dist.sharding = #dist.sharding<[dp]>}) {
    %0 = graph.argmax %x axis = 1 {dist.in = [#dist.sharding<[dp, tp]>], dist.out = [#dist.sharding<[dp]>]} : tensor<4x400xf32>
    return %0 : tensor<4xi64>
  }
}

// -----

// The number of candidates is the requested one, or that of a block if it is smaller.

// CHECK-LABEL: func.func @top_k(
// CHECK: graph.top_k %{{.+}} axis = 0 : tensor<2x5xf32> to tensor<2x5xf32>
// CHECK: dist.all_gather %{{.+}} axis = 0 over <axes [tp]> : tensor<2x5xf32> to tensor<8x5xf32>
// CHECK: graph.top_k %{{.+}} axis = 0 : tensor<8x5xf32> to tensor<3x5xf32>
module attributes {dist.mesh = #dist.mesh<tp=4>} {
  func.func @top_k(%x: tensor<8x5xf32> {dist.sharding = #dist.sharding<[tp, _]>})
      -> (tensor<3x5xf32> {dist.sharding = #dist.sharding<[_, _]>}, tensor<3x5xi64> {dist.sharding = #dist.sharding<[_, _]>}) {
    %0, %1 = graph.top_k %x axis = 0 {dist.in = [#dist.sharding<[tp, _]>], dist.out = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>]}
      : tensor<8x5xf32> to tensor<3x5xf32>
    return %0, %1 : tensor<3x5xf32>, tensor<3x5xi64>
  }
}
