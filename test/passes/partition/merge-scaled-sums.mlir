// RUN: pcc-opt %s --pass-pipeline='builtin.module(func.func(dist-merge-scaled-sums))' | FileCheck %s

// One sum is scaled before, one after. The ops that read them are equal, so their own sums are merged as well, though
// the later one is scaled first.
// CHECK-LABEL: func.func @norm(
// CHECK: %[[MEAN:.+]] = dist.all_reduce sum
// CHECK: %[[SUB:.+]] = graph.sub %{{.+}}, %[[MEAN]]
// CHECK: %[[SQUARE:.+]] = graph.square %[[SUB]]
// CHECK: %[[SUM:.+]] = dist.all_reduce sum %[[SQUARE]]
// CHECK: %[[VARIANCE:.+]] = graph.mul %[[SUM]]
// CHECK-NOT: dist.all_reduce
// CHECK: return %[[SUB]], %[[SUB]], %[[VARIANCE]], %[[VARIANCE]]
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
func.func @norm(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) attributes {dist.local} {
  %four = graph.constant dense<4.0> : tensor<8xf32>
  %quarter = graph.constant dense<0.25> : tensor<8xf32>
  %part = graph.div %x, %four : tensor<8xf32>
  %mean = dist.all_reduce sum %part over <axes [dp]> : tensor<8xf32>
  %sub = graph.sub %x, %mean : tensor<8xf32>
  %sum = dist.all_reduce sum %x over <axes [dp]> : tensor<8xf32>
  %mean2 = graph.div %sum, %four : tensor<8xf32>
  %sub2 = graph.sub %x, %mean2 : tensor<8xf32>
  %square = graph.square %sub : tensor<8xf32>
  %sum3 = dist.all_reduce sum %square over <axes [dp]> : tensor<8xf32>
  %variance = graph.mul %sum3, %quarter : tensor<8xf32>
  %square2 = graph.square %sub2 : tensor<8xf32>
  %part4 = graph.mul %square2, %quarter : tensor<8xf32>
  %variance2 = dist.all_reduce sum %part4 over <axes [dp]> : tensor<8xf32>
  return %sub, %sub2, %variance, %variance2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Other ranks, another constant, a maximum, 16 bits, whose sums may overflow, and integers, whose quotients are cut off,
// stay.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-9: dist.all_reduce
func.func @kept(%x: tensor<8xf32>, %h: tensor<8xf16>, %i: tensor<8xi64>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>, tensor<8xi64>, tensor<8xi64>) attributes {dist.local} {
  %two = graph.constant dense<2.0> : tensor<8xf32>
  %four = graph.constant dense<4.0> : tensor<8xf32>
  %part = graph.div %x, %four : tensor<8xf32>
  %mean = dist.all_reduce sum %part over <axes [dp]> : tensor<8xf32>
  %ranks = dist.all_reduce sum %x over <axes [tp]> : tensor<8xf32>
  %0 = graph.div %ranks, %four : tensor<8xf32>
  %sum = dist.all_reduce sum %x over <axes [dp]> : tensor<8xf32>
  %1 = graph.div %sum, %two : tensor<8xf32>
  %max = dist.all_reduce max %x over <axes [dp]> : tensor<8xf32>
  %2 = graph.div %max, %four : tensor<8xf32>
  %maxpart = dist.all_reduce max %part over <axes [dp]> : tensor<8xf32>
  %all = graph.add %mean, %maxpart : tensor<8xf32>
  %half = graph.constant dense<4.0> : tensor<8xf16>
  %hpart = graph.div %h, %half : tensor<8xf16>
  %hmean = dist.all_reduce sum %hpart over <axes [dp]> : tensor<8xf16>
  %hsum = dist.all_reduce sum %h over <axes [dp]> : tensor<8xf16>
  %3 = graph.div %hsum, %half : tensor<8xf16>
  %count = graph.constant dense<4> : tensor<8xi64>
  %ipart = graph.div %i, %count : tensor<8xi64>
  %imean = dist.all_reduce sum %ipart over <axes [dp]> : tensor<8xi64>
  %isum = dist.all_reduce sum %i over <axes [dp]> : tensor<8xi64>
  %4 = graph.div %isum, %count : tensor<8xi64>
  return %0, %1, %2, %all, %hmean, %3, %imean, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf16>, tensor<8xi64>, tensor<8xi64>
}
}
