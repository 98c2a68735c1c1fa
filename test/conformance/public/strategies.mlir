// RUN: split-file %s %t
// RUN: pcc-opt %t/matmul.mlir --strategy-collect-constraints --strategy-semi-auto=device-num=1024 \
// RUN:   --dist-insert-reshards --dist-reshards-to-collectives --dist-localize | FileCheck %t/matmul.mlir
// RUN: pcc-opt %t/reduce.mlir --split-input-file --strategy-collect-constraints --strategy-semi-auto=device-num=32 \
// RUN:   --dist-insert-reshards --dist-reshards-to-collectives --dist-localize | FileCheck %t/reduce.mlir
// RUN: pcc-opt %t/reshape.mlir --strategy-collect-constraints --strategy-semi-auto=device-num=8 \
// RUN:   --dist-insert-reshards --dist-reshards-to-collectives --dist-localize | FileCheck %t/reshape.mlir

//--- matmul.mlir

// A batched matmul on 1,024 ranks: device matrix (2,4,8,16,1), and one all-reduce over groups of 16.

// CHECK: dist.mesh = #dist.mesh<x=2, y=4, z=8, w=16>
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: tensor<1x1x1x1xf32>
// CHECK-SAME: tensor<1x1x1x32xf32>
// CHECK-NEXT: graph.matmul {{.+}} : tensor<1x1x1x1xf32>, tensor<1x1x1x32xf32>
// CHECK-NEXT: dist.all_reduce sum {{.+}} over <axes [w]> : tensor<1x1x1x32xf32>
// CHECK-NEXT: return {{.+}} : tensor<1x1x1x32xf32>
func.func @forward(%x: tensor<2x4x8x16xf32>, %y: tensor<2x4x16x32xf32>)
    -> (tensor<2x4x8x32xf32> {graph.role = #graph.role<output "z">}) {
  %0 = graph.matmul %x, %y {dist.in = "((2,4,8,16),(2,4,16,1))"} : tensor<2x4x8x16xf32>, tensor<2x4x16x32xf32>
  return %0 : tensor<2x4x8x32xf32>
}

//--- reduce.mlir

// A sum over a dimension that is whole on every rank needs no collective.

// CHECK-LABEL: func.func @whole(
// CHECK-NEXT: graph.reduce {{.+}} : tensor<4x4x64xf32>
// CHECK-NEXT: return {{.+}} : tensor<4x4xf32>
func.func @whole(%x: tensor<16x32x64xf32>) -> (tensor<16x32xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.reduce sum %x, [2] {dist.in = "((4,8,1))"} : tensor<16x32x64xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// A sum over a split dimension needs one all-reduce.

// CHECK-LABEL: func.func @split(
// CHECK-NEXT: graph.reduce {{.+}} : tensor<4x8x32xf32>
// CHECK-NEXT: dist.all_reduce sum {{.+}} over <axes [z]> : tensor<4x8xf32>
// CHECK-NEXT: return {{.+}} : tensor<4x8xf32>
func.func @split(%x: tensor<16x32x64xf32>) -> (tensor<16x32xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.reduce sum %x, [2] {dist.in = "((4,4,2))"} : tensor<16x32x64xf32>
  return %0 : tensor<16x32xf32>
}

//--- reshape.mlir

// From [8]/(0,-1,-1,-1) to [8]/(0,-1) the program has only a reshape.

// CHECK-LABEL: func.func @forward(
// CHECK-NEXT: graph.relu {{.+}} : tensor<16x64x1x1xf32>
// CHECK-NEXT: graph.reshape {{.+}} : tensor<16x64x1x1xf32> to tensor<16x64xf32>
// CHECK-NEXT: graph.tanh {{.+}} : tensor<16x64xf32>
// CHECK-NEXT: return
func.func @forward(%x: tensor<128x64x1x1xf32>) -> (tensor<128x64xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.relu %x {dist.in = "((8,1,1,1))"} : tensor<128x64x1x1xf32>
  %1 = graph.reshape %0 : tensor<128x64x1x1xf32> to tensor<128x64xf32>
  %2 = graph.tanh %1 {dist.in = "((8,1))"} : tensor<128x64xf32>
  return %2 : tensor<128x64xf32>
}
