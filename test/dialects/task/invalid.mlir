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
    // expected-error @below {{expected one record to signal event 0, got two}}
    task.fill %0 {signals = array<i32: 0>} : memref<2xf32>
  }
}

// -----

// T6.
task.program @p attributes {persistent_bytes = 0, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  // expected-error @below {{expected a section of the program, got @missing}}
  task.slot @missing microbatch = 0 copy = 0
}

// -----

// T7.
task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = 0, input_bytes = 0} {
  %0 = task.buffer "w" persistent offset = 0 : memref<2x2xf32>
  task.section @s {
    // expected-error @below {{expected "b" of [1, 2, 3] elements, got 4}}
    task.matmul %0, %0 into %0 batch = 1 m = 2 n = 3 k = 2 : memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>
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
    // expected-error @below {{expected an accumulator of f32, got 'f16'}}
    task.accumulate %0 into %1 : memref<2xf16>, memref<2xf16>
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

// A rank expression without an entry is none.
// expected-error @below {{expected one entry for each rank, got none}}
module attributes {test.rank = #task.rank<[]>} {
}
