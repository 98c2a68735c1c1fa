// RUN: pcc-opt %s --split-input-file --verify-diagnostics --strategy-collect-constraints --strategy-semi-auto=device-num=8

// First, the number of tuples.

func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{strategy of "matmul_0": expected 2 tuples or shardings, one for each input, got 1}}
  %0 = graph.matmul %x, %w {dist.in = "((2,1))"} : tensor<8x16xf32>, tensor<16x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Second, their lengths.

func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{strategy of "matmul_0": input 1: expected 2 entries, one for each dimension, got 3}}
  %0 = graph.matmul %x, %w {dist.in = "((0,1),(1,4,1))"} : tensor<8x16xf32>, tensor<16x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Third, positive counts.

func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{strategy of "matmul_0": input 0, dimension 0: expected a count of at least 1, got 0}}
  %0 = graph.matmul %x, %w {dist.in = "((0,1),(3,4))"} : tensor<8x16xf32>, tensor<16x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{strategy of "relu_0": input 0, dimension 1: expected a count of at least 1, got -1}}
  %0 = graph.relu %x {dist.in = "((1,-1))"} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

// Fourth, even splits.

func.func @forward(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{strategy of "relu_0": input 0, dimension 0: expected a count that divides 4 (1, 2, 4), got 3}}
  %0 = graph.relu %x {dist.in = "((3,1))"} : tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

// Fifth, the op's own rules: one factor, one count;

func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{strategy of "matmul_0": input 1, dimension 0: expected 16 as for input 0, dimension 1, which is the same factor, got 8}}
  %0 = graph.matmul %x, %w {dist.in = "((1,16),(8,1))"} : tensor<8x16xf32>, tensor<16x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// dimensions that the op processes along stay whole.

func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{strategy of "slice_0": input 0, dimension 1: must stay whole, since "graph.slice" works along it; expected 1, got 8}}
  %0 = graph.slice %x axis = 1 start = 0 {dist.in = "((1,8))"} : tensor<8x16xf32> to tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Sixth, the parts of all factors together, which need not be powers of two.

func.func @forward(%x: tensor<9x16xf32>) -> tensor<9x16xf32> {
  // expected-error @below {{strategy of "relu_0": expected a number of parts that divides 8 ranks, got 3 x 2 = 6}}
  %0 = graph.relu %x {dist.in = "((3,2))"} : tensor<9x16xf32>
  return %0 : tensor<9x16xf32>
}

// -----

// The same for axes by name.

module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>} {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    // expected-error @below {{strategy of "relu_0": axis "pp" of sharding "[pp, _]" is not an axis of the mesh "dp=2, tp=4"}}
    %0 = graph.relu %x {dist.in = "[pp, _]"} : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>} {
  func.func @forward(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
    // expected-error @below {{strategy of "matmul_0": axis "tp" splits two factors}}
    %0 = graph.matmul %x, %w {dist.in = "[tp, _], [_, tp]"} : tensor<8x16xf32>, tensor<16x64xf32>
    return %0 : tensor<8x64xf32>
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2, tp=4>} {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    // expected-error @below {{strategy of "relu_0": "[dp, _] partial(sum: tp)" is partial, which follows from the ops and cannot be given}}
    %0 = graph.relu %x {dist.in = "[dp, _] partial(sum: tp)"} : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// Text of neither form.

// expected-error-re @below {{constraint "relu_0" at {{.+}}, "in": expected shardings such as "[dp, _], [_, tp]" or tuples of shard counts such as "((2,1),(1,4))", got "dp"}}
module {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = graph.relu %x {dist.in = "dp"} : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// expected-error-re @below {{constraint "relu_0" at {{.+}}, "in": expected tuples of shard counts such as "((2,1),(1,4))", got "((2,1)"}}
module {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = graph.relu %x {dist.in = "((2,1)"} : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// A constraint is never silently ignored.

// expected-error @below {{constraint "attention.*" at pins.textproto:3 matches no op}}
module attributes {dist.constraints = [{op = "attention.*", in = "((2,1))", place = "pins.textproto:3"}]} {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    return %x : tensor<8x16xf32>
  }
}

// -----

// expected-error @below {{constraint "w" matches no parameter}}
module attributes {dist.constraints = [{parameter = "w", sharding = "((2,1))"}]} {
}

// -----

// expected-error @below {{constraint "x" matches no input}}
module attributes {dist.constraints = [{input = "x", sharding = "((2,1))"}]} {
}

// -----

// expected-error @below {{constraint "x" requires nothing; expected "sharding"}}
module attributes {dist.constraints = [{input = "x"}]} {
}

// -----

// expected-error @below {{expected a constraint to name one of "op", "op_name", "op_exact", "module", "parameter" and "input", got {in = "((2,1))"}}}
module attributes {dist.constraints = [{in = "((2,1))"}]} {
}

// -----

// expected-error @below {{constraint "(" is no regular expression: parentheses not balanced}}
module attributes {dist.constraints = [{op = "(", in = "((2,1))"}]} {
}

// -----

// Two different constraints of one op.

module attributes {dist.constraints = [{op = "rel.*", in = "((2,1))", place = "pins:1"}, {op = ".*u", in = "((1,2))", place = "pins:2"}]} {
  func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
    // expected-error @below {{"relu" is given two strategies, by constraint "rel.*" at pins:1 and by constraint ".*u" at pins:2}}
    %0 = graph.relu %x : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}

// -----

// expected-error @below {{"w" is given two shardings, by constraint "w" and by constraint ".*"}}
module attributes {dist.constraints = [{parameter = "w", sharding = "((2,1))"}, {parameter = ".*", sharding = "((1,2))"}]} {
  graph.parameter @w : tensor<8x8xf32> init(<zeros>)
}

// -----

// expected-error @below {{sharding of "w": it, dimension 0: expected a count that divides 9 (1, 3, 9), got 2}}
module attributes {dist.constraints = [{parameter = "w", sharding = "((2,1))"}]} {
  graph.parameter @w : tensor<9x8xf32> init(<zeros>)
}

// -----

// The mesh must have the given number of ranks.

// expected-error @below {{expected a mesh of 8 ranks, got "dp=4"}}
module attributes {dist.mesh = #dist.mesh<dp=4>} {
}
