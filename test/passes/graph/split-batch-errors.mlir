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
  // expected-error @+1 {{'graph.softmax' op cannot work on one of 3 parts, microbatches times copies: it needs the whole batch}}
  %0 = graph.softmax %x axis = 0 : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// A constant with one number per sample.
func.func @listed(%x: tensor<3xf32> {graph.role = #graph.role<input "x">}) -> tensor<3xf32> {
  // expected-error @+1 {{'graph.constant' op cannot work on one of 3 parts, microbatches times copies: its values differ from row to row of the batch}}
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
  // expected-error @+1 {{'graph.reshape' op cannot work on one of 3 parts, microbatches times copies: it takes the batch apart into pieces that the count does not divide}}
  %0 = graph.reshape %x : tensor<12x4xf32> to tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}

// -----

// The samples follow another dimension, so that the parts of the result are not consecutive.
func.func @behind(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<24xf32> {
  %0 = graph.transpose %x, [1, 0] : tensor<6x4xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> to tensor<24xf32>
  // expected-error @+1 {{'func.return' op cannot work on one of 3 parts, microbatches times copies: it returns the batch behind another dimension}}
  return %1 : tensor<24xf32>
}

// -----

// An op without a factor rule.
func.func private @other(tensor<6x4xf32>) -> tensor<6x4xf32>
func.func @call(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x4xf32> {
  // expected-error @+1 {{'func.call' op cannot work on one of 3 parts, microbatches times copies: it does not say how it may be split}}
  %0 = call @other(%x) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// Each result is computed from two samples.
func.func @pairs(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x6xf32> {
  // expected-error @+1 {{'graph.matmul' op cannot work on one of 3 parts, microbatches times copies: it combines each sample with other samples of the batch}}
  %0 = graph.matmul %x, %x {transpose_rhs} : tensor<6x4xf32>, tensor<6x4xf32>
  return %0 : tensor<6x6xf32>
}

// -----

// The mean over the batch is not that over a microbatch.
func.func @centered(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x4xf32> {
  %0 = graph.reduce mean %x, [0] : tensor<6x4xf32>
  // expected-error @+1 {{'graph.broadcast' op cannot work on one of 3 parts, microbatches times copies: it combines a sum over the batch with single samples}}
  %1 = graph.broadcast %0, [1] : tensor<4xf32> to tensor<6x4xf32>
  %2 = graph.sub %x, %1 : tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// -----

// A loss that divides no sum over the batch by one.
func.func @inverse(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) -> tensor<f32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.reduce sum %x, [0] : tensor<6xf32>
  // expected-error @+1 {{'graph.div' op cannot work on one of 3 parts, microbatches times copies: it computes with a sum or mean over the batch}}
  %1 = graph.div %one, %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The divisor depends on a parameter, so it has a gradient as well.
func.func @trained(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}, %w: tensor<f32> {graph.role = #graph.role<parameter "w">}) -> tensor<f32> {
  %0 = graph.reduce sum %x, [0] : tensor<6xf32>
  %1 = graph.mul %0, %w : tensor<f32>
  // expected-error @+1 {{'graph.div' op cannot work on one of 3 parts, microbatches times copies: it computes with a sum or mean over the batch}}
  %2 = graph.div %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A quotient beside a mean over the samples, squared, and returned as a parameter.
func.func @terms(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) -> tensor<f32> {
  %0 = graph.square %x : tensor<6xf32>
  %1 = graph.reduce sum %0, [0] : tensor<6xf32>
  %2 = graph.reduce mean %x, [0] : tensor<6xf32>
  %3 = graph.div %1, %2 : tensor<f32>
  // expected-error @+1 {{'graph.add' op cannot work on one of 3 parts, microbatches times copies: it computes with a quotient of sums over the batch}}
  %4 = graph.add %3, %2 : tensor<f32>
  return %4 : tensor<f32>
}

// -----

func.func @root(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) -> tensor<f32> {
  %0 = graph.square %x : tensor<6xf32>
  %1 = graph.reduce sum %0, [0] : tensor<6xf32>
  %2 = graph.reduce sum %x, [0] : tensor<6xf32>
  %3 = graph.div %1, %2 : tensor<f32>
  // expected-error @+1 {{'graph.sqrt' op cannot work on one of 3 parts, microbatches times copies: it computes with a quotient of sums over the batch}}
  %4 = graph.sqrt %3 : tensor<f32>
  return %4 : tensor<f32>
}

// -----

func.func @state(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) -> (tensor<f32> {graph.role = #graph.role<parameter "w">}) {
  %0 = graph.square %x : tensor<6xf32>
  %1 = graph.reduce sum %0, [0] : tensor<6xf32>
  %2 = graph.reduce sum %x, [0] : tensor<6xf32>
  %3 = graph.div %1, %2 : tensor<f32>
  // expected-error @+1 {{'func.return' op cannot work on one of 3 parts, microbatches times copies: it returns a quotient of sums over the batch that is no loss}}
  return %3 : tensor<f32>
}

// -----

// Integers round: a cast of a sum, and a division.
func.func @cast(%x: tensor<6xf32> {graph.role = #graph.role<input "x">}) -> tensor<f32> {
  %0 = graph.reduce sum %x, [0] : tensor<6xf32>
  // expected-error @+1 {{'graph.cast' op cannot work on one of 3 parts, microbatches times copies: it computes with a sum or mean over the batch}}
  %1 = graph.cast %0 : tensor<f32> to tensor<i64>
  %2 = graph.cast %1 : tensor<i64> to tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @divided(%x: tensor<6xi64> {graph.role = #graph.role<input "x">}) -> tensor<f32> {
  %seven = graph.constant dense<7> : tensor<i64>
  %0 = graph.reduce sum %x, [0] : tensor<6xi64>
  // expected-error @+1 {{'graph.div' op cannot work on one of 3 parts, microbatches times copies: it computes with a sum or mean over the batch}}
  %1 = graph.div %0, %seven : tensor<i64>
  %2 = graph.cast %1 : tensor<i64> to tensor<f32>
  return %2 : tensor<f32>
}

// -----

// The square of a mean is not the mean of squares.
func.func @square(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<4xf32> {
  %0 = graph.reduce mean %x, [0] : tensor<6x4xf32>
  // expected-error @+1 {{'graph.square' op cannot work on one of 3 parts, microbatches times copies: it computes with a sum or mean over the batch}}
  %1 = graph.square %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @greatest(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<4xf32> {
  // expected-error @+1 {{'graph.reduce' op cannot work on one of 3 parts, microbatches times copies: it combines the samples of the batch}}
  %0 = graph.reduce max %x, [0] : tensor<6x4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The indices of a part lead to another part.
func.func @reversed(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x4xf32> {
  %0 = graph.constant dense<[5, 4, 3, 2, 1, 0]> : tensor<6xi64>
  // expected-error @+1 {{'graph.gather' op cannot work on one of 3 parts, microbatches times copies: it picks samples of other parts of the batch}}
  %1 = graph.gather %x, %0 axis = 0 : tensor<6x4xf32>, tensor<6xi64>
  return %1 : tensor<6x4xf32>
}

// -----

// Computed indices may stay in their rows, but the constant term must not count otherwise.
func.func @uneven(%x: tensor<6x2xf32> {graph.role = #graph.role<input "x">},
                  %i: tensor<6xi64> {graph.role = #graph.role<input "i">}) -> tensor<6xf32> {
  // expected-error @+1 {{'graph.constant' op cannot work on one of 3 parts, microbatches times copies: its values differ from row to row of the batch}}
  %0 = graph.constant dense<[0, 2, 4, 6, 8, 9]> : tensor<6xi64>
  %1 = graph.add %i, %0 : tensor<6xi64>
  %flat = graph.reshape %x : tensor<6x2xf32> to tensor<12xf32>
  %2 = graph.gather %flat, %1 axis = 0 {graph.own_blocks = 6 : i64} : tensor<12xf32>, tensor<6xi64>
  return %2 : tensor<6xf32>
}

// -----

func.func @computed(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">},
                    %rows: tensor<6xi64> {graph.role = #graph.role<input "rows">}) -> tensor<6x4xf32> {
  // expected-error @+1 {{'graph.gather' op cannot work on one of 3 parts, microbatches times copies: it picks samples of the batch by computed numbers}}
  %0 = graph.gather %x, %rows axis = 0 : tensor<6x4xf32>, tensor<6xi64>
  return %0 : tensor<6x4xf32>
}

// -----

// A mean over the reads of a row counts them in the whole batch.
func.func @counted(%table: tensor<5x4xf32> {graph.role = #graph.role<parameter "table">},
                   %rows: tensor<6xi64> {graph.role = #graph.role<input "rows">}) -> tensor<6x4xf32> {
  // expected-error @+1 {{'graph.gather' op cannot work on one of 3 parts, microbatches times copies: its gradient counts the reads of each row in the whole batch}}
  %0 = graph.gather %table, %rows axis = 0 {mean_gradient} : tensor<5x4xf32>, tensor<6xi64>
  return %0 : tensor<6x4xf32>
}

// -----

// A part has other samples where the whole batch has padding.
func.func @padding(%x: tensor<6x4xf32> {graph.role = #graph.role<input "x">}) -> tensor<6x4xf32> {
  %0 = graph.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
  // expected-error @+1 {{'graph.gather' op cannot work on one of 3 parts, microbatches times copies: its index of padding counts samples of the whole batch}}
  %1 = graph.gather %x, %0 axis = 0 {padding_index = 1 : i64} : tensor<6x4xf32>, tensor<6xi64>
  return %1 : tensor<6x4xf32>
}
