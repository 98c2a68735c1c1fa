// RUN: pcc-opt %s --split-input-file --strategy-collect-constraints --strategy-semi-auto=device-num=8 | FileCheck %s

// The rows of a matmul are cut in two parts, the columns of its result in eight. A matmul of eight parts has less work,
// but needs all rows. In a box, links are fast enough for them.

// CHECK-LABEL: func.func @in_a_box(
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, x.y]>], dist.out = [#dist.sharding<[_, x.y]>]
module attributes {pcc.cluster = "1x8xH100", dist.mesh = #dist.mesh<x=2, y=4>} {
  func.func @in_a_box(%x: tensor<1024x32768xbf16>, %w: tensor<32768x8192xbf16>) -> tensor<1024x8192xbf16> {
    %0 = graph.relu %x {dist.in = "((2,1))"} : tensor<1024x32768xbf16>
    %1 = graph.matmul %0, %w : tensor<1024x32768xbf16>, tensor<32768x8192xbf16>
    %2 = graph.relu %1 {dist.in = "((1,8))"} : tensor<1024x8192xbf16>
    return %2 : tensor<1024x8192xbf16>
  }
}

// -----

// Between boxes, the same devices compute two parts in less time than rows need to arrive.

// CHECK-LABEL: func.func @between_boxes(
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[x, _]>
module attributes {pcc.cluster = "8x1xH100", dist.mesh = #dist.mesh<x=2, y=4>} {
  func.func @between_boxes(%x: tensor<1024x32768xbf16>, %w: tensor<32768x8192xbf16>) -> tensor<1024x8192xbf16> {
    %0 = graph.relu %x {dist.in = "((2,1))"} : tensor<1024x32768xbf16>
    %1 = graph.matmul %0, %w : tensor<1024x32768xbf16>, tensor<32768x8192xbf16>
    %2 = graph.relu %1 {dist.in = "((1,8))"} : tensor<1024x8192xbf16>
    return %2 : tensor<1024x8192xbf16>
  }
}
