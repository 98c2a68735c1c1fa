// RUN: pcc-opt %s --split-input-file --verify-diagnostics --strategy-collect-constraints --strategy-semi-auto=device-num=8

// A strategy for a repeated operand is checked against the operand's own shape.

func.func @forward(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
  // expected-error @below {{strategy of "add_0": input 1: expected 1 entries, one for each dimension, got 3}}
  %1 = graph.add %x, %0 {dist.in = "((2,4),(1,1,4))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

func.func @forward(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
  // expected-error @below {{strategy of "add_0": input 1, dimension 0: expected a count of at least 1, got 0}}
  %1 = graph.add %x, %0 {dist.in = "((2,4),(0))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

func.func @forward(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
  // expected-error @below {{strategy of "add_0": input 1, dimension 0: expected a count that divides 8 (1, 2, 4, 8), got 3}}
  %1 = graph.add %x, %0 {dist.in = "((2,4),(3))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// The counts of a factor agree, whatever its position in each shape.

func.func @forward(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<4x8xf32>
  // expected-error @below {{strategy of "add_0": input 1, dimension 0: expected 4 as for input 0, dimension 1, which is the same factor, got 2}}
  %1 = graph.add %x, %0 {dist.in = "((2,4),(2))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A cut of a dimension of size one can only refer to the operand that the op itself reads.

func.func @forward(%x: tensor<4x8xf32>, %b: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %b, [0, 1] : tensor<1x8xf32> to tensor<4x8xf32>
  // expected-error @below {{strategy of "add_0": input 1, dimension 0: expected 2 as for input 0, dimension 0, which is the same factor, got 4}}
  %1 = graph.add %x, %0 {dist.in = "((2,2),(4,2))"} : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
