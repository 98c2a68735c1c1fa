// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// pad C1
func.func @pad_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.pad' op expected 'axis' in [0, 1), got 1}}
  %0 = graph.pad %x axis = 1 low = 0 high = 0 : tensor<4xf32>
  return
}

// -----

// pad C2: no elements are left.
func.func @pad_empty(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.pad' op expected a padded size in [1, 281474976710656], got 4 with -2 before and -2 after}}
  %0 = graph.pad %x axis = 0 low = -2 high = -2 : tensor<4xf32>
  return
}

// -----

// pad C2: overflow.
func.func @pad_huge(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a padded size in [1, 281474976710656], got 4 with 9223372036854775807 before and 9223372036854775807 after}}
  %0 = graph.pad %x axis = 0 low = 9223372036854775807 high = 9223372036854775807 : tensor<4xf32>
  return
}

// -----

// pad C3: a fraction.
func.func @pad_fraction(%x: tensor<4xi32>) {
  // expected-error @+1 {{'graph.pad' op expected 'value' to be one of 'i32', got}}
  %0 = graph.pad %x axis = 0 low = 1 high = 0 {value = 0.5} : tensor<4xi32>
  return
}

// -----

// pad C3: a number beyond the type.
func.func @pad_beyond(%x: tensor<4xi8>) {
  // expected-error @+1 {{'graph.pad' op expected 'value' to be one of 'i8', got}}
  %0 = graph.pad %x axis = 0 low = 1 high = 0 {value = 128.0} : tensor<4xi8>
  return
}

// -----

// concat C1
func.func @concat_nothing() {
  // expected-error @+2 {{'graph.concat' op expected at least one input}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "graph.concat"() {axis = 0 : i64} : () -> tensor<1xf32>
  return
}

// -----

// concat C2
func.func @concat_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.concat' op expected 'axis' in [0, 1), got 7}}
  %0 = graph.concat %x axis = 7 : tensor<4xf32>
  return
}

// -----

// concat C3
func.func @concat_types(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{expected equal element types, got 'f32' in 'input #0' and 'i32' in 'input #1'}}
  %0 = graph.concat %x, %y axis = 0 : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

// concat C4
func.func @concat_sizes(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1, got 2 in 'input #0' and 3 in 'input #1'}}
  %0 = graph.concat %x, %y axis = 0 : tensor<4x2xf32>, tensor<4x3xf32>
  return
}

// -----

// split C4
func.func @split_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.split' op expected at least one result}}
  "graph.split"(%x) {axis = 0 : i64} : (tensor<4xf32>) -> ()
  return
}

// -----

// split C1
func.func @split_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.split' op expected equal element types, got 'f32' in 'input' and 'f16' in 'result #1'}}
  %0:2 = graph.split %x axis = 0 : tensor<4xf32> to tensor<2xf32>, tensor<2xf16>
  return
}

// -----

// split C2
func.func @split_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.split' op expected 'axis' in [0, 1), got 1}}
  %0:2 = graph.split %x axis = 1 : tensor<4xf32> to tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// split C3
func.func @split_beside(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1, got 6 in 'input' and 5 in 'result #1'}}
  %0:2 = graph.split %x axis = 0 : tensor<4x6xf32> to tensor<2x6xf32>, tensor<2x5xf32>
  return
}

// -----

// split C5
func.func @split_sum(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.split' op expected pieces of 4 elements in all along 'axis', got 3}}
  %0:2 = graph.split %x axis = 0 : tensor<4xf32> to tensor<2xf32>, tensor<1xf32>
  return
}

// -----

// gather C1
func.func @gather_axis(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.gather' op expected 'axis' in [0, 1), got 1}}
  %0 = graph.gather %x, %i axis = 1 : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

// gather C2
func.func @gather_padding(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.gather' op expected 'padding_index' in [0, 4), got 4}}
  %0 = graph.gather %x, %i axis = 0 {padding_index = 4 : i64} : tensor<4xf32>, tensor<2xi64>
  return
}

// -----

// gather C3
func.func @gather_padding_type(%x: tensor<400xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{'graph.gather' op expected 'padding_index' to be one of 'i8', got 200}}
  %0 = graph.gather %x, %i axis = 0 {padding_index = 200 : i64} : tensor<400xf32>, tensor<2xi8>
  return
}

// -----

func.func @gather_result(%x: tensor<4x3xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

// scatter_add C1
func.func @scatter_types(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xi32>) {
  // expected-error @+1 {{'graph.scatter_add' op expected equal element types, got 'f32' in 'input' and 'i32' in 'updates'}}
  %0 = graph.scatter_add %x, %i, %u axis = 0 : (tensor<4xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

// scatter_add C2
func.func @scatter_axis(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'graph.scatter_add' op expected 'axis' in [0, 1), got -2}}
  %0 = graph.scatter_add %x, %i, %u axis = -2 : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// scatter_add C3
func.func @scatter_updates(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'graph.scatter_add' op expected 'updates' of shape [2, 3], got [2]}}
  %0 = graph.scatter_add %x, %i, %u axis = 0 : (tensor<4x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

// one_hot C1
func.func @one_hot_axis(%i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.one_hot' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.one_hot %i axis = 2 : tensor<2xi64> to tensor<2x3xf32>
  return
}

// -----

// one_hot C2
func.func @one_hot_shape(%i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.one_hot' op expected 'indices' of shape [4], got [2]}}
  %0 = graph.one_hot %i axis = 1 : tensor<2xi64> to tensor<4x3xf32>
  return
}
