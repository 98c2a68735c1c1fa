// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// P6: actions run functions that exist.
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  // expected-error @below {{expected a function with a body called "update"}}
  pipe.action @update
}

// -----

// P6: a declaration is nothing to run.
func.func private @update()
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  // expected-error @below {{expected a function with a body called "update"}}
  pipe.action @update
}

// -----

// P5: indices are in range.
func.func @f() {
  return
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  // expected-error @below {{expected "microbatch" from 0 to 1, got 2}}
  pipe.action @f microbatch = 2 copy = 0
}

// -----

func.func @f() {
  return
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  // expected-error @below {{expected "copy" from 0 to 0, got 1}}
  pipe.action @f microbatch = 0 copy = 1
}

// -----

// P3: no slot runs twice.
func.func @f() {
  return
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  pipe.action @f microbatch = 0 copy = 0
  // expected-error @below {{runs section "f" a second time}}
  pipe.action @f microbatch = 0 copy = 0
}

// -----

// P5: a copy of a microbatch.
func.func @f() {
  return
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = mean {
  // expected-error @below {{expected a microbatch beside the copy}}
  pipe.action @f copy = 0
}

// -----

// P4: actions are for one copy, or all for all copies.
func.func @f() {
  return
}
func.func @g() {
  return
}
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = mean {
  pipe.action @f microbatch = 0
  // expected-error @below {{expected all actions of microbatches to be for all copies as the first one is}}
  pipe.action @g microbatch = 0 copy = 0
}

// -----

// P4: all copies of a microbatch are missing.
func.func @f() {
  return
}
// expected-error @below {{expected section "f" to run once, or once for each of 2 microbatches, got 1 such actions}}
pipe.step @train micro_batches = 2 copies = 2 micro_reduction = mean {
  pipe.action @f microbatch = 1
}

// -----

// P10: copies are numbered from 0.
// expected-error @below {{expected "pipe.copy" of argument 0 to be the number of a copy, got -1 : i64}}
func.func private @f(tensor<4xf32> {pipe.copy = -1 : i64})

// -----

// P4: a microbatch is missing.
func.func @f() {
  return
}
// expected-error @below {{expected section "f" to run once, or once for each of 2 microbatches of 2 copies, got 3 such actions}}
pipe.step @train micro_batches = 2 copies = 2 micro_reduction = mean {
  pipe.action @f microbatch = 0 copy = 0
  pipe.action @f microbatch = 0 copy = 1
  pipe.action @f microbatch = 1 copy = 0
}

// -----

// P4: a section runs for each microbatch or for all of them.
func.func @f() {
  return
}
// expected-error @below {{expected section "f" to run once, or once for each of 1 microbatches of 1 copies, got 1 such actions and one for all}}
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = mean {
  pipe.action @f microbatch = 0 copy = 0
  pipe.action @f
}

// -----

// P1
// expected-error @below {{expected at least one microbatch and one copy, got 0 and 1}}
pipe.step @train micro_batches = 0 copies = 1 micro_reduction = sum {
}

// -----

// P2
pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
  // expected-error @below {{expected only actions in a step}}
  %0 = graph.constant dense<0.0> : tensor<f32>
}

// -----

// P7: what is accumulated is floats.
// expected-error @below {{expected result 0 to be a tensor of floats, which can be accumulated}}
func.func private @f() -> (tensor<4xi64> {pipe.accumulate = #pipe.accumulate<scale = 1.0>})

// -----

// P7: the mark is an accumulation.
// expected-error @below {{expected "pipe.accumulate" of result 0 to be an accumulation, got 1 : i64}}
func.func private @f() -> (tensor<4xf32> {pipe.accumulate = 1})
