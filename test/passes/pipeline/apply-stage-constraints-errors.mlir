// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipeline-apply-stage-constraints="stages=2"

// expected-error @below {{constraint "/nobody" at pins.textproto:7 matches no op}}
module attributes {pipe.constraints = [{module = "/nobody", stage = 0 : i64, place = "pins.textproto:7"}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @below {{constraint "/a" requires nothing; expected "stage", "chunk", "recompute" or, beside "layer", "layout"}}
module attributes {pipe.constraints = [{module = "/a"}]} {
}

// -----

// expected-error @below {{constraint "(" is no regular expression: }}
module attributes {pipe.constraints = [{op = "(", stage = 0 : i64}]} {
}

// -----

// expected-error @below {{expected a constraint of stages to name one of "op", "op_name", "module" and "layer", got {parameter = "w", stage = 0 : i64}}}
module attributes {pipe.constraints = [{parameter = "w", stage = 0 : i64}]} {
}

// -----

// expected-error @below {{expected dictionaries in 'pipe.constraints', got 1 : i64}}
module attributes {pipe.constraints = [1]} {
}

// -----

// Two constraints differ.

module attributes {pipe.constraints = [{op = "e.*", stage = 0 : i64}, {op_name = "exp", stage = 1 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{"exp" is given two stages, by constraint "e.*" and by constraint "exp"}}
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{layout of constraint "/h" has 3 parts; expected 2, one for each stage}}
module attributes {pipe.constraints = [{layer = "/h", layout = "E|t|L"}]} {
}

// -----

// expected-error @below {{constraint "/h" matches no op}}
module attributes {pipe.constraints = [{layer = "/h", layout = "E|t L"}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {pipe.constraints = [{layer = "e(.)p", layout = "t|t"}]} {
  // expected-error @below {{layout of constraint "e(.)p" lays out 2 layers; expected 1}}
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The number of layers is only a number, whatever it is.
module attributes {pipe.constraints = [{layer = "e(.)p", layout = "t*2000000000|t*2000000000"}]} {
  // expected-error @below {{layout of constraint "e(.)p" lays out 4000000000 layers; expected 1}}
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{layout "t E | L" of constraint "/h": expected "E" once, before all layers}}
module attributes {pipe.constraints = [{layer = "/h", layout = "t E | L"}]} {
}

// -----

// expected-error @below {{layout "t | L t" of constraint "/h": expected nothing behind "L", got "t"}}
module attributes {pipe.constraints = [{layer = "/h", layout = "t | L t"}]} {
}

// -----

// expected-error @below {{layout "t*0 | L" of constraint "/h": expected "E", "t", "t*2" or "L", got "t*0"}}
module attributes {pipe.constraints = [{layer = "/h", layout = "t*0 | L"}]} {
}

// -----

// expected-error @below {{layout "t | | L" of constraint "/h": expected something in each part}}
module attributes {pipe.constraints = [{layer = "/h", layout = "t | | L"}]} {
}

// -----

// expected-error @below {{constraint "/a" at pins.textproto:4 requires stage 7; expected 0 to 1}}
module attributes {pipe.constraints = [{module = "/a", stage = 7 : i64, place = "pins.textproto:4"}]} {
}

// -----

// expected-error @below {{constraint "/a" requires stage -1; expected 0 to 1}}
module attributes {pipe.constraints = [{module = "/a", stage = -1 : i64}]} {
}

// -----

// expected-error @below {{constraint "a" requires chunk 4; expected 0 to 1}}
module attributes {pipe.constraints = [{op_name = "a", chunk = 4 : i64}]} {
}

// -----

// Both numbers of an entry are checked.

// expected-error @below {{constraint "a" requires stage 2; expected 0 to 1}}
module attributes {pipe.constraints = [{op_name = "a", stage = 2 : i64, chunk = 0 : i64}]} {
}

// -----

// Two constraints differ in the chunk, a third one gives the same stage as the first.

module attributes {pipe.constraints = [{op = "e.*", stage = 0 : i64, chunk = 0 : i64}, {op_name = "exp", stage = 0 : i64},
                                {op = "exp", chunk = 1 : i64}]} {
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{"exp" is given two chunks, by constraint "e.*" and by constraint "exp"}}
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
