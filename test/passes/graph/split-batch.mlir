// RUN: pcc-opt %s --graph-split-batch=count=4 --split-input-file | FileCheck %s

// The batch passes through matmuls, broadcast biases, reshapes and splats; a mean stays a mean.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME: %[[X:.+]]: tensor<8x4x4xf32> {{.*}}, %[[L:.+]]: tensor<8xi64> {{.*}}, %[[W:.+]]: tensor<16x10xf32> {{.*}}, %[[B:.+]]: tensor<10xf32>
// CHECK-SAME: -> (tensor<f32>, tensor<8x10xf32>)
// CHECK: %[[FLAT:.+]] = graph.reshape %[[X]] : tensor<8x4x4xf32> to tensor<8x16xf32>
// CHECK: %[[MATMUL:.+]] = graph.matmul %[[FLAT]], %[[W]] : tensor<8x16xf32>, tensor<16x10xf32>
// CHECK: %[[BIAS:.+]] = graph.broadcast %[[B]], [1] : tensor<10xf32> to tensor<8x10xf32>
// CHECK: %[[SUM:.+]] = graph.add %[[MATMUL]], %[[BIAS]] : tensor<8x10xf32>
// CHECK: %[[HALF:.+]] = graph.constant dense<5.000000e-01> : tensor<8x10xf32>
// CHECK: %[[OUT:.+]] = graph.mul %[[SUM]], %[[HALF]] : tensor<8x10xf32>
// CHECK: %[[LOSS:.+]] = graph.softmax_cross_entropy %[[OUT]], %[[L]] : tensor<8x10xf32>, tensor<8xi64>
// CHECK: return %[[LOSS]], %[[OUT]] : tensor<f32>, tensor<8x10xf32>
func.func @mlp(%x: tensor<32x4x4xf32> {graph.role = #graph.role<input "x">},
               %labels: tensor<32xi64> {graph.role = #graph.role<input "labels">},
               %w: tensor<16x10xf32> {graph.role = #graph.role<parameter "w">},
               %b: tensor<10xf32> {graph.role = #graph.role<parameter "b">})
    -> (tensor<f32>, tensor<32x10xf32>) {
  %0 = graph.reshape %x : tensor<32x4x4xf32> to tensor<32x16xf32>
  %1 = graph.matmul %0, %w : tensor<32x16xf32>, tensor<16x10xf32>
  %2 = graph.broadcast %b, [1] : tensor<10xf32> to tensor<32x10xf32>
  %3 = graph.add %1, %2 : tensor<32x10xf32>
  %4 = graph.constant dense<0.5> : tensor<32x10xf32>
  %5 = graph.mul %3, %4 : tensor<32x10xf32>
  %6 = graph.softmax_cross_entropy %5, %labels : tensor<32x10xf32>, tensor<32xi64>
  return %6, %5 : tensor<f32>, tensor<32x10xf32>
}

// -----

// The batch may be the slower part of a dimension, and a transpose may move it.
// CHECK-LABEL: func.func @tokens
// CHECK: graph.reshape %{{.*}} : tensor<2x16x6xf32> to tensor<32x6xf32>
// CHECK: graph.reshape %{{.*}} : tensor<32x6xf32> to tensor<2x16x2x3xf32>
// CHECK: graph.transpose %{{.*}}, [0, 2, 1, 3] : tensor<2x16x2x3xf32>
// CHECK: graph.transpose %{{.*}}, [1, 0, 2, 3] : tensor<2x2x16x3xf32>
// CHECK: return %{{.*}} : tensor<2x2x16x3xf32>
func.func @tokens(%x: tensor<8x16x6xf32> {graph.role = #graph.role<input "x">})
    -> tensor<2x8x16x3xf32> {
  %0 = graph.reshape %x : tensor<8x16x6xf32> to tensor<128x6xf32>
  %1 = graph.reshape %0 : tensor<128x6xf32> to tensor<8x16x2x3xf32>
  %2 = graph.transpose %1, [0, 2, 1, 3] : tensor<8x16x2x3xf32>
  %3 = graph.transpose %2, [1, 0, 2, 3] : tensor<8x2x16x3xf32>
  return %3 : tensor<2x8x16x3xf32>
}

// -----

// A splat that a weight of the same shape shares stays whole for the weight.
// CHECK-LABEL: func.func @shared
// CHECK-DAG: %[[SMALL:.+]] = graph.constant dense<2.000000e+00> : tensor<1x4xf32>
// CHECK-DAG: %[[LARGE:.+]] = graph.constant dense<2.000000e+00> : tensor<4x4xf32>
// CHECK-DAG: graph.mul %{{.*}}, %[[SMALL]] : tensor<1x4xf32>
// CHECK-DAG: graph.mul %{{.*}}, %[[LARGE]] : tensor<4x4xf32>
func.func @shared(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">},
                  %w: tensor<4x4xf32> {graph.role = #graph.role<parameter "w">})
    -> tensor<4x4xf32> {
  %0 = graph.constant dense<2.0> : tensor<4x4xf32>
  %1 = graph.mul %x, %0 : tensor<4x4xf32>
  %2 = graph.mul %w, %0 : tensor<4x4xf32>
  %3 = graph.matmul %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Positions along another dimension, scalars and functions without inputs stay as they are.
// CHECK-LABEL: func.func @positions
// CHECK-SAME: tensor<2x6xi64> {{.*}}, %{{.*}}: tensor<i64>
// CHECK: graph.iota axis = 1 : tensor<2x6xi64>
func.func @positions(%x: tensor<8x6xi64> {graph.role = #graph.role<input "x">},
                     %scalar: tensor<i64> {graph.role = #graph.role<input "scale">})
    -> tensor<8x6xi64> {
  %0 = graph.iota axis = 1 : tensor<8x6xi64>
  %1 = graph.add %x, %0 : tensor<8x6xi64>
  %2 = graph.broadcast %scalar, [] : tensor<i64> to tensor<8x6xi64>
  %3 = graph.mul %1, %2 : tensor<8x6xi64>
  return %3 : tensor<8x6xi64>
}

// CHECK-LABEL: func.func @update
// CHECK-SAME: tensor<8x6xf32>
func.func @update(%w: tensor<8x6xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8x6xf32> {
  return %w : tensor<8x6xf32>
}

// -----

// A batch norm's batch becomes the microbatch; random numbers follow the elements of the microbatch.
// CHECK-LABEL: func.func @of_microbatch
// CHECK: graph.batch_norm {{.*}} : tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>
// CHECK: graph.iota axis = 0 : tensor<2x6xi64>
// CHECK: graph.dropout {{.*}} : tensor<2x6xf32>, tensor<i64>
func.func @of_microbatch(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                         %s: tensor<6xf32> {graph.role = #graph.role<parameter "s">})
    -> tensor<8x6xf32> {
  %0:3 = graph.batch_norm %x, %s, %s, %s, %s epsilon = 0.125 momentum = 0.5
    : tensor<8x6xf32>, tensor<6xf32>, tensor<6xf32>
  %row = graph.iota axis = 0 : tensor<8x6xi64>
  %six = graph.constant dense<6> : tensor<8x6xi64>
  %start = graph.mul %row, %six : tensor<8x6xi64>
  %column = graph.iota axis = 1 : tensor<8x6xi64>
  %index = graph.add %start, %column : tensor<8x6xi64>
  %seed = graph.constant dense<11> : tensor<i64>
  %1 = graph.dropout %0#0, %index, %seed rate = 0.5 : tensor<8x6xf32>, tensor<i64>
  return %1 : tensor<8x6xf32>
}

// -----

// A mask whose rows are equal along the batch is cut; the causal pattern of each row stays.
// CHECK-LABEL: func.func @mask
// CHECK: %[[MASK:.+]] = graph.constant dense<{{\[\[}}[true, false], [true, true]]]> : tensor<1x2x2xi1>
// CHECK: %[[LOW:.+]] = graph.constant dense<-1.000000e+04> : tensor<1x2x2xf32>
// CHECK: graph.select %[[MASK]], %{{.*}}, %[[LOW]] : tensor<1x2x2xf32>
func.func @mask(%x: tensor<4x2x2xf32> {graph.role = #graph.role<input "x">})
    -> tensor<4x2x2xf32> {
  %0 = graph.constant dense<[[[true, false], [true, true]], [[true, false], [true, true]],
                             [[true, false], [true, true]], [[true, false], [true, true]]]>
      : tensor<4x2x2xi1>
  %1 = graph.constant dense<-1.0e4> : tensor<4x2x2xf32>
  %2 = graph.select %0, %x, %1 : tensor<4x2x2xf32>
  return %2 : tensor<4x2x2xf32>
}

// -----

// Positions that lie behind a transposed batch are cut along the dimension of the batch.
// CHECK-LABEL: func.func @positions
// CHECK: graph.constant dense<{{\[\[}}0.000000e+00], [1.000000e+00], [2.000000e+00]]> : tensor<3x1xf32>
func.func @positions(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">})
    -> tensor<3x4xf32> {
  %0 = graph.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0]]>
      : tensor<3x4xf32>
  %1 = graph.transpose %x, [1, 0] : tensor<4x3xf32>
  %2 = graph.add %1, %0 : tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// The samples follow the positions in a flat dimension, as in models whose sequences come first.
// CHECK-LABEL: func.func @sequence_first
// CHECK: graph.reshape %{{.*}} : tensor<5x2x6xf32> to tensor<10x6xf32>
// CHECK: %[[SCALE:.+]] = graph.constant dense<{{.*}}[1.000000e+00], [1.000000e+00], [2.000000e+00], [2.000000e+00]{{.*}}> : tensor<10x1xf32>
// CHECK: graph.reshape %{{.*}} : tensor<10x6xf32> to tensor<5x2x6xf32>
func.func @sequence_first(%x: tensor<8x5x6xf32> {graph.role = #graph.role<input "x">})
    -> tensor<8x5x6xf32> {
  %0 = graph.transpose %x, [1, 0, 2] : tensor<8x5x6xf32>
  %1 = graph.reshape %0 : tensor<5x8x6xf32> to tensor<40x6xf32>
  %2 = graph.constant dense<[
      [1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0], [1.0],
      [2.0], [2.0], [2.0], [2.0], [2.0], [2.0], [2.0], [2.0],
      [3.0], [3.0], [3.0], [3.0], [3.0], [3.0], [3.0], [3.0],
      [4.0], [4.0], [4.0], [4.0], [4.0], [4.0], [4.0], [4.0],
      [5.0], [5.0], [5.0], [5.0], [5.0], [5.0], [5.0], [5.0]]> : tensor<40x1xf32>
  %3 = graph.broadcast %2, [0, 1] : tensor<40x1xf32> to tensor<40x6xf32>
  %4 = graph.mul %1, %3 : tensor<40x6xf32>
  %5 = graph.reshape %4 : tensor<40x6xf32> to tensor<5x8x6xf32>
  %6 = graph.transpose %5, [1, 0, 2] : tensor<5x8x6xf32>
  return %6 : tensor<8x5x6xf32>
}

// -----

// Each sample picks its own elements of a flat tensor: the last and the first of its three.
// CHECK-LABEL: func.func @own_elements
// CHECK: %[[FLAT:.+]] = graph.reshape %{{.*}} : tensor<1x3xf32> to tensor<3xf32>
// CHECK: %[[INDICES:.+]] = graph.constant dense<{{.*}}[2, 0]{{.*}}> : tensor<1x2xi64>
// CHECK: graph.gather %[[FLAT]], %[[INDICES]] axis = 0 : tensor<3xf32>, tensor<1x2xi64>
func.func @own_elements(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">})
    -> tensor<4x2xf32> {
  %0 = graph.reshape %x : tensor<4x3xf32> to tensor<12xf32>
  %1 = graph.constant dense<[[2, 0], [5, 3], [8, 6], [11, 9]]> : tensor<4x2xi64>
  %2 = graph.gather %0, %1 axis = 0 : tensor<12xf32>, tensor<4x2xi64>
  return %2 : tensor<4x2xf32>
}

// -----

// The indices are known, but the batch reaches their result before the gathered tensor.
// CHECK-LABEL: func.func @own_elements_late
// CHECK: graph.constant dense<{{.*}}[2, 0]{{.*}}> : tensor<1x2xi64>
func.func @own_elements_late(%y: tensor<4x2xf32> {graph.role = #graph.role<input "y">},
                             %x: tensor<4x3xf32> {graph.role = #graph.role<input "x">})
    -> tensor<4x2xf32> {
  %e = graph.exp %x : tensor<4x3xf32>
  %s = graph.square %e : tensor<4x3xf32>
  %1 = graph.reshape %s : tensor<4x3xf32> to tensor<12xf32>
  %2 = graph.constant dense<[[2, 0], [5, 3], [8, 6], [11, 9]]> : tensor<4x2xi64>
  %3 = graph.gather %1, %2 axis = 0 : tensor<12xf32>, tensor<4x2xi64>
  %4 = graph.add %3, %y : tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// -----

// Computed indices that stay in the row of their sample. The constant term counts from the part.
// CHECK-LABEL: func.func @own_blocks
// CHECK: %[[TERM:.+]] = graph.constant dense<0> : tensor<1x2xi64>
// CHECK: %[[INDICES:.+]] = graph.add %{{.*}}, %[[TERM]] : tensor<1x2xi64>
// CHECK: %[[READ:.+]] = graph.gather %{{.*}}, %[[INDICES]] axis = 0 {{.*}}: tensor<3xf32>, tensor<1x2xi64>
// CHECK: graph.scatter_add {{.*}} : (tensor<3xf32>, tensor<1x2xi64>, tensor<1x2xf32>) -> tensor<3xf32>
func.func @own_blocks(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                      %i: tensor<4x2xi64> {graph.role = #graph.role<input "i">})
    -> tensor<4x3xf32> {
  %0 = graph.reshape %x : tensor<4x3xf32> to tensor<12xf32>
  %1 = graph.constant dense<[[0, 0], [3, 3], [6, 6], [9, 9]]> : tensor<4x2xi64>
  %2 = graph.add %i, %1 : tensor<4x2xi64>
  %3 = graph.gather %0, %2 axis = 0 {graph.own_blocks = 4 : i64} : tensor<12xf32>, tensor<4x2xi64>
  %4 = graph.scatter_add %0, %2, %3 axis = 0 {graph.own_blocks = 4 : i64} : (tensor<12xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<12xf32>
  %5 = graph.reshape %4 : tensor<12xf32> to tensor<4x3xf32>
  return %5 : tensor<4x3xf32>
}

// -----

// A mean loss may be scaled and added to what all parts share.
// CHECK-LABEL: func.func @scaled_loss
// CHECK: graph.reduce mean %{{.*}}, [0, 1] : tensor<1x4xf32>
func.func @scaled_loss(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">},
                       %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<f32> {
  %0 = graph.broadcast %w, [1] : tensor<4xf32> to tensor<4x4xf32>
  %1 = graph.mul %x, %0 : tensor<4x4xf32>
  %2 = graph.reduce mean %1, [0, 1] : tensor<4x4xf32>
  %3 = graph.constant dense<0.5> : tensor<f32>
  %4 = graph.mul %2, %3 : tensor<f32>
  %5 = graph.square %w : tensor<4xf32>
  %6 = graph.reduce sum %5, [0] : tensor<4xf32>
  %7 = graph.add %4, %6 : tensor<f32>
  return %7 : tensor<f32>
}

// -----

// Sums over samples are marked, since the sum of a part is smaller. A sum of features is not, nor is a mean over samples,
// nor a sum over a parameter.
// CHECK-LABEL: func.func @sums
// CHECK: graph.reduce sum %{{.+}}, [1] : tensor<2x3xf32>
// CHECK: graph.reduce mean %{{.+}}, [0] : tensor<2xf32>
// CHECK: graph.reduce sum %{{.+}}, [0] {graph.adds_samples} : tensor<2xf32>
// CHECK: graph.mse %{{.+}} {graph.adds_samples, reduction = #graph.loss_reduction<sum>}
// CHECK: graph.mse %{{.+}} {reduction = #graph.loss_reduction<sum>} : tensor<5xf32>
func.func @sums(%x: tensor<8x3xf32> {graph.role = #graph.role<input "x">}, %w: tensor<5xf32> {graph.role = #graph.role<parameter "w">}) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = graph.reduce sum %x, [1] : tensor<8x3xf32>
  %1 = graph.reduce mean %0, [0] : tensor<8xf32>
  %2 = graph.reduce sum %0, [0] : tensor<8xf32>
  %3 = graph.mse %0, %0 {reduction = #graph.loss_reduction<sum>} : tensor<8xf32>
  %4 = graph.mse %w, %w {reduction = #graph.loss_reduction<sum>} : tensor<5xf32>
  return %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A sum over the samples divided by another one, in a loss, with a factor and a term that all parts share. A division by
// an input that all samples share gives a sum.
// CHECK-LABEL: func.func @quotients
// CHECK: graph.div %{{.+}}, %{{.+}} {graph.divides_sums} : tensor<f32>
// CHECK: graph.div %{{.+}}, %{{.+}} : tensor<f32>
func.func @quotients(%x: tensor<8xf32> {graph.role = #graph.role<input "x">},
                     %weights: tensor<8xf32> {graph.role = #graph.role<input "weights">},
                     %scale: tensor<f32> {graph.role = #graph.role<input "scale">},
                     %w: tensor<f32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<f32> {graph.role = #graph.role<output "y">}, tensor<f32> {graph.role = #graph.role<parameter "w">}) {
  %0 = graph.mul %x, %weights : tensor<8xf32>
  %1 = graph.reduce sum %0, [0] : tensor<8xf32>
  %2 = graph.reduce sum %weights, [0] : tensor<8xf32>
  %3 = graph.div %1, %2 : tensor<f32>
  %4 = graph.mul %3, %w : tensor<f32>
  %5 = graph.sub %w, %4 : tensor<f32>
  %6 = graph.div %1, %scale : tensor<f32>
  return %5, %3, %6 : tensor<f32>, tensor<f32>, tensor<f32>
}
