// RUN: pcc-opt %s --graph-split-batch=count=3 --split-input-file --verify-diagnostics

// A batch that the count does not divide: the error names both, the note suggests counts.
// expected-error @+2 {{expected 3 parts, microbatches times copies, to divide the batch of input 'x', got 32 samples}}
// expected-note @+1 {{counts that divide it: 1, 2, 4, 8, 16, 32}}
func.func @indivisible(%x: tensor<32x4xf32> {graph.role = #graph.role<input "x">}) {
  return
}

// -----

// A batch without small divisors: the error comes at once.
// expected-error @+2 {{expected 3 parts, microbatches times copies, to divide the batch of input 'x', got 281474976710597 samples}}
// expected-note @+1 {{counts that divide it: 1}}
func.func @prime(%x: tensor<281474976710597xf32> {graph.role = #graph.role<input "x">}) {
  return
}

// -----

// An input of unknown size.
// expected-error @+1 {{expected input 'x' of static sizes of at least 1, got 'tensor<?x4xf32>'}}
func.func @dynamic(%x: tensor<?x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

// A function with control flow.
// expected-error @+1 {{expected one block, got 2}}
func.func @blocks(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) {
  return
^unreached(%a: tensor<6xf32>, %y: tensor<6xf32>):
  %0 = graph.add %x, %y : tensor<6xf32>
  return
}

// -----

// An op that needs the whole batch.
func.func @whole(%x: tensor<6x4xf32> {graph.role = #graph.role<input>}) -> tensor<6x4xf32> {
  // expected-error @+1 {{'graph.softmax' op cannot work on one of 3 microbatches: it needs the whole batch}}
  %0 = graph.softmax %x axis = 0 : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// A constant with one number per sample.
func.func @listed(%x: tensor<3xf32> {graph.role = #graph.role<input "x">}) -> tensor<3xf32> {
  // expected-error @+1 {{'graph.constant' op cannot work on one of 3 microbatches: its values differ from row to row of the batch}}
  %0 = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %1 = graph.mul %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// A parameter with one value for each sample.
// expected-error @+1 {{expected no argument but the inputs to carry the batch, got dimension 0 of 'w'}}
func.func @parameter(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<6x4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<6x4xf32> {
  %0 = graph.add %x, %w : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// An argument without a name is named by its number.
// expected-error @+1 {{expected no argument but the inputs to carry the batch, got dimension 0 of #1}}
func.func @argument(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">},
                    %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = graph.add %x, %y : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// Samples are separated in groups.
func.func @groups(%x: tensor<12x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<2x6x4xf32> {
  // expected-error @+1 {{'graph.reshape' op cannot work on one of 3 microbatches: it takes the batch apart into pieces that the count does not divide}}
  %0 = graph.reshape %x : tensor<12x4xf32> to tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}

// -----

// The samples follow another dimension.
func.func @behind(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<24xf32> {
  %0 = graph.transpose %x, [1, 0] : tensor<6x4xf32>
  // expected-error @+1 {{'graph.reshape' op cannot work on one of 3 microbatches: it puts the batch behind another dimension}}
  %1 = graph.reshape %0 : tensor<4x6xf32> to tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

// An op without a factor rule.
func.func private @other(tensor<6x4xf32>) -> tensor<6x4xf32>
func.func @call(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x4xf32> {
  // expected-error @+1 {{'func.call' op cannot work on one of 3 microbatches: it does not say how it may be split}}
  %0 = call @other(%x) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
