// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{comm-fusion=all})' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{comm-fusion=off})' | FileCheck %s --check-prefixes=CHECK,OFF
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{all-reduce-config=[1]})' | FileCheck %s --check-prefixes=CHECK,INDEX
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{comm-fusion=size:1 by-reference=true})' | FileCheck %s --check-prefixes=CHECK,REFERENCE
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{comm-fusion=all},schedule-overlap-reductions)' | FileCheck %s --check-prefix=EARLY
// RUN: not pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-assign-kernels),schedule-fuse-collectives{comm-fusion=some})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: error: comm_fusion: expected auto, off, all, size:MB or index:N:M, got "some"
// RUN: not pcc-opt %s --split-input-file --pass-pipeline='builtin.module(attach-cluster{cluster=2xbanana},func.func(fuse-assign-kernels),schedule-fuse-collectives)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: {{.*}}banana

// Gradients are complete in the order b, a, c; under [1] the first is alone and the rest is fused.
// A fused collective replaces its last member, and readers of the first member move after it.
// MindSpore uses the sizes of parameters, of which this module declares none.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "a">},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "b">},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "c">}) {
    %b = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    %a = graph.matmul %x, %b : tensor<4x4xf32>, tensor<4x4xf32>
    %c = graph.matmul %x, %a : tensor<4x4xf32>, tensor<4x4xf32>
    return %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  // CHECK-LABEL: func.func @update
  // ALL-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<map 16 x 1>]
  // OFF-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>]
  // REFERENCE-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>]
  // INDEX-SAME: task.forms = [#task.form<collective 1 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>]
  // EARLY-LABEL: func.func @update
  // EARLY-SAME: task.hoisted = {{\[\[}}@forward_backward, 2]]
  func.func @update(%a: tensor<4x4xf32> {graph.role = #graph.role<parameter "a">},
                    %ga: tensor<4x4xf32> {graph.role = #graph.role<gradient "a">},
                    %gb: tensor<4x4xf32> {graph.role = #graph.role<gradient "b">},
                    %gc: tensor<4x4xf32> {graph.role = #graph.role<gradient "c">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "a">},
          tensor<4x4xf32> {graph.role = #graph.role<parameter "b">},
          tensor<4x4xf32> {graph.role = #graph.role<parameter "c">}) {
    // ALL: dist.all_reduce sum {{.+}} {task.kernel = 0 : i64}
    // ALL: graph.sub {{.+}} {task.kernel = 1 : i64}
    // ALL: dist.all_reduce sum {{.+}} {task.kernel = 0 : i64}
    // ALL: dist.all_reduce sum {{.+}} {task.kernel = 0 : i64}
    // INDEX: dist.all_reduce sum {{.+}} {task.kernel = 1 : i64}
    // INDEX: graph.sub {{.+}} {task.kernel = 2 : i64}
    // INDEX: dist.all_reduce sum {{.+}} {task.kernel = 0 : i64}
    // INDEX: dist.all_reduce sum {{.+}} {task.kernel = 1 : i64}
    %0 = dist.all_reduce sum %ga : tensor<4x4xf32>
    %1 = graph.sub %a, %0 : tensor<4x4xf32>
    %2 = dist.all_reduce sum %gb : tensor<4x4xf32>
    %3 = dist.all_reduce sum %gc : tensor<4x4xf32>
    return %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Collectives over another group, or after more preceding collectives, are fused separately: the
// new "c" is gathered after two of them, the others after one.
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "a">},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "b">},
          tensor<4x4xf32> {graph.role = #graph.role<gradient "c">}) {
    %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
    %1 = graph.matmul %x, %0 : tensor<4x4xf32>, tensor<4x4xf32>
    %2 = graph.matmul %x, %1 : tensor<4x4xf32>, tensor<4x4xf32>
    return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  // CHECK-LABEL: func.func @update
  func.func @update(%ga: tensor<4x4xf32> {graph.role = #graph.role<gradient "a">},
                    %gb: tensor<4x4xf32> {graph.role = #graph.role<gradient "b">},
                    %gc: tensor<4x4xf32> {graph.role = #graph.role<gradient "c">})
      -> (tensor<4x4xf32> {graph.role = #graph.role<parameter "a">},
          tensor<4x4xf32> {graph.role = #graph.role<parameter "b">},
          tensor<4x4xf32> {graph.role = #graph.role<parameter "c">}) {
    // ALL: dist.reduce_scatter sum {{.+}} {task.kernel = [[REDUCED:.+]] : i64}
    // ALL: dist.reduce_scatter sum {{.+}} {task.kernel = [[REDUCED]] : i64}
    // ALL: dist.reduce_scatter sum {{.+}} {task.kernel = [[REDUCED]] : i64}
    // ALL: dist.all_reduce sum {{.+}} over <axes [tp]> {task.kernel = {{.+}} : i64}
    // ALL: dist.all_gather {{.+}} {task.kernel = [[GATHERED:.+]] : i64}
    // ALL: dist.all_gather {{.+}} {task.kernel = [[GATHERED]] : i64}
    // ALL-NOT: dist.all_gather {{.+}} {task.kernel = [[GATHERED]] : i64}
    // ALL: dist.all_gather {{.+}} {task.kernel = {{.+}} : i64}
    %0 = dist.reduce_scatter sum %ga axis = 0 over <axes [dp]> : tensor<4x4xf32> to tensor<2x4xf32>
    %1 = dist.reduce_scatter sum %gb axis = 0 over <axes [dp]> : tensor<4x4xf32> to tensor<2x4xf32>
    %2 = dist.reduce_scatter sum %gc axis = 0 over <axes [dp]> : tensor<4x4xf32> to tensor<2x4xf32>
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<2x4xf32>
    %4 = graph.exp %0 : tensor<2x4xf32>
    %5 = graph.exp %1 : tensor<2x4xf32>
    %6 = graph.exp %3 : tensor<2x4xf32>
    %7 = dist.all_gather %4 axis = 0 over <axes [dp]> : tensor<2x4xf32> to tensor<4x4xf32>
    %8 = dist.all_gather %5 axis = 0 over <axes [dp]> : tensor<2x4xf32> to tensor<4x4xf32>
    %9 = dist.all_gather %6 axis = 0 over <axes [dp]> : tensor<2x4xf32> to tensor<4x4xf32>
    return %7, %8, %9 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Numbers of the user take precedence: "a" and "c" are fused, "b" has no partner, and neither have
// collectives that belong to no parameter.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<4xf32> init(<zeros>) {dist.fusion = 7 : i64}
  graph.parameter @b : tensor<4xf32> init(<zeros>) {dist.fusion = 0 : i64}
  graph.parameter @c : tensor<4xf32> init(<zeros>) {dist.fusion = 7 : i64}
  // CHECK-LABEL: func.func @forward_backward
  func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<4xf32> {graph.role = #graph.role<gradient "a">},
          tensor<4xf32> {graph.role = #graph.role<gradient "b">},
          tensor<4xf32> {graph.role = #graph.role<gradient "c">},
          tensor<4xf32> {graph.role = #graph.role<output "y">}) {
    // CHECK: dist.all_reduce max {{.+}} {dist.fusion = 1 : i64, task.kernel = [[N:.+]] : i64}
    // CHECK: dist.all_reduce max {{.+}} {dist.fusion = 1 : i64, task.kernel = [[N]] : i64}
    %0 = dist.all_reduce max %x {dist.fusion = 1 : i64} : tensor<4xf32>
    %1 = graph.exp %x : tensor<4xf32>
    %2 = dist.all_reduce max %1 {dist.fusion = 1 : i64} : tensor<4xf32>
    %3 = graph.add %0, %2 : tensor<4xf32>
    return %1, %1, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // CHECK-LABEL: func.func @update
  func.func @update(%ga: tensor<4xf32> {graph.role = #graph.role<gradient "a">},
                    %gb: tensor<4xf32> {graph.role = #graph.role<gradient "b">},
                    %gc: tensor<4xf32> {graph.role = #graph.role<gradient "c">})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "a">},
          tensor<4xf32> {graph.role = #graph.role<parameter "b">},
          tensor<4xf32> {graph.role = #graph.role<parameter "c">}) {
    // CHECK: dist.all_reduce sum {{.+}} {task.kernel = 1 : i64}
    // CHECK: dist.all_reduce sum {{.+}} {task.kernel = 0 : i64}
    // CHECK: dist.all_reduce sum {{.+}} {task.kernel = 1 : i64}
    %0 = dist.all_reduce sum %ga : tensor<4xf32>
    %1 = dist.all_reduce sum %gb : tensor<4xf32>
    %2 = dist.all_reduce sum %gc : tensor<4xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
