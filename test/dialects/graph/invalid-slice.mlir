// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// slice C1
func.func @slice_type(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'graph.slice' op expected equal element types, got 'f32' in 'input' and 'i32' in 'result'}}
  %0 = graph.slice %x axis = 0 start = 0 : tensor<4x6xf32> to tensor<2x6xi32>
  return
}

// -----

// slice C2
func.func @slice_axis(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'graph.slice' op expected 'axis' in [0, 2), got -1}}
  %0 = graph.slice %x axis = -1 start = 0 : tensor<4x6xf32> to tensor<4x3xf32>
  return
}

// -----

// slice C2: a scalar cannot be cut.
func.func @slice_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{expected 'axis' in [0, 0), got 0}}
  %0 = graph.slice %x axis = 0 start = 0 : tensor<f32> to tensor<f32>
  return
}

// -----

// slice C3: only the axis changes.
func.func @slice_beside(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected equal sizes of dimension 1, got 6 in 'input' and 5 in 'result'}}
  %0 = graph.slice %x axis = 0 start = 0 : tensor<4x6xf32> to tensor<2x5xf32>
  return
}

// -----

// slice C3: the rank stays.
func.func @slice_rank(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected 'result' of rank 2, got 1}}
  %0 = graph.slice %x axis = 0 start = 0 : tensor<4x6xf32> to tensor<2xf32>
  return
}

// -----

// slice C4
func.func @slice_stride(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected a 'stride' other than 0}}
  %0 = graph.slice %x axis = 0 start = 0 {stride = 0} : tensor<4x6xf32> to tensor<2x6xf32>
  return
}

// -----

// slice C5: beyond the end.
func.func @slice_end(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected 2 elements from 1 by 3 to lie in [0, 4)}}
  %0 = graph.slice %x axis = 0 start = 1 {stride = 3} : tensor<4x6xf32> to tensor<2x6xf32>
  return
}

// -----

// slice C5: before the start.
func.func @slice_negative(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected 3 elements from 1 by -1 to lie in [0, 4)}}
  %0 = graph.slice %x axis = 0 start = 1 {stride = -1} : tensor<4x6xf32> to tensor<3x6xf32>
  return
}

// -----

// slice C5: a stride that overflows.
func.func @slice_overflow(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{expected 4 elements from 0 by 9223372036854775807 to lie in [0, 4)}}
  %0 = graph.slice %x axis = 0 start = 0 {stride = 9223372036854775807} : tensor<4x6xf32> to tensor<4x6xf32>
  return
}

// -----

// dynamic_slice C4
func.func @dynamic_slice(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_slice' op expected at most 4 elements along 'axis', got 5}}
  %0 = graph.dynamic_slice %x, %i axis = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_slice_start(%x: tensor<4xf32>, %i: tensor<1xi64>) {
  // expected-error @+1 {{operand #1 must be integer tensor of rank 0}}
  %0 = graph.dynamic_slice %x, %i axis = 0 : (tensor<4xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

// dynamic_slice C2
func.func @dynamic_slice_axis(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_slice' op expected 'axis' in [0, 1), got 1}}
  %0 = graph.dynamic_slice %x, %i axis = 1 : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

// dynamic_slice C1
func.func @dynamic_slice_types(%x: tensor<4xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_slice' op expected equal element types, got 'f32' in 'input' and 'f16' in 'result'}}
  %0 = graph.dynamic_slice %x, %i axis = 0 : (tensor<4xf32>, tensor<i64>) -> tensor<2xf16>
  return
}

// -----

// dynamic_slice C3
func.func @dynamic_slice_beside(%x: tensor<4x6xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_slice' op expected equal sizes of dimension 1, got 6 in 'input' and 5 in 'result'}}
  %0 = graph.dynamic_slice %x, %i axis = 0 : (tensor<4x6xf32>, tensor<i64>) -> tensor<2x5xf32>
  return
}

// -----

// dynamic_update_slice C1
func.func @update_types(%x: tensor<4xf32>, %u: tensor<2xf16>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_update_slice' op expected equal element types, got 'f32' in 'input' and 'f16' in 'update'}}
  %0 = graph.dynamic_update_slice %x, %u, %i axis = 0 : (tensor<4xf32>, tensor<2xf16>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// dynamic_update_slice C2
func.func @update_axis(%x: tensor<4xf32>, %u: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_update_slice' op expected 'axis' in [0, 1), got 1}}
  %0 = graph.dynamic_update_slice %x, %u, %i axis = 1 : (tensor<4xf32>, tensor<2xf32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// dynamic_update_slice C3
func.func @update_beside(%x: tensor<4x6xf32>, %u: tensor<2x5xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_update_slice' op expected equal sizes of dimension 1, got 6 in 'input' and 5 in 'update'}}
  %0 = graph.dynamic_update_slice %x, %u, %i axis = 0 : (tensor<4x6xf32>, tensor<2x5xf32>, tensor<i64>) -> tensor<4x6xf32>
  return
}

// -----

// dynamic_update_slice C4
func.func @update_size(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{'graph.dynamic_update_slice' op expected at most 4 elements along 'axis', got 5}}
  %0 = graph.dynamic_update_slice %x, %u, %i axis = 0 : (tensor<4xf32>, tensor<5xf32>, tensor<i64>) -> tensor<4xf32>
  return
}
