// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// Every op and attribute is printed as it is parsed.
// CHECK-LABEL: task.program @train
task.program @train attributes {persistent_bytes = 64, temporary_bytes = 128, constant_bytes = 64, input_bytes = 64, micro_batches = 2 : i64} {
  // CHECK: %[[W:.*]] = task.buffer "w" persistent offset = 0 : memref<4x4xf32>
  %w = task.buffer "w" persistent offset = 0 : memref<4x4xf32>
  %x = task.buffer "x" input offset = 0 : memref<4x4xf32>
  %t = task.buffer "t" temporary offset = 64 : memref<4x4xf32>
  %i = task.view %t offset = 0 : memref<4x4xf32> to memref<1x1x4x4xf32>
  %k = task.view %t offset = 0 : memref<4x4xf32> to memref<1x1x2x2xf32>
  %r = task.view %w offset = 0 : memref<4x4xf32> to memref<1x1x3x3xf32>
  %sums = task.view %t offset = 0 : memref<4x4xf32> to memref<1x1x4xf32>
  %row = task.view %t offset = 0 : memref<4x4xf32> to memref<1x1x1x4xf32>
  %one = task.view %t offset = 0 : memref<4x4xf32> to memref<f32>
  // CHECK: task.buffer "c" constant offset = 0 {value = dense<[1, 2]> : tensor<2xi64>}
  %c = task.buffer "c" constant offset = 0 {value = dense<[1, 2]> : tensor<2xi64>} : memref<2xi64>
  // CHECK: task.view %{{.*}} offset = 8
  %v = task.view %c offset = 8 : memref<2xi64> to memref<i64>
  // CHECK: task.parameter @w in %[[W]] <[16, 4] at <0 + dp * 4>, <0>>
  task.parameter @w in %w <[16, 4] at <0 + dp * 4>, <0>> : memref<4x4xf32>
  // CHECK: task.input "x" in
  task.input "x" in %x <[4, 4]> : memref<4x4xf32>
  // CHECK: task.result loss "loss" in %{{.*}} <[]> of @s {accumulated, partial_axes = ["dp"], scale = 5.000000e-01 : f64}
  task.result loss "loss" in %v <[]> of @s {accumulated, partial_axes = ["dp"], scale = 0.5 : f64} : memref<i64>
  task.section @s {
    // CHECK: task.matmul %{{.*}}, %{{.*}} into %{{.*}} batch = 1 m = 4 n = 4 k = 4 {accumulation = #task<accumulation add_after_first>, transpose_a}
    task.matmul %x, %w into %t batch = 1 m = 4 n = 4 k = 4 {accumulation = #task<accumulation add_after_first>, transpose_a} : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
    // CHECK: task.convolution weight_gradient %[[I:.*]], %[[K:.*]], %[[R:.*]] strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
    task.convolution weight_gradient %i, %k, %r strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
    // CHECK: task.convolution forward %[[I]], %[[K]], %[[R]] bias %{{.*}} : memref<f32> strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] {activation = #task<activation relu>}
    task.convolution forward %i, %k, %r bias %one : memref<f32> strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] {activation = #task<activation relu>} : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
    // CHECK: task.attention %[[A:.*]], %[[A]], %[[A]], %{{.*}}, %{{.*}} mask %{{.*}} : memref<1x1x1x4xf32> offset %{{.*}} : memref<i64> gradients %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}} scale = 5.000000e-01 {causal} : memref<1x1x4x4xf32>
    task.attention %i, %i, %i, %i, %sums mask %row : memref<1x1x1x4xf32> offset %v : memref<i64> gradients %i, %i, %i, %i : memref<1x1x4x4xf32>, memref<1x1x4x4xf32>, memref<1x1x4x4xf32>, memref<1x1x4x4xf32> scale = 0.5 {causal} : memref<1x1x4x4xf32>, memref<1x1x4x4xf32>, memref<1x1x4x4xf32>, memref<1x1x4x4xf32>, memref<1x1x4xf32>
    // CHECK: task.launch @k(%{{.*}}) scalars [#task.scalar<<0 + dp * 1>>, #task.scalar<<[3, 1]>, first>] trip = 3
    task.launch @k(%t) scalars [#task.scalar<<0 + dp * 1>>, #task.scalar<<[3, 1]>, first>] trip = 3 : memref<4x4xf32>
    // CHECK: task.all_reduce %{{.*}} into %{{.*}} groups = dense<{{.*}}> : tensor<2x2xi64> {reduction = #task<reduction sum>, signals = array<i32: 0>}
    task.all_reduce %t into %t groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64> {reduction = #task<reduction sum>, signals = array<i32: 0>} : memref<4x4xf32>, memref<4x4xf32>
    // CHECK: task.copy {{.*}} {waits = array<i32: 0>}
    task.copy %t into %w {waits = array<i32: 0>} : memref<4x4xf32>, memref<4x4xf32>
  }
  // CHECK: task.action @s microbatch = 1 copy = 0
  task.action @s microbatch = 1 copy = 0
}
