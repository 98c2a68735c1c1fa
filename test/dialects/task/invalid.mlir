// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// T1.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  // expected-error @below {{expected an offset that is a multiple of 64 bytes, got 8}}
  %0 = task.buffer "w" persistent offset = 8 : memref<2xf32>
}

// -----

// T2.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 64, input_bytes = 0} {
  // expected-error @below {{expected a value in constant buffers and only there, got none in space "constant"}}
  %0 = task.buffer "c" constant offset = 0 : memref<2xf32>
}

// -----

// T2: of its size.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 0, constant_bytes = 64, input_bytes = 0} {
  // expected-error @below {{expected a value of 8 bytes, got 12}}
  %0 = task.buffer "c" constant offset = 0 {value = dense<1.0> : tensor<3xf32>} : memref<2xf32>
}

// -----

// T3.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<4xf32>
  // expected-error @below {{expected a part of the 16 bytes of the source, got 16 bytes from 8 on}}
  %1 = task.view %0 offset = 8 : memref<4xf32> to memref<4xf32>
}

// -----

// T3: an end that would overflow.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<4xf32>
  // expected-error @below {{expected a part of the 16 bytes of the source, got 8 bytes from 9223372036854775807 on}}
  %1 = task.view %0 offset = 9223372036854775807 : memref<4xf32> to memref<2xf32>
}

// -----

// T4: an end that would overflow.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  // expected-error @below {{expected a range inside the 64 bytes of space "persistent", got 128 bytes from 9223372036854775744 on}}
  %0 = task.buffer "w" persistent offset = 9223372036854775744 : memref<32xf32>
}

// -----

// T4.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  // expected-error @below {{expected a range inside the 64 bytes of space "persistent", got 8 bytes from 64 on}}
  %0 = task.buffer "w" persistent offset = 64 : memref<2xf32>
}

// -----

// T5.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-note @below {{the other one}}
    task.fill %0 {signals = array<i32: 0>} : memref<2xf32>
    // expected-error @below {{expected one instruction to signal event 0, got two}}
    task.fill %0 {signals = array<i32: 0>} : memref<2xf32>
  }
}

// -----

// T6.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  // expected-error @below {{expected a section of the program, got @missing}}
  task.action @missing microbatch = 0 copy = 0
}

// -----

// T17.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 64, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" temporary offset = 0 : memref<2xf32>
  // expected-error @below {{expected "last_of" to be another section of the program, got @missing}}
  task.section @a last_of @missing {
    task.fill %0 : memref<2xf32>
  }
}

// -----

// T17: itself.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 64, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" temporary offset = 0 : memref<2xf32>
  // expected-error @below {{expected "last_of" to be another section of the program, got @a}}
  task.section @a last_of @a {
    task.fill %0 : memref<2xf32>
  }
}

// -----

// T18: of the same groups.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 128, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" temporary offset = 0 : memref<2xf32>
  %1 = task.buffer "b" temporary offset = 64 : memref<2xf32>
  task.section @a {
    task.all_reduce %0 into %0 groups = dense<[[0, 1]]> : tensor<1x2xi64> {reduction = #task<reduction sum>} : memref<2xf32>, memref<2xf32>
    // expected-error @below {{expected a collective of the same kind, stream, groups, reduction and type before what is fused}}
    task.all_reduce %1 into %1 groups = dense<[[0], [1]]> : tensor<2x1xi64> {fused, reduction = #task<reduction sum>} : memref<2xf32>, memref<2xf32>
  }
}

// -----

// T18: the first of a section.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 64, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" temporary offset = 0 : memref<2xf32>
  task.section @a {
    // expected-error @below {{expected a collective of the same kind, stream, groups, reduction and type before what is fused}}
    task.all_reduce %0 into %0 groups = dense<[[0, 1]]> : tensor<1x2xi64> {fused, reduction = #task<reduction sum>} : memref<2xf32>, memref<2xf32>
  }
}

// -----

// T8.
task.program @p attributes {persistent_bytes = 128, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" persistent offset = 0 : memref<2xf32>
  %1 = task.buffer "b" persistent offset = 64 : memref<3xf32>
  task.section @s {
    // expected-error @below {{expected buffers of equal size, got 8 and 12 bytes}}
    task.copy %0 into %1 : memref<2xf32>, memref<3xf32>
  }
}

// -----

// T9.
task.program @p attributes {persistent_bytes = 128, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" persistent offset = 0 : memref<2xf16>
  %1 = task.buffer "b" persistent offset = 64 : memref<2xf16>
  task.section @s {
    // expected-error @below {{expected an accumulator of 'f32', got 'f16'}}
    task.accumulate %0 into %1 : memref<2xf16>, memref<2xf16>
  }
}

// -----

// T9: sums of f64 are f64.
task.program @p attributes {persistent_bytes = 128, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" persistent offset = 0 : memref<2xf64>
  %1 = task.buffer "b" persistent offset = 64 : memref<2xf32>
  task.section @s {
    // expected-error @below {{expected an accumulator of 'f64', got 'f32'}}
    task.accumulate %0 into %1 : memref<2xf64>, memref<2xf32>
  }
}

// -----

// T9: as many elements as the source.
task.program @p attributes {persistent_bytes = 128, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "a" persistent offset = 0 : memref<2xf16>
  %1 = task.buffer "b" persistent offset = 64 : memref<3xf32>
  task.section @s {
    // expected-error @below {{expected an accumulator of 2 elements, got 3}}
    task.accumulate %0 into %1 : memref<2xf16>, memref<3xf32>
  }
}

// -----

// A rank expression needs at least one entry.
// expected-error @below {{expected one entry for each rank, got none}}
module attributes {test.rank = #task.rank<[]>} {
}

// -----

// T13: ranks.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x1x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  %0 = task.view %r offset = 0 : memref<1x1x3x3xf32> to memref<3x3xf32>
  task.section @s {
    // expected-error @below {{expected buffers of rank 4, got 4, 4 and 2}}
    task.convolution forward %i, %w, %0 strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<3x3xf32>
  }
}

