// RUN: pcc-opt %s --split-input-file --lower-emit-gpu-kernels --verify-diagnostics

// Integer matmuls are kernels, never instructions.
task.program @main attributes {persistent_bytes = 0, temporary_bytes = 192, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" temporary offset = 0 : memref<2x2xi32>
  %1 = task.buffer "b" temporary offset = 64 : memref<2x2xi32>
  %2 = task.buffer "c" temporary offset = 128 : memref<2x2xi32>
  task.section @forward {
    // expected-error @below {{expected a matmul of f32, f16 or bf16, got one of 'i32'}}
    task.matmul %0, %1 into %2 batch = 1 m = 2 n = 2 k = 2 : memref<2x2xi32>, memref<2x2xi32>, memref<2x2xi32>
  }
}

// -----

// A composite op.
func.func private @whole(%x: tensor<4x10xf32>) -> tensor<4x10xf32> attributes {task.form = #task.form<rows 4 x 10>} {
  // expected-error @below {{has no code in a kernel of the form "rows"}}
  %0 = graph.softmax %x axis = 1 : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}
