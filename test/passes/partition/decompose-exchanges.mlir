// RUN: pcc-opt %s --split-input-file --dist-decompose-exchanges | FileCheck %s

// Tensors of one element type travel as one: they are concatenated, moved as rows of numbers, and
// split again. Position 0 receives nothing as result 0.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: (%[[A:.+]]: tensor<2x2xf32>, %[[B:.+]]: tensor<3xf32>)
// CHECK: %[[A1:.+]] = graph.reshape %[[A]] : tensor<2x2xf32> to tensor<4xf32>
// CHECK: %[[B1:.+]] = graph.reshape %[[B]] : tensor<3xf32> to tensor<3xf32>
// CHECK: %[[ALL:.+]] = graph.concat %[[A1]], %[[B1]] axis = 0
// CHECK: %[[GOT:.+]] = dist.block_exchange %[[ALL]] adding {{\[}}[0, 1, 4, 3, 4], [1, 0, 0, 4, 0], [1, 0, 4, 3, 4]] : tensor<7xf32> to tensor<7xf32>
// CHECK-DAG: %[[C1:.+]] = graph.slice %[[GOT]] axis = 0 start = 0
// CHECK-DAG: graph.reshape %[[C1]] : tensor<4xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[D1:.+]] = graph.slice %[[GOT]] axis = 0 start = 4
// CHECK-DAG: graph.reshape %[[D1]] : tensor<3xf32> to tensor<3xf32>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @exchange(%a: tensor<2x2xf32>, %b: tensor<3xf32>) -> (tensor<2x2xf32>, tensor<3xf32>) attributes {dist.local} {
    %0:2 = dist.neighbor_exchange %a, %b send [[1, 1], [-1, 0]] receive [[-1, 1], [0, 0]]
        : (tensor<2x2xf32>, tensor<3xf32>) -> (tensor<2x2xf32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<2x2xf32>, tensor<3xf32>
  }
}

// -----

// Other types travel separately, booleans as integers; elements that no rank sends are zero.
// CHECK-LABEL: func.func @types
// CHECK-DAG: graph.cast %{{.+}} : tensor<4xi1> to tensor<4xi8>
// CHECK-DAG: dist.block_exchange %{{.+}} adding {{\[}}[1, 0, 0, 4, 0]] : tensor<4xi8> to tensor<4xi8>
// CHECK-DAG: graph.cast %{{.+}} : tensor<4xi8> to tensor<4xi1>
// CHECK-DAG: graph.constant dense<0> : tensor<2xi64>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @types(%a: tensor<4xi1>, %b: tensor<2xi64>) -> (tensor<4xi1>, tensor<2xi64>) attributes {dist.local} {
    %0:2 = dist.neighbor_exchange %a, %b send [[1, -1], [-1, -1]] receive [[-1, -1], [0, -1]]
        : (tensor<4xi1>, tensor<2xi64>) -> (tensor<4xi1>, tensor<2xi64>)
    return %0#0, %0#1 : tensor<4xi1>, tensor<2xi64>
  }
}

// -----

// A tile moves into the middle of its result, with borders next to it. A mirror is its operand.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: (%[[X:.+]]: tensor<1x1x2x2xf32>
// CHECK-NOT: dist.mirror
// CHECK: dist.block_exchange %[[X]] adding {{\[}}[0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 1, 0], [1, 0, 0, 0, 1, 0, 1, 1, 1, 2, 0, 0, 0, 0]] : tensor<1x1x2x2xf32> to tensor<1x1x3x2xf32>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @tile(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x3x2xf32> attributes {dist.local} {
    %0 = dist.mirror %x mean : tensor<1x1x2x2xf32>
    %1 = dist.neighbor_exchange_v2 %0
        send [[-1, -1, -1, -1, 1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]] [0, 1, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1, -1, -1, -1]] [1, 0, 0, 0]
        : tensor<1x1x2x2xf32> to tensor<1x1x3x2xf32>
    return %1 : tensor<1x1x3x2xf32>
  }
}
