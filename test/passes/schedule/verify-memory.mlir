// RUN: pcc-opt %s --split-input-file --schedule-verify-memory --verify-diagnostics

// A right plan: "exp" lies beside the product, and the sum is written over the product, which it reads for the last time.
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

// The last bytes of what is read later are written over.
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

// What a section shows is read when it is done.
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

// A product reads all of its operand for each element that it writes.
func.func @forward(%x: tensor<4x4xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<4x4xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<matmul 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<4x4xf32>
  // expected-error@+1 {{writes #task.place<temporary + 0> while it still reads what lies there}}
  %1 = graph.matmul %0, %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 0>} : tensor<4x4xf32>, tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Element by element, but not in its place.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
    attributes {task.forms = [#task.form<map 16 x 1>, #task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-error@+1 {{writes #task.place<temporary + 32> while it still reads #task.place<temporary + 0>}}
  %1 = graph.neg %0 {task.kernel = 1 : i64, task.place = #task.place<temporary + 32>} : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// One kernel's results lie apart.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<output "y">}, tensor<16xf32> {graph.role = #graph.role<output "z">})
    attributes {task.forms = [#task.form<map 16 x 1>]} {
  %0 = graph.exp %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<16xf32>
  // expected-error@+1 {{writes two results to #task.place<temporary + 32>}}
  %1 = graph.neg %x {task.kernel = 0 : i64, task.place = #task.place<temporary + 32>} : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// The parameter is written in its place before another kernel has read it.
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

// Two microbatches are under way, and the ring has one copy.
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

// With two copies each finds its own.
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

// A sum over slots is kept through all of them.
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

// The update reads a sum that is not complete: it runs behind the first slot of two.
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

// An evaluation leaves parameters as they are.
module {
  graph.parameter @w : tensor<16xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  // expected-error@+1 {{expected argument 0 of number 0 at persistent + 0, got result 0 of 'graph.neg'}}
  func.func @forward(%w: tensor<16xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 0>})
      -> (tensor<16xf32> {graph.role = #graph.role<output "y">})
      attributes {task.forms = [#task.form<map 16 x 1>]} {
    // expected-note@+1 {{that is made here}}
    %0 = graph.neg %w {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// Arguments that stand for a parameter lie where it lies.
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

// One value under two names, of which one is written over: code takes operands to lie apart.
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<parameter "x">, task.place = #task.place<persistent + 0>},
                   %y: tensor<16xf32> {graph.role = #graph.role<parameter "x">, task.place = #task.place<persistent + 0>})
    -> (tensor<16xf32> {graph.role = #graph.role<parameter "x">})
    attributes {task.forms = [#task.form<map 16 x 1>]} {
  // expected-error@+1 {{writes #task.place<persistent + 0> while it still reads what lies there}}
  %0 = graph.add %x, %y {task.kernel = 0 : i64, task.place = #task.place<persistent + 0>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// An output is shown as the section returns it, not as ranks have summed it in its place.
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

// All that add to a sum add to the same bytes.
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

// A product that its record adds to the sum does not read from there.
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

// Nor does it write there what it sums beside.
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

// Two gradients are one value. It is shown as both after the ranks have summed it in its place.
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

// An output is the same value. It is shown as the section returns it, so the ranks must sum elsewhere.
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

// The gradient "b" is shown with the first section, for no collective reduces it in its place. A collective of the
// other gradient writes there before.
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

// The ranks sum the shared value for one gradient, and once more for the other one, each in its place: the second sum
// is one of sums.
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

// Without a plan there is nothing to check.
// expected-error@+1 {{expected a place in memory, got none: run "--schedule-plan-memory" after the last change of ops}}
func.func @forward(%x: tensor<16xf32> {graph.role = #graph.role<input "x">}) -> (tensor<16xf32> {graph.role = #graph.role<output "y">}) {
  return %x : tensor<16xf32>
}
