// RUN: pcc-opt %s --split-input-file --autodiff-differentiate | FileCheck %s

// check-gradients tests the values of these rules; this file checks the ops that each rule builds.
// Each rank differentiates the sum of all ranks' losses.

// The gradient of a sum over the ranks is a sum over the same group.
// CHECK-LABEL: func.func @forward_backward
// CHECK-SAME: -> (tensor<f32> {{.+}}, tensor<4xf32> {dist.sharding = #dist.sharding<[tp]>, graph.role = #graph.role<gradient "w">}) attributes {dist.local}
// CHECK: %[[Y:.+]] = dist.all_reduce {{ ?}}sum %{{.+}} over <axes [tp]>
// CHECK: %[[ONES:.+]] = graph.broadcast
// CHECK: dist.all_reduce {{ ?}}sum %[[ONES]] over <axes [tp]> : tensor<4xf32>
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  graph.parameter @w : tensor<8xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[tp]>})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    %y = dist.all_reduce sum %w over <axes [tp]> : tensor<4xf32>
    %loss = graph.reduce sum %y, [0] : tensor<4xf32>
    return %loss : tensor<f32>
  }
}

// -----

// The gradient of a maximum goes to ranks whose value equals the maximum.
// CHECK-LABEL: func.func @forward_backward
// CHECK: %[[Y:.+]] = dist.all_reduce {{ ?}}max %[[W:.+]] :
// CHECK-DAG: %[[SUM:.+]] = dist.all_reduce {{ ?}}sum
// CHECK-DAG: %[[HIT:.+]] = graph.compare eq %[[W]], %[[Y]]
// CHECK: graph.select %[[HIT]], %[[SUM]]
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    %y = dist.all_reduce max %w : tensor<4xf32>
    %loss = graph.reduce sum %y, [0] : tensor<4xf32>
    return %loss : tensor<f32>
  }
}

// -----

// Gathers, scatters and exchanges are undone in reverse order. The loss keeps the sharding of its
// boundary.
// CHECK-LABEL: func.func @forward_backward
// CHECK-SAME: -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>, graph.role = #graph.role<loss>}
// CHECK: dist.all_to_all %{{.+}} split = 0 concat = 1 : tensor<2x4xf32> to tensor<1x8xf32>
// CHECK: graph.broadcast
// CHECK: dist.block_exchange %{{.+}} adding {{\[}}[1, 0, 0, 0, 1, 8, 0, 0], [0, 1, 0, 0, 1, 8, 0, 0]] : tensor<1x8xf32> to tensor<1x8xf32>
// CHECK: dist.collective_permute %{{.+}} {{\[}}[1, 0]] : tensor<1x8xf32>
// CHECK: dist.reduce {{ ?}}sum %{{.+}} root = 1 : tensor<1x8xf32>
// CHECK: dist.broadcast %{{.+}} root = 0 : tensor<1x8xf32>
// CHECK: dist.all_to_all %{{.+}} split = 1 concat = 0 : tensor<1x8xf32> to tensor<2x4xf32>
// CHECK: dist.all_gather %{{.+}} axis = 0 : tensor<2x4xf32> to tensor<4x4xf32>
// CHECK: dist.reduce_scatter {{ ?}}sum %{{.+}} axis = 0 : tensor<4x4xf32> to tensor<2x4xf32>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<2x4xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<2x4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>, dist.sharding = #dist.sharding<[] partial(sum: dp)>}) attributes {dist.local} {
    %0 = dist.all_gather %w axis = 0 : tensor<2x4xf32> to tensor<4x4xf32>
    %1 = dist.reduce_scatter sum %0 axis = 0 : tensor<4x4xf32> to tensor<2x4xf32>
    %2 = dist.all_to_all %1 split = 0 concat = 1 : tensor<2x4xf32> to tensor<1x8xf32>
    %3 = dist.reduce sum %2 root = 0 : tensor<1x8xf32>
    %4 = dist.broadcast %3 root = 1 : tensor<1x8xf32>
    %5 = dist.collective_permute %4 [[0, 1]] : tensor<1x8xf32>
    %6 = dist.block_exchange %5 [[0, 1, 0, 0, 1, 8, 0, 0], [1, 0, 0, 0, 1, 8, 0, 0]] : tensor<1x8xf32> to tensor<1x8xf32>
    %loss = graph.reduce sum %6, [0, 1] : tensor<1x8xf32>
    return %loss : tensor<f32>
  }
}

