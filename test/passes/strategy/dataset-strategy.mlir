// RUN: split-file %s %t
// RUN: pcc-opt %t/model.mlir --strategy-semi-auto="device-num=4 dataset-strategy=((2,2),(2),())" -o %t/blocks.mlir
// RUN: FileCheck %s --check-prefix=BLOCKS < %t/blocks.mlir
// RUN: pcc verify %t/model.mlir %t/blocks.mlir
// RUN: pcc-opt %t/model.mlir --strategy-semi-auto="device-num=4 dataset-strategy=((1,1),(1),())" -o %t/whole.mlir
// RUN: pcc-opt %t/model.mlir --strategy-semi-auto="device-num=4 full-batch" -o %t/full.mlir
// RUN: cmp %t/whole.mlir %t/full.mlir
// RUN: pcc-opt %t/model.mlir --strategy-data-parallel="device-num=4 dataset-strategy=((1,1),(1),())" -o %t/whole.mlir
// RUN: pcc-opt %t/model.mlir --strategy-data-parallel="device-num=4 full-batch" -o %t/full.mlir
// RUN: cmp %t/whole.mlir %t/full.mlir
// RUN: pcc-opt %t/model.mlir --strategy-data-parallel="device-num=4 dataset-strategy=((2,2),(1),())" -o %t/data.mlir
// RUN: FileCheck %s --check-prefix=DATA < %t/data.mlir
// RUN: pcc verify %t/model.mlir %t/data.mlir
// RUN: pcc-opt %t/data.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t/local.mlir
// RUN: FileCheck %s --check-prefix=LOCAL < %t/local.mlir
// RUN: pcc verify %t/model.mlir %t/local.mlir
// RUN: pcc-opt %t/meshed.mlir --strategy-semi-auto="device-num=4 dataset-strategy='[dp, tp], [_], []'" -o %t/named.mlir
// RUN: FileCheck %s --check-prefix=NAMED < %t/named.mlir
// RUN: pcc verify %t/model.mlir %t/named.mlir

// In semi-automatic mode, ops follow inputs that are split; inputs that are fed whole are split for their users.

// BLOCKS: dist.mesh = #dist.mesh<dp0=2, dp1=2>
// BLOCKS: tensor<8x6xf32> {dist.sharding = #dist.sharding<[dp0, dp1]>, graph.role = #graph.role<input "x">}
// BLOCKS-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[dp1, _]>
// BLOCKS-SAME: tensor<8xf32> {dist.sharding = #dist.sharding<[dp0]>, graph.role = #graph.role<input "t">}
// BLOCKS: graph.matmul {{.+}}dist.out = [#dist.sharding<[dp0, _] partial(sum: dp1)>]

// In data-parallel mode, ops split the batch over all ranks, however it is fed.

// DATA: tensor<8x6xf32> {dist.sharding = #dist.sharding<[dp0, dp1]>
// DATA-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _]>
// DATA-SAME: tensor<8xf32> {dist.sharding = #dist.sharding<[_]>
// DATA: graph.matmul {{.+}}dist.in = [#dist.sharding<[dp0.dp1, _]>, #dist.sharding<[_, _]>]
// LOCAL: func.func @forward(%{{.+}}: tensor<4x3xf32>
// LOCAL-SAME: tensor<8xf32>
// LOCAL: dist.all_to_all
// LOCAL: graph.matmul {{.+}} : tensor<2x6xf32>, tensor<6x2xf32>

// NAMED: dist.mesh = #dist.mesh<dp=2, tp=2>
// NAMED: tensor<8x6xf32> {dist.sharding = #dist.sharding<[dp, tp]>
// NAMED: graph.add {{.+}}dist.in = [#dist.sharding<[dp, _]>, #dist.sharding<[dp, _]>]

//--- model.mlir
module {
  graph.parameter @w : tensor<6x2xf32> init(<uniform, -1.0, 1.0>)
  func.func @forward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                     %t: tensor<8xf32> {graph.role = #graph.role<input "t">},
                     %s: tensor<f32> {graph.role = #graph.role<input "s">})
      -> (tensor<8x2xf32> {graph.role = #graph.role<output "y">},
          tensor<f32> {graph.role = #graph.role<output "s">}) {
    %0 = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x2xf32>
    %1 = graph.broadcast %t, [0] : tensor<8xf32> to tensor<8x2xf32>
    %2 = graph.add %0, %1 : tensor<8x2xf32>
    return %2, %s : tensor<8x2xf32>, tensor<f32>
  }
}

//--- meshed.mlir
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  graph.parameter @w : tensor<6x2xf32> init(<uniform, -1.0, 1.0>)
  func.func @forward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<6x2xf32> {graph.role = #graph.role<parameter "w">},
                     %t: tensor<8xf32> {graph.role = #graph.role<input "t">},
                     %s: tensor<f32> {graph.role = #graph.role<input "s">})
      -> (tensor<8x2xf32> {graph.role = #graph.role<output "y">},
          tensor<f32> {graph.role = #graph.role<output "s">}) {
    %0 = graph.matmul %x, %w : tensor<8x6xf32>, tensor<6x2xf32>
    %1 = graph.broadcast %t, [0] : tensor<8xf32> to tensor<8x2xf32>
    %2 = graph.add %0, %1 : tensor<8x2xf32>
    return %2, %s : tensor<8x2xf32>, tensor<f32>
  }
}
