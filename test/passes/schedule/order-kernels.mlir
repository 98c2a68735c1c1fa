// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(schedule-assign-kernels),schedule-order-kernels{cluster=2xV100})' | FileCheck %s
// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(schedule-assign-kernels),schedule-order-kernels{cluster=2xV100})' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two copies of two layers: the second copy is computed while the sum of the first is under way.

// REMARK: order-kernels {{.*}}Function=interleaved | bound_us=1.00{{[0-9]+}}e+03, found_us=1.04{{[0-9]+}}e+03, given_us=1.13{{[0-9]+}}e+03
// CHECK-LABEL: func.func @interleaved
// CHECK: graph.matmul %arg0, %arg2 {task.kernel = 0 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg2 {task.kernel = 4 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 5 : i64
// CHECK: graph.matmul %arg1, %arg2 {task.kernel = 2 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 3 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg2 {task.kernel = 6 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 7 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @interleaved(%x: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">, pipe.copy = 0 : i64},
                         %y: tensor<1024x1024xf32> {graph.role = #graph.role<input "x">, pipe.copy = 1 : i64},
                         %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %0 = graph.matmul %x, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<1024x1024xf32>
    %2 = graph.matmul %1, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %3 = dist.all_reduce sum %2 over <axes [tp]> : tensor<1024x1024xf32>
    %4 = graph.matmul %y, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %5 = dist.all_reduce sum %4 over <axes [tp]> : tensor<1024x1024xf32>
    %6 = graph.matmul %5, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %7 = dist.all_reduce sum %6 over <axes [tp]> : tensor<1024x1024xf32>
    return %3, %7 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 2 micro_reduction = sum {
    pipe.slot @interleaved microbatch = 0
  }
}

// -----

// What nothing waits for, the gradient of a weight, is computed while others wait for a sum.

// REMARK: order-kernels {{.*}}Function=backward | bound_us=7.5{{[0-9]+}}e+02, found_us=7.5{{[0-9]+}}e+02, given_us=7.9{{[0-9]+}}e+02
// CHECK-LABEL: func.func @backward
// CHECK: graph.matmul %arg0, %arg0 {task.kernel = 2 : i64}
// CHECK: graph.matmul %arg0, %arg1 {task.kernel = 0 : i64}
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
// CHECK: graph.matmul %{{[0-9]+}}, %arg1 {task.kernel = 3 : i64}
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @backward(%g: tensor<1024x1024xf32> {graph.role = #graph.role<input "g">},
                      %w: tensor<1024x1024xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) attributes {dist.local} {
    %1 = graph.matmul %g, %g : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %0 = graph.matmul %g, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    %2 = dist.all_reduce sum %0 over <axes [tp]> : tensor<1024x1024xf32>
    %3 = graph.matmul %2, %w : tensor<1024x1024xf32>, tensor<1024x1024xf32>
    return %1, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.slot @backward microbatch = 0 copy = 0
  }
}

// -----

// One lane is kept busy already: nothing changes.

// REMARK: order-kernels {{.*}}Function=alone | bound_us=[[US:[0-9.e+]+]], found_us=[[US]], given_us=[[US]]
// CHECK-LABEL: func.func @alone
// CHECK: graph.matmul {{.*}}task.kernel = 0 : i64
// CHECK: dist.all_reduce {{.*}}task.kernel = 1 : i64
module attributes {dist.mesh = #dist.mesh<tp=2>} {
  func.func @alone(%x: tensor<64x64xf32> {graph.role = #graph.role<input "x">}) -> tensor<64x64xf32> attributes {dist.local} {
    %0 = graph.matmul %x, %x : tensor<64x64xf32>, tensor<64x64xf32>
    %1 = dist.all_reduce sum %0 over <axes [tp]> : tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.slot @alone microbatch = 0 copy = 0
  }
}
