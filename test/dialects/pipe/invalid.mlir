// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// Slots run functions that exist.
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  // expected-error @below {{expected a function called "update"}}
  pipe.slot @update
}

// -----

// Indices are in range.
func.func private @f()
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  // expected-error @below {{expected "microbatch" from 0 to 1, got 2}}
  pipe.slot @f microbatch = 2 copy = 0
}

// -----

func.func private @f()
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  // expected-error @below {{expected "copy" from 0 to 0, got 1}}
  pipe.slot @f microbatch = 0 copy = 1
}

// -----

// No slot runs twice.
func.func private @f()
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  pipe.slot @f microbatch = 0 copy = 0
  // expected-error @below {{runs section "f" a second time}}
  pipe.slot @f microbatch = 0 copy = 0
}

// -----

// expected-error @below {{expected at least one microbatch and one copy, got 0 and 1}}
pipe.step @train micro_batches = 0 copies = 1 micro_reduction = sum {
}

// -----

pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  // expected-error @below {{expected only slots in a step}}
  %0 = graph.constant dense<0.0> : tensor<f32>
}

// -----

// expected-error @below {{expected result 0 to be a tensor of floats, which can be accumulated}}
func.func private @f() -> (tensor<4xi64> {pipe.accumulate = #pipe.accumulate<scale = 1.0>})

// -----

// expected-error @below {{expected "pipe.accumulate" of result 0 to be an accumulation, got 1 : i64}}
func.func private @f() -> (tensor<4xf32> {pipe.accumulate = 1})
