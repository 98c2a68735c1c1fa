// RUN: pcc-opt %s --dist-reshards-to-collectives -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir
// RUN: pcc-opt %s --dist-reshards-to-collectives --remark-format=emitRemark --remarks-filter=partition --verify-diagnostics -o /dev/null

// Each reshard becomes to_local, the steps of its plan, and to_global.

module attributes {dist.mesh = #dist.mesh<x=2, y=2>} {
  // CHECK-LABEL: func.func @reduce
  // CHECK: %[[A:.+]] = dist.to_local %{{.+}} [_, _] partial(sum: x, y) : tensor<8x8xf32> to tensor<8x8xf32>
  // CHECK: %[[B:.+]] = dist.all_reduce {{ ?}}sum %[[A]] over <axes [x, y]> : tensor<8x8xf32>
  // CHECK: dist.to_global %[[B]] [_, _] : tensor<8x8xf32> to tensor<8x8xf32>
  func.func @reduce(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{elements_received=96, from="[_, _] partial(sum: x, y)", steps=all_reduce(x.y), to="[_, _]"}}
    %0 = dist.reshard %a from [_, _] partial(sum: x, y) to [_, _] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  // CHECK-LABEL: func.func @scatter
  // CHECK: dist.reduce_scatter {{ ?}}sum %{{.+}} axis = 1 over <axes [y]> : tensor<8x8xf32> to tensor<8x4xf32>
  func.func @scatter(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{reduce_scatter(y: 1)}}
    %0 = dist.reshard %a from [_, _] partial(sum: y) to [_, y] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  // CHECK-LABEL: func.func @slice
  // CHECK: %[[R:.+]] = dist.rank over <axes [x]>
  // CHECK: %[[START:.+]] = graph.mul %[[R]]
  // CHECK: graph.dynamic_slice %{{.+}}, %[[START]] axis = 0 : (tensor<8x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  func.func @slice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{elements_received=0, from="[_, _]", steps="slice(x: 0)"}}
    %0 = dist.reshard %a from [_, _] to [x, _] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  // CHECK-LABEL: func.func @gather
  // CHECK: dist.all_gather %{{.+}} axis = 0 over <axes [x]> : tensor<4x8xf32> to tensor<8x8xf32>
  func.func @gather(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{all_gather(x: 0)}}
    %0 = dist.reshard %a from [x, _] to [_, _] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  // CHECK-LABEL: func.func @permute
  // CHECK: dist.collective_permute %{{.+}} {{\[}}[0, 0], [2, 1], [1, 2], [3, 3]] over <axes [x, y]> : tensor<2x8xf32>
  func.func @permute(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{collective_permute(x.y)}}
    %0 = dist.reshard %a from [x.y, _] to [y.x, _] : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  // CHECK-LABEL: func.func @keep_one
  // CHECK: %[[R:.+]] = dist.rank over <axes [x]>
  // CHECK: %[[FIRST:.+]] = graph.compare {{ ?}}eq %[[R]]
  // CHECK: graph.select
  // CHECK-NOT: dist.all
  func.func @keep_one(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-remark @below {{mask(x)}}
    %0 = dist.reshard %a from [_, _] to [_, _] partial(sum: x) : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
