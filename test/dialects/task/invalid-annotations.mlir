// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// T10: the number of a kernel that the function does not have.
func.func @f(%x: tensor<8xf32>) attributes {task.forms = [#task.form<map 8 x 1>]} {
  // expected-error @below {{expected "task.kernel" to be the number of one of the 1 kernels in "task.forms", got 1 : i64}}
  %0 = graph.relu %x {task.kernel = 1} : tensor<8xf32>
  return
}

// -----

// T10: a function without kernels.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected "task.kernel" to be the number of one of the 0 kernels in "task.forms", got 0 : i64}}
  %0 = graph.relu %x {task.kernel = 0} : tensor<8xf32>
  return
}

// -----

// T11
// expected-error @below {{expected "task.forms" to be a list of forms, got [1]}}
func.func private @f() attributes {task.forms = [1]}

// -----

// T16
// expected-error @below {{expected "task.hoisted" to be a list of sections and kernels in them, for at most the 1 kernels in "task.forms", got [@g]}}
func.func private @f() attributes {task.hoisted = [@g], task.forms = [#task.form<map 8 x 1>]}

// -----

// T16: more than there are kernels.
// expected-error @below {{for at most the 0 kernels in "task.forms", got }}
func.func private @f() attributes {task.hoisted = [[@g, 0]]}

// -----

// T16: no kernel.
// expected-error @below {{for at most the 1 kernels in "task.forms", got }}
func.func private @f() attributes {task.hoisted = [[@g, -2]], task.forms = [#task.form<map 8 x 1>]}

// -----

// T12
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected "task.place" to be a place, got 64 : i64}}
  %0 = graph.relu %x {task.place = 64} : tensor<8xf32>
  return
}

// -----

// expected-error @below {{expected "task.place" of argument 0 to be a place, got 64 : i64}}
func.func private @f(tensor<8xf32> {task.place = 64})

// -----

// expected-error @below {{expected "task.place" of result 0 to be a place, got 64 : i64}}
func.func private @f() -> (tensor<8xf32> {task.place = 64})

// -----

// expected-error @below {{expected "task.bytes" to be bytes of each space, got 64 : i64}}
module attributes {task.bytes = 64} {
}

// -----

// T20
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{expected "task.matmul_group" to be the number of a matmul, got -1 : i64}}
  %0 = graph.matmul %x, %x {task.matmul_group = -1} : tensor<8x8xf32>, tensor<8x8xf32>
  return
}

// -----

// T20: not as wide as numbers of kernels.
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{expected "task.matmul_group" to be the number of a matmul, got 1 : i32}}
  %0 = graph.matmul %x, %x {task.matmul_group = 1 : i32} : tensor<8x8xf32>, tensor<8x8xf32>
  return
}

// -----

// T20
func.func @f(%x: tensor<1x2x2x2xf32>) {
  // expected-error @below {{expected "task.attention" to be the number of an attention, got "first"}}
  %0 = graph.transpose %x, [0, 2, 1, 3] {task.attention = "first"} : tensor<1x2x2x2xf32>
  return
}

// -----

// T20
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{expected "task.activation" to be gelu or its gradient, got 3 : i64}}
  %0 = graph.matmul %x, %x {task.activation = 3 : i64, task.matmul_group = 0} : tensor<8x8xf32>, tensor<8x8xf32>
  return
}

// -----

// T20: a rectifier is an op.
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{expected "task.activation" to be gelu or its gradient, got #task<activation relu>}}
  %0 = graph.matmul %x, %x {task.activation = #task<activation relu>, task.matmul_group = 0} : tensor<8x8xf32>, tensor<8x8xf32>
  return
}

// -----

// T20: of no instruction.
func.func @f(%x: tensor<8x8xf32>) {
  // expected-error @below {{expected "task.activation" beside "task.matmul_group"}}
  %0 = graph.matmul %x, %x {task.activation = #task<activation gelu>} : tensor<8x8xf32>, tensor<8x8xf32>
  return
}

// -----

// T20
// expected-error @below {{expected "task.tf32" without a value, on a module}}
module attributes {task.tf32 = true} {}

// -----

// T20: not on a function.
// expected-error @below {{expected "task.tf32" without a value, on a module}}
func.func private @f() attributes {task.tf32}

// -----

// T21: the op's own kernel.
func.func @f(%x: tensor<8xf32>) attributes {task.forms = [#task.form<map 8 x 1>, #task.form<map 8 x 1>]} {
  // expected-error @below {{expected "task.done" to be the number of a kernel behind the op's own in "task.forms", got 0 : i64}}
  %0 = graph.relu %x {task.done = 0 : i64, task.kernel = 0 : i64} : tensor<8xf32>
  return
}

// -----

// T21: no kernel.
func.func @f(%x: tensor<8xf32>) attributes {task.forms = [#task.form<map 8 x 1>, #task.form<map 8 x 1>]} {
  // expected-error @below {{expected "task.done" to be the number of a kernel behind the op's own in "task.forms", got 3 : i64}}
  %0 = graph.relu %x {task.done = 3 : i64, task.kernel = 0 : i64} : tensor<8xf32>
  return
}
