// RUN: pcc-opt %s --split-input-file --verify-diagnostics --dist-localize

// The preceding passes must have run.

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{"dist.reshard" is left over; run --dist-reshards-to-collectives first}}
    %0 = dist.reshard %x from [_] to [_] partial(sum: dp) : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error @below {{expected operand 0 as "[dp]", got "[_]"; run --dist-insert-reshards first}}
    %0 = graph.relu %x {dist.in = [#dist.sharding<[dp]>], dist.out = [#dist.sharding<[dp]>]} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// An op without an annotation reads whole values.

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) -> tensor<f32> {
    // expected-error @below {{expected operand 0 as "[_]", got "[dp]"; run --dist-insert-reshards first}}
    %0 = graph.reduce sum %x, [0] : tensor<8xf32>
    return %0 : tensor<f32>
  }
}

// -----

// The same holds for the boundary of the function.

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) -> tensor<8xf32> {
    // expected-error @below {{expected operand 0 as "[_]", got "[dp]"; run --dist-insert-reshards first}}
    return %x : tensor<8xf32>
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32> {dist.sharding = #dist.sharding<[dp]>}) {
    // expected-error @below {{expected operand 0 as "[_]", got "[dp]"; run --dist-insert-reshards first}}
    %0 = dist.to_local %x [_] : tensor<8xf32> to tensor<8xf32>
    return
  }
}
