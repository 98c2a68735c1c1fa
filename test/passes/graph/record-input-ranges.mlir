// RUN: pcc-opt %s --split-input-file --graph-record-input-ranges | FileCheck %s

// Labels are classes or the ignored label, indices are rows of their table.
// CHECK: module attributes {graph.input_ranges = {ids = array<i64: 0, 8>, labels = array<i64: 0, 5, -1>, positions = array<i64: 0, 6>}}
func.func @loss(%x: tensor<4x6xf32> {graph.role = #graph.role<input "x">},
                %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                %table: tensor<9x6xf32> {graph.role = #graph.role<parameter "table">},
                %ids: tensor<4xi32> {graph.role = #graph.role<input "ids">},
                %positions: tensor<4xi64> {graph.role = #graph.role<input "positions">})
    -> (tensor<f32>, tensor<4x6xf32>) {
  %rows = graph.gather %table, %ids axis = 0 : tensor<9x6xf32>, tensor<4xi32>
  %loss = graph.softmax_cross_entropy %x, %labels {ignore_index = -1 : i64} : tensor<4x6xf32>, tensor<4xi64>
  // Both tables are indexed by the positions: the smaller one decides.
  %few = graph.slice %table axis = 0 start = 0 : tensor<9x6xf32> to tensor<7x6xf32>
  %a = graph.gather %table, %positions axis = 0 : tensor<9x6xf32>, tensor<4xi64>
  %b = graph.gather %few, %positions axis = 0 : tensor<7x6xf32>, tensor<4xi64>
  %c = graph.add %a, %b : tensor<4x6xf32>
  %d = graph.add %c, %rows : tensor<4x6xf32>
  return %loss, %d : tensor<f32>, tensor<4x6xf32>
}

// -----

// An index counts from the end if it is negative. A second table, which has no such indices, raises the least index.
// CHECK: module attributes {graph.input_ranges = {ids = array<i64: 0, 8>}}
func.func @loss(%table: tensor<9x6xf32> {graph.role = #graph.role<parameter "table">},
                %ids: tensor<4xi64> {graph.role = #graph.role<input "ids">}) -> tensor<4x6xf32> {
  %zero = graph.constant dense<0> : tensor<4xi64>
  %rows = graph.constant dense<9> : tensor<4xi64>
  %negative = graph.compare lt %ids, %zero : tensor<4xi64>
  %shifted = graph.add %ids, %rows : tensor<4xi64>
  %wrapped = graph.select %negative, %shifted, %ids : tensor<4xi64>
  %a = graph.gather %table, %wrapped axis = 0 : tensor<9x6xf32>, tensor<4xi64>
  %b = graph.gather %table, %ids axis = 0 : tensor<9x6xf32>, tensor<4xi64>
  %c = graph.add %a, %b : tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// -----

// Labels of probabilities, and inputs that no loss and no gather reads, have no range.
// CHECK-NOT: graph.input_ranges
func.func @loss(%x: tensor<4x6xf32> {graph.role = #graph.role<input "x">},
                %labels: tensor<4x6xf32> {graph.role = #graph.role<input "labels">},
                %other: tensor<4xi64> {graph.role = #graph.role<input "other">})
    -> (tensor<f32>, tensor<4xi64>) {
  %loss = graph.softmax_cross_entropy %x, %labels : tensor<4x6xf32>, tensor<4x6xf32>
  return %loss, %other : tensor<f32>, tensor<4xi64>
}
