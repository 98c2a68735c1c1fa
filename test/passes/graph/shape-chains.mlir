// Chains of reshapes and transposes become the shortest ones.
// RUN: pcc-opt %s --graph-canonicalize | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %s --graph-canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=NAME

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// A transpose of matrices inside another shape is one transpose, whose dimensions may be split.
// CHECK-LABEL: func.func @transpose_key
// CHECK-NEXT: graph.transpose %arg0, [0, 1, 3, 2] : tensor<2x4x3x8xf32>
// CHECK-NEXT: return
func.func @transpose_key(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x8x3xf32> {
  %0 = graph.reshape %x : tensor<2x4x3x8xf32> to tensor<8x3x8xf32>
  %1 = graph.transpose %0, [0, 2, 1] : tensor<8x3x8xf32>
  %2 = graph.reshape %1 : tensor<8x8x3xf32> to tensor<2x4x8x3xf32>
  return %2 : tensor<2x4x8x3xf32>
}

// From the result of a linear layer to the transposed heads.
// CHECK-LABEL: func.func @split_heads
// CHECK-NEXT: %[[R:.*]] = graph.reshape %arg0 : tensor<2x3x32xf32> to tensor<2x3x4x8xf32>
// CHECK-NEXT: graph.transpose %[[R]], [0, 2, 3, 1] : tensor<2x3x4x8xf32>
// CHECK-NEXT: return
func.func @split_heads(%x: tensor<2x3x32xf32>) -> tensor<2x4x8x3xf32> {
  %0 = graph.reshape %x : tensor<2x3x32xf32> to tensor<2x3x4x8xf32>
  %1 = graph.transpose %0, [0, 2, 1, 3] : tensor<2x3x4x8xf32>
  %2 = graph.reshape %1 : tensor<2x4x3x8xf32> to tensor<8x3x8xf32>
  %3 = graph.transpose %2, [0, 2, 1] : tensor<8x3x8xf32>
  %4 = graph.reshape %3 : tensor<8x8x3xf32> to tensor<2x4x8x3xf32>
  return %4 : tensor<2x4x8x3xf32>
}

// Transposes that undo each other disappear.
// CHECK-LABEL: func.func @inverse
// CHECK-NEXT: %[[R:.*]] = graph.reshape %arg0 : tensor<2x3x32xf32> to tensor<6x32xf32>
// CHECK-NEXT: return %[[R]]
func.func @inverse(%x: tensor<2x3x32xf32>) -> tensor<6x32xf32> {
  %0 = graph.reshape %x : tensor<2x3x32xf32> to tensor<2x3x4x8xf32>
  %1 = graph.transpose %0, [0, 2, 1, 3] : tensor<2x3x4x8xf32>
  %2 = graph.reshape %1 : tensor<2x4x3x8xf32> to tensor<8x3x8xf32>
  %3 = graph.reshape %2 : tensor<8x3x8xf32> to tensor<2x4x3x8xf32>
  %4 = graph.transpose %3, [0, 2, 1, 3] : tensor<2x4x3x8xf32>
  %5 = graph.reshape %4 : tensor<2x3x4x8xf32> to tensor<6x32xf32>
  return %5 : tensor<6x32xf32>
}

// Dimensions of size 1 need no reshape of their own.
// CHECK-LABEL: func.func @ones
// CHECK-NEXT: graph.transpose %arg0, [1, 0, 3, 2] : tensor<3x1x5x4xf32>
// CHECK-NEXT: return
func.func @ones(%x: tensor<3x1x5x4xf32>) -> tensor<1x3x4x5xf32> {
  %0 = graph.reshape %x : tensor<3x1x5x4xf32> to tensor<3x5x4xf32>
  %1 = graph.transpose %0, [0, 2, 1] : tensor<3x5x4xf32>
  %2 = graph.reshape %1 : tensor<3x4x5xf32> to tensor<1x3x4x5xf32>
  return %2 : tensor<1x3x4x5xf32>
}

// A transpose of which only a dimension of size 1 moves, between reshapes.
// CHECK-LABEL: func.func @moved_one
// CHECK-NEXT: graph.reshape %arg0 : tensor<3x5xf32> to tensor<3x1x5xf32>
// CHECK-NEXT: return
func.func @moved_one(%x: tensor<3x5xf32>) -> tensor<3x1x5xf32> {
  %0 = graph.reshape %x : tensor<3x5xf32> to tensor<1x3x5xf32>
  %1 = graph.transpose %0, [1, 0, 2] : tensor<1x3x5xf32>
  return %1 : tensor<3x1x5xf32>
}

// The matmul reads the key through a reshape of its heads.
// CHECK-LABEL: func.func @absorbed
// CHECK: %[[R:.*]] = graph.reshape %arg1 : tensor<2x2x2x3x8xf32> to tensor<2x4x3x8xf32>
// CHECK-NEXT: graph.matmul %arg0, %[[R]] {transpose_rhs} :
func.func @absorbed(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x2x3x8xf32>) -> tensor<2x4x3x3xf32> {
  %0 = graph.reshape %k : tensor<2x2x2x3x8xf32> to tensor<8x3x8xf32>
  %1 = graph.transpose %0, [0, 2, 1] : tensor<8x3x8xf32>
  %2 = graph.reshape %1 : tensor<8x8x3xf32> to tensor<2x4x8x3xf32>
  %3 = graph.matmul %q, %2 : tensor<2x4x3x8xf32>, tensor<2x4x8x3xf32>
  return %3 : tensor<2x4x3x3xf32>
}

// A patch of an image mixes parts of dimensions: the chain is as short as it can be.
// CHECK-LABEL: func.func @patches
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.transpose {{.*}}, [0, 2, 1, 3, 4]
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @patches(%x: tensor<4x6x5xf32>) -> tensor<4x6x5xf32> {
  %0 = graph.reshape %x : tensor<4x6x5xf32> to tensor<2x2x3x2x5xf32>
  %1 = graph.transpose %0, [0, 2, 1, 3, 4] : tensor<2x2x3x2x5xf32>
  %2 = graph.reshape %1 : tensor<2x3x2x2x5xf32> to tensor<4x6x5xf32>
  return %2 : tensor<4x6x5xf32>
}

// A reshape that cuts through a factor ends a chain.
// CHECK-LABEL: func.func @cut
// CHECK: graph.transpose
// CHECK: graph.transpose
func.func @cut(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %0 = graph.transpose %x, [1, 0] : tensor<6x4xf32>
  %1 = graph.reshape %0 : tensor<4x6xf32> to tensor<8x3xf32>
  %2 = graph.transpose %1, [1, 0] : tensor<8x3xf32>
  return %2 : tensor<3x8xf32>
}

// A transpose keeps its name before those of reshapes, which may belong to another op.
// NAME-LABEL: func.func @name
// NAME: graph.transpose {{.*}} loc(fused["heads", "linear", "split"])
func.func @name(%x: tensor<6x32xf32>) -> tensor<2x4x3x8xf32> {
  %0 = graph.reshape %x : tensor<6x32xf32> to tensor<2x3x32xf32> loc("linear")
  %1 = graph.reshape %0 : tensor<2x3x32xf32> to tensor<2x3x4x8xf32> loc("split")
  %2 = graph.transpose %1, [0, 2, 1, 3] : tensor<2x3x4x8xf32> loc("heads")
  return %2 : tensor<2x4x3x8xf32>
}
