// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected "b" of [1, 2, 3] elements, got 4}}
    task.matmul %0, %0 into %0 batch = 1 m = 2 n = 3 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: gelu's gradient reads the pre-activation.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected a gradient of gelu to have "pre_activation", and neither a bias nor an accumulation}}
    task.matmul %0, %0 into %0 batch = 1 m = 2 n = 2 k = 2 {activation = #task<activation gelu_gradient>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: nothing else has it.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected "pre_activation" beside gelu or its gradient, without accumulation}}
    task.matmul %0, %0 into %0 pre_activation %0 : memref<2x2xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: sums of operands.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "v" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected one sum of an operand, of a matmul without bias, activation and shared operand}}
    task.matmul %0, %0 into %0 sum_of_a %1 : memref<2xf32> sum_of_b %1 : memref<2xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7: a bias of another type.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf16>
  task.section @s {
    // expected-error @below {{expected "bias" of the type of "c", 'f32', got 'f16'}}
    task.matmul %0, %0 into %0 bias %1 : memref<2xf16> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7: so is the pre-activation.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2x2xbf16>
  task.section @s {
    // expected-error @below {{expected "pre_activation" of the type of "c", 'f32', got 'bf16'}}
    task.matmul %0, %0 into %0 pre_activation %1 : memref<2x2xbf16> batch = 1 m = 2 n = 2 k = 2 {activation = #task<activation gelu>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7: so sums.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf16>
  task.section @s {
    // expected-error @below {{expected "sum_of_a" of the type of "c", 'f32', got 'f16'}}
    task.matmul %0, %0 into %0 sum_of_a %1 : memref<2xf16> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf16>
  task.section @s {
    // expected-error @below {{expected "sum_of_b" of the type of "c", 'f32', got 'f16'}}
    task.matmul %0, %0 into %0 sum_of_b %1 : memref<2xf16> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7: counts.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<3xf32>
  task.section @s {
    // expected-error @below {{expected "bias" of [2] elements, got 3}}
    task.matmul %0, %0 into %0 bias %1 : memref<3xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected "pre_activation" of [1, 2, 2] elements, got 2}}
    task.matmul %0, %0 into %0 pre_activation %1 : memref<2xf32> batch = 1 m = 2 n = 2 k = 2 {activation = #task<activation gelu>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<3xf32>
  task.section @s {
    // expected-error @below {{expected "sum_of_a" of [2] elements, got 3}}
    task.matmul %0, %0 into %0 sum_of_a %1 : memref<3xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<3xf32>
  task.section @s {
    // expected-error @below {{expected "sum_of_b" of [2] elements, got 3}}
    task.matmul %0, %0 into %0 sum_of_b %1 : memref<3xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: a gradient with a bias.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected a gradient of gelu to have "pre_activation", and neither a bias nor an accumulation}}
    task.matmul %0, %0 into %0 bias %1 : memref<2xf32> pre_activation %0 : memref<2x2xf32> batch = 1 m = 2 n = 2 k = 2 {activation = #task<activation gelu_gradient>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: a gradient that accumulates.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected a gradient of gelu to have "pre_activation", and neither a bias nor an accumulation}}
    task.matmul %0, %0 into %0 pre_activation %0 : memref<2x2xf32> batch = 1 m = 2 n = 2 k = 2 {accumulation = #task<accumulation add>, activation = #task<activation gelu_gradient>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: so gelu that keeps.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected "pre_activation" beside gelu or its gradient, without accumulation}}
    task.matmul %0, %0 into %0 pre_activation %0 : memref<2x2xf32> batch = 1 m = 2 n = 2 k = 2 {accumulation = #task<accumulation add>, activation = #task<activation gelu>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: a sum beside a bias.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected one sum of an operand, of a matmul without bias, activation and shared operand}}
    task.matmul %0, %0 into %0 bias %1 : memref<2xf32> sum_of_a %1 : memref<2xf32> batch = 1 m = 2 n = 2 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: beside an activation.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected one sum of an operand, of a matmul without bias, activation and shared operand}}
    task.matmul %0, %0 into %0 sum_of_b %1 : memref<2xf32> batch = 1 m = 2 n = 2 k = 2 {activation = #task<activation relu>} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T19: of one with one b for all.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "b0" persistent offset = 0 : memref<2x2xf32>
  %1 = task.buffer "b1" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected one sum of an operand, of a matmul without bias, activation and shared operand}}
    task.matmul %0, %0 into %0 sum_of_b %1 : memref<2xf32> batch = 1 m = 2 n = 2 k = 2 {shared_b} : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}

// -----

// T7: sizes whose product alone is right.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected "a" of [1, -2, -2] elements, got 4}}
    task.matmul %0, %0 into %0 batch = 1 m = -2 n = -2 k = -2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
  }
}
