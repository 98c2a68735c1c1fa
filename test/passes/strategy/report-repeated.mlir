// RUN: pcc-opt %s --strategy-report-repeated --verify-diagnostics -o /dev/null

// Both matmuls are cut over dp. The first one is also cut over tp; the second one is not. Its weight
// is half as wide, so a rank spends half of its FLOPs on what the other rank along tp computes, too.
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @forward(%x: tensor<8x4xf32> {dist.sharding = #dist.sharding<[dp, _]>},
                     %w: tensor<4x8xf32> {dist.sharding = #dist.sharding<[_, tp]>},
                     %v: tensor<4x4xf32>) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[dp, tp]>},
                                              tensor<8x4xf32> {dist.sharding = #dist.sharding<[dp, _]>}) {
    %0 = graph.matmul %x, %w {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, tp]>], dist.out = [#dist.sharding<[dp, tp]>]} : tensor<8x4xf32>, tensor<4x8xf32>
    // expected-warning @below {{all 2 ranks along 'tp' repeat 50.0 % of a rank's FLOPs, in 1 ops; most of them, 50.0 %, in 'matmul'}}
    %1 = graph.matmul %x, %v {dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[_, _]>], dist.out = [#dist.sharding<[dp, _]>]} : tensor<8x4xf32>, tensor<4x4xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x4xf32>
  }
}
