// RUN: pcc-opt %s --pass-pipeline='builtin.module(schedule-plan-memory,schedule-verify-memory,lower-to-task)' | FileCheck %s

// Kernels of two sections run in the last action of a third one, in the order of its kernels. The
// section that comes first has the kernel that runs last.
// CHECK: task.section @forward_backward {
// CHECK-NEXT: task.launch @kernel{{.*}}exp
// CHECK-NEXT: task.all_reduce
// CHECK-NEXT: task.launch @kernel{{.*}}neg
// CHECK-NEXT: task.all_reduce
// CHECK-NOT: task.all_reduce
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<16xf32> init(#graph.init<zeros>)
  graph.parameter @b : tensor<16xf32> init(#graph.init<zeros>)
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, dist.sharding = #dist.sharding<[dp]>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "b">, dist.sharding = #dist.sharding<[_] partial(sum: dp)>},
          tensor<16xf32> {graph.role = #graph.role<gradient "a">, dist.sharding = #dist.sharding<[_] partial(sum: dp)>})
      attributes {dist.local, task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64} : tensor<16xf32>
    %1 = graph.neg %x {task.kernel = 1 : i64} : tensor<16xf32>
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
  func.func @update_a(%a: tensor<16xf32> {graph.role = #graph.role<parameter "a">}, %g: tensor<16xf32> {graph.role = #graph.role<gradient "a">})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "a">})
      attributes {task.hoisted = [[@forward_backward, 1]], task.forms = [#task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64} : tensor<16xf32>
    %1 = graph.sub %a, %0 {task.kernel = 1 : i64} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func @update_b(%b: tensor<16xf32> {graph.role = #graph.role<parameter "b">}, %g: tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "b">})
      attributes {task.hoisted = [[@forward_backward, 0]], task.forms = [#task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64} : tensor<16xf32>
    %1 = graph.sub %b, %0 {task.kernel = 1 : i64} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update_a
    pipe.action @update_b
  }
}
