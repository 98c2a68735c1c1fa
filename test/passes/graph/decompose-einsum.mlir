// RUN: pcc-opt %s --graph-decompose=ops=einsum | FileCheck %s
// RUN: pcc-opt %s --graph-decompose -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// Contractions and their matmuls compute the same.
// VERIFY: verify: 10 passed, 0 failed, 0 skipped

// A contraction that is a matmul becomes one op.
// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: %[[P:.+]] = graph.matmul %arg0, %arg1 : tensor<4x5xf32>, tensor<5x6xf32>
// CHECK-NEXT: return %[[P]]
func.func @matmul(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.einsum "ij,jk->ik" %x, %y : tensor<4x5xf32>, tensor<5x6xf32>
  return %0 : tensor<4x6xf32>
}

// Operands that are stored transposed are read as such. If the result has the right operand's
// letters first, the operands are exchanged.
// CHECK-LABEL: func.func @transposed
// CHECK-NEXT: %[[P:.+]] = graph.matmul %arg1, %arg0 {transpose_rhs} : tensor<3x6x5xf32>, tensor<3x4x5xf32>
// CHECK-NEXT: return %[[P]]
func.func @transposed(%x: tensor<3x4x5xf32>, %y: tensor<3x6x5xf32>) -> tensor<3x6x4xf32> {
  %0 = graph.einsum "bij,bkj->bki" %x, %y : tensor<3x4x5xf32>, tensor<3x6x5xf32>
  return %0 : tensor<3x6x4xf32>
}

// Adjacent letters of one kind are merged to one dimension.
// CHECK-LABEL: func.func @merged
// CHECK-NEXT: %[[X:.+]] = graph.reshape %arg0 : tensor<2x3x4x5xf32> to tensor<6x20xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.reshape %arg1 : tensor<4x5x6xf32> to tensor<20x6xf32>
// CHECK-NEXT: %[[P:.+]] = graph.matmul %[[X]], %[[Y]]
// CHECK-NEXT: graph.reshape %[[P]] : tensor<6x6xf32> to tensor<2x3x6xf32>
func.func @merged(%x: tensor<2x3x4x5xf32>, %y: tensor<4x5x6xf32>) -> tensor<2x3x6xf32> {
  %0 = graph.einsum "abcd,cde->abe" %x, %y : tensor<2x3x4x5xf32>, tensor<4x5x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// The batch of attention's heads is in the middle: both operands are transposed, the result is not.
// CHECK-LABEL: func.func @heads
// CHECK: graph.transpose %arg0, [0, 2, 1, 3]
// CHECK: graph.transpose %arg1, [0, 2, 3, 1]
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<6x4x8xf32>, tensor<6x8x5xf32>
// CHECK-NOT: graph.transpose
// CHECK: return
func.func @heads(%q: tensor<2x4x3x8xf32>, %k: tensor<2x5x3x8xf32>) -> tensor<2x3x4x5xf32> {
  %0 = graph.einsum "bqhd,bkhd->bhqk" %q, %k : tensor<2x4x3x8xf32>, tensor<2x5x3x8xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Letters that only one operand has are summed first.
// CHECK-LABEL: func.func @alone
// CHECK: graph.reduce sum %arg0, [1] : tensor<4x3x5xf32>
// CHECK: graph.reduce sum %arg1, [0] : tensor<2x5x6xf32>
// CHECK: graph.matmul
func.func @alone(%x: tensor<4x3x5xf32>, %y: tensor<2x5x6xf32>) -> tensor<4x6xf32> {
  %0 = graph.einsum "iaj,bjk->ik" %x, %y : tensor<4x3x5xf32>, tensor<2x5x6xf32>
  return %0 : tensor<4x6xf32>
}

// Without contracted letters, elements are multiplied.
// CHECK-LABEL: func.func @outer
// CHECK-NOT: graph.matmul
// CHECK: graph.mul %{{.*}} : tensor<5x4xf32>
func.func @outer(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<5x4xf32> {
  %0 = graph.einsum "i,j->ji" %x, %y : tensor<4xf32>, tensor<5xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @inner
// CHECK: graph.matmul %{{.*}}, %{{.*}} : tensor<1x5xf32>, tensor<5x1xf32>
func.func @inner(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<f32> {
  %0 = graph.einsum "i,i->" %x, %y : tensor<5xf32>, tensor<5xf32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @scalar
func.func @scalar(%x: tensor<f32>, %y: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.einsum ",ij->ji" %x, %y : tensor<f32>, tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<4x5xi32>, %y: tensor<4x5xi32>) -> tensor<5xi32> {
  %0 = graph.einsum "ij,ij->j" %x, %y : tensor<4x5xi32>, tensor<4x5xi32>
  return %0 : tensor<5xi32>
}

// CHECK-LABEL: func.func @mixed
func.func @mixed(%x: tensor<2x3x4x5xf32>, %y: tensor<5x6x2x4xf32>) -> tensor<6x4x3xf32> {
  %0 = graph.einsum "abcd,deac->ecb" %x, %y : tensor<2x3x4x5xf32>, tensor<5x6x2x4xf32>
  return %0 : tensor<6x4x3xf32>
}
