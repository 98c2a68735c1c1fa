// RUN: pcc-opt %s --split-input-file --schedule-verify-memory --verify-diagnostics

// A valid plan: "exp" is next to the matmul's result, and the sum is written over that result, which it reads last.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<matmul 16 x 1>, #task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  %1 = graph.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
  %2 = graph.matmul %1, %1 {task.kernel = 1 : i64, task.place = #task.place<temporary + 64>} : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = graph.reshape %2 : tensor<4x4xf32> to tensor<16xf32>
  %4 = graph.add %3, %0 {task.kernel = 2 : i64, task.place = #task.place<temporary + 64>} : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// The last bytes of a value that is read later are overwritten.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-note@+1 {{that is made here}}
  %1 = graph.neg %x {task.kernel = 1 : i64, task.place = #task.place<temporary + 32>} : tensor<16xf32>
  // expected-error@+1 {{in the action of number 0 of "forward" expected result 0 of 'graph.exp' of number 0 at temporary + 32, got result 0 of 'graph.neg' of number 0}}
  %2 = graph.add %1, %0 {task.kernel = 2 : i64, task.place = #task.place<temporary + 128>} : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// A section's results are read at its end.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">}, tensor<16xf32> {graph.role = #graph.role<output "z">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-note@+1 {{that is made here}}
  %1 = graph.neg %x {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-error@+1 {{expected result 0 of 'graph.exp' of number 0 at temporary + 0, got result 0 of 'graph.neg'}}
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// A matmul reads its whole operand for each element that it writes.
func.func @forward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<4x4xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<matmul 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<4x4xf32>
  // expected-error@+1 {{writes #task.place<temporary + 0> while it still reads what lies there}}
  %1 = graph.matmul %0, %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<4x4xf32>, tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Elementwise, but not in the same place.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-error@+1 {{writes #task.place<temporary + 32> while it still reads #task.place<temporary + 0>}}
  %1 = graph.neg %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 32>} : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// Results of one kernel must not overlap.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">}, tensor<16xf32> {graph.role = #graph.role<output "z">})
    attributes {task.forms = [#task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-error@+1 {{writes two results to #task.place<temporary + 32>}}
  %1 = graph.neg %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 32>} : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// The parameter is written in place before another kernel has read it.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @update(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "w">}, tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.neg %w {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    // expected-error@+1 {{expected argument 0 of number 0 at persistent + 0, got result 0 of 'graph.neg'}}
    %1 = graph.exp %w {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
}

// -----

// Two microbatches are in flight, and the ring has depth one.
module {
  func.func @forward_train(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<saved "exp">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func @backward(%e: tensor<16xf32> {graph.role = #graph.role<saved "exp">, task.place = #task.place<temporary + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-error@+1 {{in the action of number 0 of "backward" expected result 0 of 'graph.exp' of number 0 at temporary + 0, got result 0 of 'graph.exp' of number 1}}
    %0 = graph.neg %e {task.kernel = 0 : i64, task.place = #task.place<temporary + 64>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_train microbatch = 0 copy = 0
    pipe.action @forward_train microbatch = 1 copy = 0
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @backward microbatch = 1 copy = 0
  }
}

// -----

// With depth two, each microbatch has its own place.
module {
  func.func @forward_train(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<saved "exp">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0, 2 x 64>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func @backward(%e: tensor<16xf32> {graph.role = #graph.role<saved "exp">, task.place = #task.place<temporary + 0, 2 x 64>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.neg %e {task.kernel = 0 : i64, task.place = #task.place<temporary + 128, 3 x 64>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_train microbatch = 0 copy = 0
    pipe.action @forward_train microbatch = 1 copy = 0
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @backward microbatch = 1 copy = 0
  }
}

// -----

// A sum over actions is kept through all of them.
module {
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 0>})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    // expected-error@+1 {{in the action of number 1 of "forward_backward" expected result 0 of 'graph.neg' of number 0 at persistent + 0, got result 0 of 'graph.exp' of number 1}}
    %1 = graph.neg %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// The update reads an incomplete sum: it runs after the first action of two.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 64>})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.neg %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  // expected-error@+1 {{argument 1 of "update" is not made before the action of number 0}}
  func.func @update(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>},
                    %g: tensor<16xf32> {graph.role = #graph.role<gradient "w">, task.place = #task.place<persistent + 64>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "w">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.sub %w, %g {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// Two parameters in one place.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  graph.parameter @v : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 32>}
  // expected-note@+2 {{that is made here}}
  func.func @forward(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>},
                     %v: tensor<16xf32> {graph.role = #graph.role<parameter "v">, task.place = #task.place<persistent + 32>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-error@+1 {{expected argument 0 of number 0 at persistent + 32, got argument 1 of number 0}}
    %0 = graph.sub %w, %v {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// An evaluation must not write parameters.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  // expected-error@+1 {{at the end of "forward" expected argument 0 of number 0 at persistent + 0, got result 0 of 'graph.neg'}}
  func.func @forward(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.neg %w {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// Nor must a section of the step that does not return the parameter.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.neg %w {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  // expected-error@+1 {{at the end of the step expected argument 0 of number 0 at persistent + 0, got result 0 of 'graph.neg'}}
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward microbatch = 0 copy = 0
  }
}

// -----

// Arguments that stand for a parameter have the parameter's place.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 640>}
  // expected-error@+1 {{expected argument 0 at #task.place<persistent + 640>, as in other places, got #task.place<persistent + 0>}}
  func.func @forward(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.neg %w {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// One value under two names, one of which is overwritten: generated code assumes that operands do not alias.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<parameter "x">, task.place = #task.place<persistent + 0>},
                   %y: tensor<16xf32> {graph.role = #graph.role<parameter "x">, task.place = #task.place<persistent + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<parameter "x">})
    attributes {task.forms = [#task.form<map 16 x 1>]} {
  // expected-error@+1 {{writes #task.place<persistent + 0> while it still reads what lies there}}
  %0 = graph.add %x, %y {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// An output has the section's value, not the sum of the ranks in the same buffer.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">}, tensor<16xf32> {graph.role = #graph.role<output "z">})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<collective 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    // expected-note@+1 {{that is made here}}
    %1 = dist.all_reduce sum %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    // expected-error@+1 {{expected result 0 of 'graph.exp' of number 0 at temporary + 0, got result 0 of 'dist.all_reduce'}}
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
}

// -----

// All instructions that add to a sum add to the same bytes.
module {
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 0>})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  // expected-error@+1 {{expected the sum of result 0 at #task.place<persistent + 0>, where others add to it, got #task.place<persistent + 640>}}
  func.func @second(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 640>})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.neg %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @second microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
    pipe.action @second microbatch = 1 copy = 0
  }
}

// -----

// A matmul whose instruction adds it to the sum does not read it from there.
module {
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 0>})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<matmul 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<4x4xf32>
    // expected-error@+1 {{writes #task.place<persistent + 0> while it still reads #task.place<persistent + 0>}}
    %1 = graph.matmul %0, %0 {task.kernel = 1 : i64, task.place = #task.place<persistent + 0>} : tensor<4x4xf32>, tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// Nor does it write its operand's sum there.
module {
  func.func @forward_backward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 0>},
          tensor<4xf32> {graph.role = #graph.role<gradient "b">, pipe.accumulate = #pipe.accumulate<scale = 1.0>, task.place = #task.place<persistent + 64>})
      attributes {task.forms = [#task.form<matmul 16 x 1>]} {
    %0 = graph.matmul %x, %x {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>, task.matmul_group = 0 : i64, transpose_lhs} : tensor<4x4xf32>, tensor<4x4xf32>
    // expected-error@+2 {{in the action of number 1 of "forward_backward" expected result 0 of 'graph.matmul' of number 0 at persistent + 0, got result 0 of 'graph.reduce' of number 0}}
    // expected-note@+1 {{that is made here}}
    %1 = graph.reduce sum %x, [0] {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>, task.matmul_group = 0 : i64} : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// A sum without a place.
module {
  // expected-error@+1 {{expected a place in memory, got none}}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @forward_backward microbatch = 1 copy = 0
  }
}

// -----

// Two gradients are one value. Both results are read after the ranks have summed it in place.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "a">}, tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0, %0 : tensor<16xf32>, tensor<16xf32>
  }
  func.func @update(%a: tensor<16xf32> {graph.role = #graph.role<parameter "a">, task.place = #task.place<persistent + 0>},
                    %g: tensor<16xf32> {graph.role = #graph.role<gradient "a">, task.place = #task.place<temporary + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "a">})
      attributes {task.hoisted = [[@forward_backward, 0]], task.forms = [#task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    %1 = graph.sub %a, %0 {task.kernel = 1 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// An output is the same value. It has the section's value, so the ranks must sum in another buffer.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "a">}, tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    // expected-error@+1 {{expected result 0 of 'graph.exp' of number 0 at temporary + 0, got result 0 of 'dist.all_reduce'}}
    return %0, %0 : tensor<16xf32>, tensor<16xf32>
  }
  func.func @update(%a: tensor<16xf32> {graph.role = #graph.role<parameter "a">, task.place = #task.place<persistent + 0>},
                    %g: tensor<16xf32> {graph.role = #graph.role<gradient "a">, task.place = #task.place<temporary + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "a">})
      attributes {task.hoisted = [[@forward_backward, 0]], task.forms = [#task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    %1 = graph.sub %a, %0 {task.kernel = 1 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Gradient "b" is a result of the first section, because no collective reduces it in place. A
// collective of the other gradient overwrites it earlier.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "a">}, tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    %1 = graph.neg %x {task.kernel = 1 : i64, task.place = #task.place<temporary + 64>} : tensor<16xf32>
    // expected-error@+1 {{expected result 0 of 'graph.neg' of number 0 at temporary + 64, got result 0 of 'dist.all_reduce'}}
    return %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
  func.func @update(%a: tensor<16xf32> {graph.role = #graph.role<parameter "a">, task.place = #task.place<persistent + 0>},
                    %g: tensor<16xf32> {graph.role = #graph.role<gradient "a">, task.place = #task.place<temporary + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "a">})
      attributes {task.hoisted = [[@forward_backward, 1]], task.forms = [#task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64, task.place = #task.place<temporary + 64>} : tensor<16xf32>
    %1 = graph.sub %a, %0 {task.kernel = 1 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// The ranks sum the shared value in place for each of the two gradients: the second sum adds up
// sums.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  graph.parameter @a : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  func.func @forward_backward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<gradient "a">}, tensor<16xf32> {graph.role = #graph.role<gradient "b">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    return %0, %0 : tensor<16xf32>, tensor<16xf32>
  }
  func.func @update(%a: tensor<16xf32> {graph.role = #graph.role<parameter "a">, task.place = #task.place<persistent + 0>},
                    %g: tensor<16xf32> {graph.role = #graph.role<gradient "a">, task.place = #task.place<temporary + 0>},
                    %h: tensor<16xf32> {graph.role = #graph.role<gradient "b">, task.place = #task.place<temporary + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<parameter "a">})
      attributes {task.hoisted = [[@forward_backward, 0], [@forward_backward, 0]],
                  task.forms = [#task.form<collective 16 x 1>, #task.form<collective 16 x 1>, #task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = dist.all_reduce sum %g {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    // expected-error@+1 {{expected result 0 of 'graph.exp' of number 0 at temporary + 0, got result 0 of 'dist.all_reduce'}}
    %1 = dist.all_reduce sum %h {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
    %2 = graph.sub %0, %1 {task.kernel = 2 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @forward_backward microbatch = 0 copy = 0
    pipe.action @update
  }
}

// -----

// Without a plan the check does nothing.
// expected-error@+1 {{expected a place in memory, got none: run "--schedule-plan-memory" after the last change of ops}}
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">}) -> (tensor<16xf32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<16xf32>
}
