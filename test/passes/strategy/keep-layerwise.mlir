// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 --strategy-keep-layerwise -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-opt %t.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize -o %t.local.mlir
// RUN: FileCheck %s --check-prefix=LOCAL < %t.local.mlir
// RUN: pcc-opt %s --strategy-data-parallel=device-num=4 --strategy-keep-layerwise --remark-format=emitRemark --remarks-filter=strategy 2>&1 | FileCheck %s --check-prefix=REMARK

// The gradient of "own" is rank-local: its factor is the number of ranks, and the update treats a
// rank's slice as the whole. The gradient of "shared" is reduced.
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: tensor<6x2xf32> {dist.gradient_factor = 4.000000e+00 : f64, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "own">, pipe.accumulate
// CHECK-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "shared">, pipe.accumulate
// CHECK-LABEL: func.func @update(
// CHECK-SAME: tensor<6x2xf32> {dist.own, dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "own">}
// CHECK-SAME: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "shared">}

// LOCAL-LABEL: func.func @update(
// LOCAL-SAME: %[[OWN:arg[0-9]+]]: tensor<6x2xf32> {dist.own
// LOCAL-SAME: %[[SHARED:arg[0-9]+]]: tensor<6x2xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "shared">}
// LOCAL: %[[SUM:.+]] = dist.all_reduce sum %[[SHARED]]
// LOCAL-NOT: dist.
// LOCAL: graph.sgd %{{.+}}, %[[OWN]],
// LOCAL: graph.sgd %{{.+}}, %[[SUM]],

// REMARK: [Passed] keep-layerwise | Category:strategy | factor=4{{.*}}, parameter=own
module {
  graph.parameter @own : tensor<6x2xf32> init(#graph.init<uniform, -1.0, 1.0>) {layerwise_parallel}
  graph.parameter @shared : tensor<6x2xf32> init(#graph.init<uniform, -1.0, 1.0>)
  func.func @forward_backward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                              %own: tensor<6x2xf32> {graph.role = #graph.role<parameter "own">},
                              %shared: tensor<6x2xf32> {graph.role = #graph.role<parameter "shared">})
      -> (tensor<f32> {graph.role = #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<6x2xf32> {graph.role = #graph.role<gradient "own">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
          tensor<6x2xf32> {graph.role = #graph.role<gradient "shared">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
    %g = graph.constant dense<6.250000e-02> : tensor<8x2xf32>
    %y = graph.matmul %x, %own : tensor<8x6xf32>, tensor<6x2xf32>
    %z = graph.matmul %x, %shared : tensor<8x6xf32>, tensor<6x2xf32>
    %s = graph.add %y, %z : tensor<8x2xf32>
    %loss = graph.reduce mean %s, [0, 1] : tensor<8x2xf32>
    %gw = graph.matmul %x, %g {transpose_lhs} : tensor<8x6xf32>, tensor<8x2xf32>
    %q = graph.mul %g, %g : tensor<8x2xf32>
    %gs = graph.matmul %x, %q {transpose_lhs} : tensor<8x6xf32>, tensor<8x2xf32>
    return %loss, %gw, %gs : tensor<f32>, tensor<6x2xf32>, tensor<6x2xf32>
  }
  func.func @update(%own: tensor<6x2xf32> {graph.role = #graph.role<parameter "own">},
                    %shared: tensor<6x2xf32> {graph.role = #graph.role<parameter "shared">},
                    %gown: tensor<6x2xf32> {graph.role = #graph.role<gradient "own">},
                    %gshared: tensor<6x2xf32> {graph.role = #graph.role<gradient "shared">})
      -> (tensor<6x2xf32> {graph.role = #graph.role<parameter "own">},
          tensor<6x2xf32> {graph.role = #graph.role<parameter "shared">}) {
    %rate = graph.constant dense<0.1> : tensor<f32>
    %0 = graph.sgd %own, %gown, %rate : tensor<6x2xf32>, tensor<f32>
    %1 = graph.sgd %shared, %gshared, %rate : tensor<6x2xf32>, tensor<f32>
    return %0, %1 : tensor<6x2xf32>, tensor<6x2xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