// -----

// T13: windows.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x1x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  task.section @s {
    // expected-error @below {{expected 2 strides of at least 1, 4 paddings of at least 0 and 2 dilations of at least 1, got [1, 0], [0, 0, 0, 0] and [1, 1]}}
    task.convolution forward %i, %w, %r strides = [1, 0] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
  }
}

// -----

// T13: shapes.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x1x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  task.section @s {
    // expected-error @below {{expected shapes of a convolution, got [1, 1, 4, 4], [1, 1, 2, 2] and [1, 1, 3, 3]}}
    task.convolution forward %i, %w, %r strides = [2, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
  }
}

// -----

// T13: a weight of no elements.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x0x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  task.section @s {
    // expected-error @below {{expected shapes of a convolution, got [1, 1, 4, 4], [1, 0, 2, 2] and [1, 1, 3, 3]}}
    task.convolution forward %i, %w, %r strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x0x2x2xf32>, memref<1x1x3x3xf32>
  }
}

// -----

// T13: a rectifier is all that a convolution has behind it.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x1x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  task.section @s {
    // expected-error @below {{expected activation none or relu, got gelu}}
    task.convolution forward %i, %w, %r strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] {activation = #task<activation gelu>} : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
  }
}

// -----

// T13: the bias.
task.program @p attributes {persistent_bytes = 192, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %i = task.buffer "i" persistent offset = 0 : memref<1x1x4x4xf32>
  %w = task.buffer "w" persistent offset = 64 : memref<1x1x2x2xf32>
  %r = task.buffer "r" persistent offset = 128 : memref<1x1x3x3xf32>
  task.section @s {
    // expected-error @below {{expected a bias of 1 elements, got 4}}
    task.convolution forward %i, %w, %r bias %w : memref<1x1x2x2xf32> strides = [1, 1] padding = [0, 0, 0, 0] dilations = [1, 1] : memref<1x1x4x4xf32>, memref<1x1x2x2xf32>, memref<1x1x3x3xf32>
  }
}

// -----

// T14: positions stand first in all.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<1x3x2x2xf32>
  %k = task.buffer "k" persistent offset = 64 : memref<1x2x3x2xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x3xf32>
  task.section @s {
    // expected-error @below {{expected shapes of an attention, got [1, 3, 2, 2], [1, 2, 3, 2], [1, 2, 3, 2] into [1, 3, 2, 2]}}
    task.attention %q, %k, %k, %q, %l scale = 0.5 {positions_first} : memref<1x3x2x2xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>, memref<1x3x2x2xf32>, memref<1x2x3xf32>
  }
}

// -----

// T14: elements.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<1x2x2x2xf16>
  %k = task.buffer "k" persistent offset = 64 : memref<1x1x3x2xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x2xf32>
  %o = task.buffer "o" persistent offset = 192 : memref<i64>
  task.section @s {
    // expected-error @below {{expected buffers of one of f32, f16, bf16, and logarithms of f32}}
    task.attention %q, %k, %k, %q, %l scale = 0.5 : memref<1x2x2x2xf16>, memref<1x1x3x2xf32>, memref<1x1x3x2xf32>, memref<1x2x2x2xf16>, memref<1x2x2xf32>
  }
}

