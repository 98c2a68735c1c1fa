// RUN: pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse" --remarks-filter=.* --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse memory-limit=20000000" | FileCheck %s --check-prefix=SMALL
// RUN: pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse memory-limit=30000000" | FileCheck %s --check-prefix=ROOM
// RUN: pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse memory-limit=30000000 copies=2" | FileCheck %s --check-prefix=SMALL
// RUN: pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse memory-limit=13000000" --remarks-filter=.* --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not pcc-opt %s --attach-cluster=cluster=2xcpu --plan-find-stages="stages=2 micro-batches=4 optimizer=sgd,lr=0.1 loss=mse memory-limit=1000000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not pcc-opt %s --plan-find-stages="stages=9 micro-batches=9" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not pcc-opt %s --attach-cluster=cluster=2xabacus --plan-find-stages="stages=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CLUSTER

// The stages take about the same time: the table, which costs little, is in the stage of the first
// matmul. A remark gives the time of each stage.

// CHECK: [Passed] stage | Category:strategy | {{.*}}bytes={{[0-9]+}}{{.*}}first=gather{{.*}}seconds={{.*}}stage=0
// CHECK: [Passed] stage | Category:strategy | {{.*}}bytes={{[0-9]+}}{{.*}}seconds={{.*}}stage=1
// CHECK: graph.gather %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.matmul %{{.*}} {pipe.stage = 0 : i64}
// CHECK: graph.matmul %{{.*}} {pipe.stage = 1 : i64}

// The table alone fills the first of two small devices.

// SMALL: graph.gather %{{.*}} {pipe.stage = 0 : i64}
// SMALL: graph.matmul %{{.*}} {pipe.stage = 1 : i64}
// SMALL: graph.matmul %{{.*}} {pipe.stage = 1 : i64}

// Larger devices also have room for a matmul, but not for the residuals of two copies of a microbatch.

// ROOM: graph.gather %{{.*}} {pipe.stage = 0 : i64}
// ROOM: graph.matmul %{{.*}} {pipe.stage = 0 : i64}

// On smaller devices the table's rows are gathered again instead of saved for two microbatches. The
// other stage has one microbatch at a time, and saves its activations.

// AGAIN: stage | Category:strategy | {{.*}}first=gather{{.*}}recomputed=1,{{.*}}stage=0
// AGAIN: stage | Category:strategy | {{.*}}recomputed=0,{{.*}}stage=1
// AGAIN: module attributes {{.*}}pipe.constraints = [{marked, op_name = "gather_0", recompute}]}
// AGAIN: graph.matmul %{{.*}} {pipe.stage = 1 : i64}

// NONE: error: the model cannot be cut in 2 stages: 'gather' alone takes {{[0-9]+}} bytes, expected at most 1000000
// FEW: error: the model cannot be cut in 9 stages: expected at least 9 layers, one for each stage, got 3
// CLUSTER: error: {{.*}}abacus
graph.parameter @e : tensor<5000x256xf32> init(#graph.init<zeros>)
graph.parameter @a : tensor<256x512xf32> init(#graph.init<zeros>)
graph.parameter @b : tensor<512x256xf32> init(#graph.init<zeros>)
func.func @forward(%x: tensor<2048xi64> {graph.role = #graph.role<input "x">},
                   %e: tensor<5000x256xf32> {graph.role = #graph.role<parameter "e">},
                   %a: tensor<256x512xf32> {graph.role = #graph.role<parameter "a">},
                   %b: tensor<512x256xf32> {graph.role = #graph.role<parameter "b">})
    -> (tensor<2048x256xf32> {graph.role = #graph.role<output "y">}) {
  %0 = graph.gather %e, %x axis = 0 : tensor<5000x256xf32>, tensor<2048xi64>
  %1 = graph.matmul %0, %a : tensor<2048x256xf32>, tensor<256x512xf32>
  %2 = graph.matmul %1, %b : tensor<2048x512xf32>, tensor<512x256xf32>
  return %2 : tensor<2048x256xf32>
}