// -----

// A neighbor exchange swaps its tables; the borders of tiles are added back.
// CHECK-LABEL: func.func @forward_backward
// CHECK: dist.block_exchange %{{.+}} adding {{\[}}[0, 0, 0, 0, 1, 0, 1, 1, 2, 2, 0, 0, 0, 0], [1, 1, 0, 0, 1, 0, 1, 1, 2, 2, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 1, 0]] : tensor<1x1x3x2xf32> to tensor<1x1x2x2xf32>
// CHECK: dist.neighbor_exchange %{{.+}} send {{\[}}[-1], [0]] receive {{\[}}[1], [-1]] : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<1x1x2x2xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<1x1x2x2xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    %0 = dist.neighbor_exchange %w send [[1], [-1]] receive [[-1], [0]] : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
    %1 = dist.neighbor_exchange_v2 %0
        send [[-1, -1, -1, -1, 1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]] [0, 1, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1, -1, -1, -1]] [1, 0, 0, 0]
        : tensor<1x1x2x2xf32> to tensor<1x1x3x2xf32>
    %loss = graph.reduce sum %1, [0, 1, 2, 3] : tensor<1x1x3x2xf32>
    return %loss : tensor<f32>
  }
}

// -----

// Send and receive become each other, with the same tag and in reverse order. Integers, on which no
// loss depends, are not sent back.
// CHECK-LABEL: func.func @forward_backward
// CHECK: dist.send %{{.+}} to [1, -1] {tag = 5 : i64} : tensor<4xf32>
// CHECK: dist.send %{{.+}} to [1, -1] {tag = 6 : i64} : tensor<2xi64>
// CHECK: dist.recv from [-1, 0] {tag = 5 : i64} : tensor<4xf32>
// CHECK: dist.recv from [-1, 0] {tag = 6 : i64} : tensor<2xi64>
// CHECK: dist.send %{{.+}} to [-1, 0] {tag = 5 : i64} : tensor<4xf32>
// CHECK: dist.recv from [1, -1] {tag = 5 : i64} : tensor<4xf32>
// CHECK-NOT: dist.recv
// CHECK-NOT: dist.send
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">}, %i: tensor<2xi64> {graph.role = #graph.role<input "i">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    dist.send %w to [1, -1] {tag = 5 : i64} : tensor<4xf32>
    dist.send %i to [1, -1] {tag = 6 : i64} : tensor<2xi64>
    %0 = dist.recv from [-1, 0] {tag = 5 : i64} : tensor<4xf32>
    %1 = dist.recv from [-1, 0] {tag = 6 : i64} : tensor<2xi64>
    %loss = graph.reduce sum %0, [0] : tensor<4xf32>
    return %loss : tensor<f32>
  }
}

// -----

// The copies of a mirrored parameter are one value, whose gradient is the mean of the copies' gradients.
// CHECK-LABEL: func.func @forward_backward
// CHECK: dist.mirror %{{.+}} mean over <axes [dp]>
// CHECK: %[[SUM:.+]] = dist.all_reduce {{ ?}}sum %{{.+}} over <axes [dp]>
// CHECK: %[[PART:.+]] = graph.constant dense<2.500000e-01>
// CHECK: graph.mul %[[SUM]], %[[PART]]
module attributes {dist.mesh = #dist.mesh<dp=4, tp=2>} {
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {
    %0 = dist.mirror %w mean over <axes [dp]> : tensor<4xf32>
    %loss = graph.reduce sum %0, [0] : tensor<4xf32>
    return %loss : tensor<f32>
  }
}
