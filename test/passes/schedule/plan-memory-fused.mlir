// RUN: pcc-opt %s --split-input-file --schedule-plan-memory | FileCheck %s

// Two fused reductions: each is written over its operand, unless the other one reads the same
// operand. Each buffer is in use until somebody waits for its own reduction.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  // CHECK-LABEL: func.func @together
  func.func @together(%x: tensor<16xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
    // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + [[A:[0-9]+]]>
    %a = graph.exp %x {task.kernel = 0} : tensor<16xf32>
    // CHECK: graph.neg {{.*}}task.place = #task.place<temporary + [[B:[0-9]+]]>
    %b = graph.neg %x {task.kernel = 1} : tensor<16xf32>
    // CHECK: dist.all_reduce {{.*}}task.place = #task.place<temporary + [[A]]>
    %0 = dist.all_reduce sum %a {task.kernel = 2} : tensor<16xf32>
    // CHECK: dist.all_reduce {{.*}}task.place = #task.place<temporary + [[B]]>
    %1 = dist.all_reduce sum %b {task.kernel = 2} : tensor<16xf32>
    %2 = graph.exp %0 {task.kernel = 3} : tensor<16xf32>
    %3 = graph.add %1, %2 {task.kernel = 4} : tensor<16xf32>
    return %3 : tensor<16xf32>
  }
  // CHECK-LABEL: func.func @twice
  func.func @twice(%x: tensor<16xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<collective 1 x 1>, #task.form<map 16 x 1>]} {
    // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + [[A:[0-9]+]]>
    %a = graph.exp %x {task.kernel = 0} : tensor<16xf32>
    // CHECK-NOT: dist.all_reduce {{.*}}task.place = #task.place<temporary + [[A]]>
    %0 = dist.all_reduce sum %a {task.kernel = 1} : tensor<16xf32>
    %1 = dist.all_reduce max %a {task.kernel = 1} : tensor<16xf32>
    // CHECK: graph.add
    %2 = graph.add %0, %1 {task.kernel = 2} : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}

// -----

// Two parameters that are added in the same way have one gradient. Its two fused reductions are not written over it.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  // CHECK-LABEL: func.func @forward_backward
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "a">}, tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + [[$A:[0-9]+]]>
    %a = graph.exp %x {task.kernel = 0} : tensor<16xf32>
    return %a, %a : tensor<16xf32>, tensor<16xf32>
  }
  // CHECK-LABEL: func.func @update
  func.func @update(%a: tensor<16xf32> {graph.role = #graph.role<gradient "a">},
                    %b: tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      -> (tensor<16xf32> {graph.role = #graph.role<output "a">}, tensor<16xf32> {graph.role = #graph.role<output "b">})
      attributes {task.forms = [#task.form<collective 1 x 1>]} {
    // CHECK-NOT: dist.all_reduce {{.*}}task.place = #task.place<temporary + [[$A]]>
    %0 = dist.all_reduce sum %a {task.kernel = 0} : tensor<16xf32>
    %1 = dist.all_reduce sum %b {task.kernel = 0} : tensor<16xf32>
    // CHECK: return
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}
