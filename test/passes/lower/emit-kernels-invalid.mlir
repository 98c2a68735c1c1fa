// RUN: pcc-opt %s --split-input-file --lower-emit-kernels --verify-diagnostics

// A matmul is an instruction, not a kernel.
// expected-error @below {{"product" is no kernel: expected one block, and in "task.form" loops of the form map, rows, columns or scatter}}
func.func private @product(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {task.form = #task.form<matmul 16 x 1>} {
  %0 = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Neither is an attention, whatever its ops are.
// expected-error @below {{"attention" is no kernel: expected one block, and in "task.form" loops of the form map, rows, columns or scatter}}
func.func private @attention(%x: tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<attention 4 x 1>} {
  %0 = graph.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Nothing to loop over.
// expected-error @below {{"declaration" is no kernel}}
func.func private @declaration(tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<map 4 x 1>}

// -----

// A composite op.
func.func private @whole(%x: tensor<4x10xf32>) -> tensor<4x10xf32> attributes {task.form = #task.form<rows 4 x 10>} {
  // expected-error @below {{has no code in a kernel of the form "rows"}}
  %0 = graph.softmax %x axis = 1 : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

// A kernel has no result but that of its scatter.
func.func private @inside(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<4xf32> attributes {task.form = #task.form<map 4 x 1>} {
  // expected-error @below {{has no code in a kernel of the form "map"}}
  %0 = graph.scatter_add %x, %i, %u axis = 0 : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %1 = graph.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{"nothing_added" is no kernel: expected a "scatter_add" or "max_pool_gradient" as its only result}}
func.func private @nothing_added(%x: tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<scatter 1 x 4>} {
  %0 = graph.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
