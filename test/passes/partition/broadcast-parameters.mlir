// RUN: split-file %s %t
// RUN: pcc-opt %t/step.mlir --dist-broadcast-parameters -o %t/out.mlir
// RUN: FileCheck %s < %t/out.mlir
// RUN: pcc verify %t/step.mlir %t/out.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: not pcc-opt %t/taken.mlir --dist-broadcast-parameters 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: pcc-opt %t/one.mlir --dist-broadcast-parameters | FileCheck %s --check-prefix=ONE

// Rank 0 broadcasts parameters that every rank holds whole. Slices stay, and so do rank-local parameters.
// CHECK-LABEL: func.func private @start_training(
// CHECK-SAME: %[[W:.+]]: tensor<4xf32> {dist.sharding = #dist.sharding<[_]>, graph.role = #graph.role<parameter "whole">}) ->
// CHECK-SAME: (tensor<4xf32> {dist.sharding = #dist.sharding<[_]>, graph.role = #graph.role<parameter "whole">}) attributes {dist.local}
// CHECK-NEXT: %[[B:.+]] = dist.broadcast %[[W]] root = 0
// CHECK-NEXT: return %[[B]]

// No change: the ranks begin with equal values.
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed

// TAKEN: error: 'start_training' is the name of the section that broadcasts parameters: rename this symbol

// A single rank has no peer.
// ONE-NOT: start_training

//--- step.mlir
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @whole : tensor<4xf32> init(#graph.init<uniform, -1.0, 1.0>)
  graph.parameter @slice : tensor<8xf32> init(#graph.init<uniform, -1.0, 1.0>)
  graph.parameter @own : tensor<4xf32> init(#graph.init<uniform, -1.0, 1.0>) {layerwise_parallel}
  func.func @update(%w: tensor<4xf32> {dist.sharding = #dist.sharding<[_]>, graph.role = #graph.role<parameter "whole">},
                    %s: tensor<4xf32> {dist.sharding = #dist.sharding<[dp]>, graph.role = #graph.role<parameter "slice">},
                    %o: tensor<4xf32> {dist.sharding = #dist.sharding<[_]>, graph.role = #graph.role<parameter "own">})
      -> (tensor<4xf32> {dist.sharding = #dist.sharding<[_]>, graph.role = #graph.role<parameter "whole">}) attributes {dist.local} {
    %0 = graph.neg %w : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @update
  }
}
//--- taken.mlir
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func private @start_training()
}
//--- one.mlir
module {
  graph.parameter @whole : tensor<4xf32> init(#graph.init<ones>)
  func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "whole">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "whole">}) {
    return %w : tensor<4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @update
  }
}
