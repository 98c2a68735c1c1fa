// RUN: pcc-opt %s --strategy-semi-auto=device-num=4 --strategy-erase-annotations -o %t.mlir
// RUN: pcc-opt %s --strategy-erase-annotations | diff - %t.mlir
// RUN: FileCheck %s < %t.mlir

// A strategy only annotates: without its annotations the program is the original one.

// CHECK: module {
// CHECK-NOT: dist.
module attributes {dist.constraints = [{op = "matmul", in = "((2,1),(1,2))"}]} {
  graph.parameter @w : tensor<8x8xf32> init(<zeros>)
  func.func @forward_backward(%x: tensor<4x8xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<8x8xf32> {graph.role = #graph.role<gradient "w">}) {
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.matmul %x, %0 {transpose_lhs} : tensor<4x8xf32>, tensor<4x8xf32> loc("matmul.grad")
    return %1 : tensor<8x8xf32>
  }
}
