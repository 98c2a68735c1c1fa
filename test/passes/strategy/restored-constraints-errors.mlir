// RUN: pcc-opt %s --split-input-file --verify-diagnostics --strategy-semi-auto=device-num=4

// Partial sums of operands are shardings, not shard counts.

// expected-error @below {{constraint "c:add#0", "carried": expected shardings, got shard counts}}
module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "c:add#0", in = "[_, _], [_, _]", restored, carried = "((2,1),(1,1))"}]} {
  func.func @c(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = graph.add %x, %w : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// Every operand has one.

module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "c:add#0", in = "[_, _], [_, _]", restored, carried = "[_, _] partial(sum: tp)"}]} {
  func.func @c(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @below {{strategy of "add": "carried": expected 2 shardings, got 1}}
    %0 = graph.add %x, %w : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// The mesh must have their axes.

module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "c:add#0", in = "[_, _], [_, _]", restored, carried = "[_, _] partial(sum: dp), [_, _]"}]} {
  func.func @c(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // expected-error @below {{strategy of "add": "carried": axis "dp" of sharding "[_, _] partial(sum: dp)" is not an axis of the mesh "tp=4"}}
    %0 = graph.add %x, %w : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
