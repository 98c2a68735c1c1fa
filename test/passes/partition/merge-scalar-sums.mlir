// RUN: pcc-opt %s --dist-merge-scalar-sums | FileCheck %s

// Two of the four terms are reduced over the same ranks: they are added first.
// CHECK-LABEL: func.func @merged(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<f32>, %[[B:[a-z0-9]+]]: tensor<f32>, %[[C:[a-z0-9]+]]: tensor<f32>, %[[D:[a-z0-9]+]]: tensor<f32>
// CHECK: %[[AB:.+]] = graph.add %[[A]], %[[B]]
// CHECK: %[[SUM:.+]] = dist.all_reduce sum %[[AB]] over <axes [dp]>
// CHECK: %[[TP:.+]] = dist.all_reduce sum %[[D]] over <axes [tp]>
// CHECK-NOT: all_reduce
// CHECK: %[[TWO:.+]] = graph.add %[[SUM]], %[[TP]]
// CHECK: %[[ALL:.+]] = graph.add %[[TWO]], %[[C]]
// CHECK: return %[[ALL]]
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
func.func @merged(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>)
    -> tensor<f32> attributes {dist.local} {
  %ra = dist.all_reduce sum %a over <axes [dp]> : tensor<f32>
  %rb = dist.all_reduce sum %b over <axes [dp]> : tensor<f32>
  %rd = dist.all_reduce sum %d over <axes [tp]> : tensor<f32>
  %ab = graph.add %ra, %rb : tensor<f32>
  %abc = graph.add %ab, %c : tensor<f32>
  %all = graph.add %abc, %rd : tensor<f32>
  return %all : tensor<f32>
}

// A term with another user, a maximum and a tensor with dimensions stay.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-5: dist.all_reduce
func.func @kept(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %v: tensor<2xf32>, %w: tensor<2xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<2xf32>) attributes {dist.local} {
  %ra = dist.all_reduce sum %a over <axes [dp]> : tensor<f32>
  %rb = dist.all_reduce sum %b over <axes [dp]> : tensor<f32>
  %rc = dist.all_reduce max %c over <axes [dp]> : tensor<f32>
  %rv = dist.all_reduce sum %v over <axes [dp]> : tensor<2xf32>
  %rw = dist.all_reduce sum %w over <axes [dp]> : tensor<2xf32>
  %ab = graph.add %ra, %rb : tensor<f32>
  %abc = graph.add %ab, %rc : tensor<f32>
  %vw = graph.add %rv, %rw : tensor<2xf32>
  return %abc, %ra, %vw : tensor<f32>, tensor<f32>, tensor<2xf32>
}
}
