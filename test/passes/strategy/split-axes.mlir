// RUN: pcc-opt %s --split-input-file --strategy-split-axes=threshold=0 | FileCheck %s
// RUN: pcc-opt %s --split-input-file --strategy-split-axes=threshold=0 --mlir-print-debuginfo | FileCheck %s --check-prefix=WHY
// RUN: pcc-opt %s --split-input-file --strategy-split-axes=threshold=0 --strategy-shard-optimizer='threshold=0 level=3' | FileCheck %s --check-prefix=SHARD
// RUN: pcc-opt %s --split-input-file --strategy-split-axes=threshold=0 --strategy-split-axes=threshold=0 | FileCheck %s --check-prefix=TWICE
// RUN: pcc-opt %s --split-input-file --strategy-split-axes=threshold=4096 | FileCheck %s --check-prefix=SMALL

// Twelve ranks divide no dimension of the parameter, but four of them do. Every use of the axis names both parts, and
// so do its reasons.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp0=3, dp1=4, tp=2>}
// CHECK: func.func @forward_backward(%{{.+}} {dist.sharding = #dist.sharding<[dp0.dp1, _]>
// CHECK-SAME: gradient "w"
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[dp0.dp1, _]>, #dist.sharding<[_, tp]>], dist.out = [#dist.sharding<[dp0.dp1, tp]>]
// CHECK: dist.all_reduce {{ ?}}sum {{.+}} over <axes [dp0, dp1]>
// SHARD: func.func @update(
// SHARD-SAME: dist.sharding = #dist.sharding<[dp1, tp]>, graph.role = #graph.role<parameter "w">
// SMALL: #dist.mesh<dp=12, tp=2>
// WHY: loc(fused<{dist.reason = {dp0 = "the batch", dp1 = "the batch", tp = "w"}}>
module attributes {dist.mesh = #dist.mesh<dp=12, tp=2>} {
  graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<24x8xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">},
                              %w: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w">})
      -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>, graph.role = #graph.role<gradient "w">}) {
    %0 = graph.matmul %x, %w {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, tp]>], dist.out = [#dist.sharding<[dp, tp]>]}
        : tensor<24x8xf32>, tensor<8x8xf32> loc(fused<{dist.reason = {dp = "the batch", tp = "w"}}>["matmul"])
    %1 = graph.transpose %x, [1, 0] {dist.in = [#dist.sharding<[dp, _]>], dist.out = [#dist.sharding<[_, dp]>]} : tensor<24x8xf32>
    %2 = graph.matmul %1, %0 {dist.in = [#dist.sharding<[_, dp]>, #dist.sharding<[dp, tp]>], dist.out = [#dist.sharding<[_, tp] partial(sum: dp)>]}
        : tensor<8x24xf32>, tensor<24x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func @local(%x: tensor<8xf32>) -> tensor<8xf32> attributes {dist.local} {
    %0 = dist.all_reduce sum %x over <axes [dp]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @update(%w: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w">},
                    %g: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, tp] partial(sum: dp)>, graph.role = #graph.role<gradient "w">})
      -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w">}) {
    %0 = graph.sub %w, %g {dist.in = [#dist.sharding<[_, tp]>, #dist.sharding<[_, tp]>], dist.out = [#dist.sharding<[_, tp]>]} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// Nothing changes if all ranks divide the parameter, or if no part of them does.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp=4, tp=3>}
module attributes {dist.mesh = #dist.mesh<dp=4, tp=3>} {
  graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>)
  func.func @update(%w: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">},
                    %g: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "w">})
      -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">}) {
    %0 = graph.sub %w, %g {dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// Two of 12 ranks divide the large parameter, and three the small one: the outer part is split again. A mesh that has
// been split stays as it is.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp00=2, dp01=3, dp1=2>}
// TWICE: module attributes {dist.mesh = #dist.mesh<dp00=2, dp01=3, dp1=2>}
module attributes {dist.mesh = #dist.mesh<dp=12>} {
  graph.parameter @large : tensor<14x14xf32> init(#graph.init<zeros>)
  graph.parameter @small : tensor<3x3xf32> init(#graph.init<zeros>)
  func.func @update(%w: tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "large">},
                    %v: tensor<3x3xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "small">},
                    %gw: tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "large">},
                    %gv: tensor<3x3xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "small">})
      -> (tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "large">},
          tensor<3x3xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "small">}) {
    %0 = graph.sub %w, %gw {dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<14x14xf32>
    %1 = graph.sub %v, %gv {dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<3x3xf32>
    return %0, %1 : tensor<14x14xf32>, tensor<3x3xf32>
  }
}

// -----

// Another axis already divides the parameter as far as it can be, and a name that an axis has is not taken.

// CHECK: module attributes {dist.mesh = #dist.mesh<x=6, y=2>}
module attributes {dist.mesh = #dist.mesh<x=6, y=2>} {
  graph.parameter @w : tensor<14x14xf32> init(#graph.init<zeros>)
  func.func @update(%w: tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">},
                    %g: tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "w">})
      -> (tensor<14x14xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">}) {
    %0 = graph.sub %w, %g {dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<14x14xf32>
    return %0 : tensor<14x14xf32>
  }
}

// -----

// CHECK: module attributes {dist.mesh = #dist.mesh<dp0_=3, dp1=4, dp0=5>}
module attributes {dist.mesh = #dist.mesh<dp=12, dp0=5>} {
  graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>)
  func.func @update(%w: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">},
                    %g: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<gradient "w">})
      -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w">}) {
    %0 = graph.sub %w, %g {dist.in = [#dist.sharding<[_, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
