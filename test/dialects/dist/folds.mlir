// RUN: pcc-opt %s --canonicalize | FileCheck %s

// A reshard to the present sharding is folded, and so is the block of a value that was just assembled.

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  // CHECK-LABEL: func.func @reshard
  // CHECK-NEXT: return %arg0
  func.func @reshard(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = dist.reshard %x from [dp] to [dp] : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  // CHECK-LABEL: func.func @block
  // CHECK-NEXT: return %arg0
  func.func @block(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = dist.to_global %x [dp] : tensor<4xf32> to tensor<8xf32>
    %1 = dist.to_local %0 [dp] : tensor<8xf32> to tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