// -----

// T14: ranks.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<2x2x2xf32>
  %k = task.buffer "k" persistent offset = 64 : memref<1x1x3x2xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x2xf32>
  %o = task.buffer "o" persistent offset = 192 : memref<i64>
  task.section @s {
    // expected-error @below {{expected query, key and value of rank 4, got 3, 4 and 4}}
    task.attention %q, %k, %k, %q, %l scale = 0.5 : memref<2x2x2xf32>, memref<1x1x3x2xf32>, memref<1x1x3x2xf32>, memref<2x2x2xf32>, memref<1x2x2xf32>
  }
}

// -----

// T14: shapes.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<1x2x2x2xf32>
  %k = task.buffer "k" persistent offset = 64 : memref<1x1x3x1xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x2xf32>
  %o = task.buffer "o" persistent offset = 192 : memref<i64>
  task.section @s {
    // expected-error @below {{expected shapes of an attention, got [1, 2, 2, 2], [1, 1, 3, 1], [1, 1, 3, 1] into [1, 2, 2, 2]}}
    task.attention %q, %k, %k, %q, %l scale = 0.5 : memref<1x2x2x2xf32>, memref<1x1x3x1xf32>, memref<1x1x3x1xf32>, memref<1x2x2x2xf32>, memref<1x2x2xf32>
  }
}

// -----

// T14: the offset.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<1x2x2x2xf32>
  %k = task.buffer "k" persistent offset = 64 : memref<1x1x3x2xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x2xf32>
  %o = task.buffer "o" persistent offset = 192 : memref<1xi64>
  task.section @s {
    // expected-error @below {{expected an offset of one i64, got 'memref<1xi64>'}}
    task.attention %q, %k, %k, %q, %l offset %o : memref<1xi64> scale = 0.5 : memref<1x2x2x2xf32>, memref<1x1x3x2xf32>, memref<1x1x3x2xf32>, memref<1x2x2x2xf32>, memref<1x2x2xf32>
  }
}

// -----

// T14: gradients.
task.program @p attributes {persistent_bytes = 256, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %q = task.buffer "q" persistent offset = 0 : memref<1x2x2x2xf32>
  %k = task.buffer "k" persistent offset = 64 : memref<1x1x3x2xf32>
  %l = task.buffer "l" persistent offset = 128 : memref<1x2x2xf32>
  %o = task.buffer "o" persistent offset = 192 : memref<i64>
  task.section @s {
    // expected-error @below {{expected gradients of result, query, key and value, or none}}
    task.attention %q, %k, %k, %q, %l gradients %q, %q, %k : memref<1x2x2x2xf32>, memref<1x2x2x2xf32>, memref<1x1x3x2xf32> scale = 0.5 : memref<1x2x2x2xf32>, memref<1x1x3x2xf32>, memref<1x1x3x2xf32>, memref<1x2x2x2xf32>, memref<1x2x2xf32>
  }
}

// -----

// T15: a place is within what a space can be.
// expected-error @below {{expected bytes of one space, got an offset of -64 and 1 copies 0 bytes apart}}
func.func private @f(tensor<2xf32> {task.place = #task.place<temporary + -64>})

// -----

// expected-error @below {{expected bytes of one space, got an offset of 0 and 4 copies 4611686018427387904 bytes apart}}
func.func private @f(tensor<2xf32> {task.place = #task.place<temporary + 0, 4 x 4611686018427387904>})

// -----

// T5: any number may name an event.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %a = task.buffer "a" persistent offset = 0 : memref<2xf32>
  task.section @s {
    // expected-note @below {{the other one}}
    "task.launch"() <{kernel = @k, scalars = [], trip = 1 : i64}> {signals = array<i32: 2147483647>} : () -> ()
    // expected-error @below {{expected one instruction to signal event 2147483647, got two}}
    "task.launch"() <{kernel = @k, scalars = [], trip = 1 : i64}> {signals = array<i32: 5, 2147483647, -2147483648>} : () -> ()
  }
}

// -----

// T18: only collectives are fused.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  task.section @s {
    "task.launch"() <{kernel = @k, scalars = [], trip = 1 : i64}> : () -> ()
    // expected-error @below {{expected a collective of the same kind}}
    "task.launch"() <{kernel = @k, scalars = [], trip = 1 : i64}> {fused} : () -> ()
  }
}
