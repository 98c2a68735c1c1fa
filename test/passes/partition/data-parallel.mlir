// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir
// RUN: pcc-opt %s --strategy-data-parallel="device-num=4 full-batch=true" --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.full.mlir
// RUN: pcc verify %s %t.full.mlir
// RUN: pcc-opt %s --strategy-data-parallel=device-num=1 --dist-insert-reshards --dist-reshards-to-collectives --dist-localize | FileCheck %s --check-prefix=ONE

// The whole pipeline: no collective in @forward_backward, one all_reduce for each gradient in @update.

// CHECK-LABEL: func.func @forward_backward(
// CHECK-NOT: dist.all_reduce
// CHECK-LABEL: func.func @update(
// CHECK-COUNT-2: dist.all_reduce {{ ?}}sum
// CHECK-NOT: dist.all_reduce

// A group of one needs no collective.

// ONE-NOT: dist.all_reduce
module {
  graph.parameter @w : tensor<6x2xf32> init(<uniform, -1.0, 1.0>)
  graph.parameter @b : tensor<2xf32> init(<zeros>)
  func.func @forward_backward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                              %w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                              %b: tensor<2xf32> {graph.role = #graph.role<parameter "b">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<6x2xf32> {graph.role = #graph.role<gradient "w">},
          tensor<2xf32> {graph.role = #graph.role<gradient "b">}) {
    %y = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x2xf32>
    %r = graph.broadcast %b, [1] : tensor<2xf32> to tensor<8x2xf32>
    %z = graph.add %y, %r : tensor<8x2xf32>
    %s = graph.square %z : tensor<8x2xf32>
    %loss = graph.reduce mean %s, [0, 1] : tensor<8x2xf32>
    %c = graph.constant dense<1.250000e-01> : tensor<8x2xf32>
    %g = graph.mul %z, %c : tensor<8x2xf32>
    %gw = graph.matmul %x, %g {transpose_lhs} : tensor<8x6xf32>, tensor<8x2xf32>
    %gb = graph.reduce sum %g, [0] : tensor<8x2xf32>
    return %loss, %gw, %gb : tensor<f32>, tensor<6x2xf32>, tensor<2xf32>
  }
  func.func @update(%w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                    %b: tensor<2xf32> {graph.role = #graph.role<parameter "b">},
                    %gw: tensor<6x2xf32> {graph.role = #graph.role<gradient "w">},
                    %gb: tensor<2xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
          tensor<2xf32> {graph.role = #graph.role<parameter "b">}) {
    %rate = graph.constant dense<0.1> : tensor<f32>
    %0 = graph.sgd %w, %gw, %rate : tensor<6x2xf32>, tensor<f32>
    %1 = graph.sgd %b, %gb, %rate : tensor<2xf32>, tensor<f32>
    return %0, %1 : tensor<6x2xf32>, tensor<2xf32>
  }
}
