// RUN: pcc-opt %s --split-input-file --lower-to-task --verify-diagnostics

// expected-error @below {{expected a memory plan, run "--schedule-plan-memory" first}}
module {
}

// -----

// A plan must contain every argument.
module attributes {task.bytes = #task.bytes<persistent = 0, temporary = 64, input = 64>} {
  // expected-error @below {{expected a place in memory, got none: run "--schedule-plan-memory" after the last change of ops}}
  func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">}) -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) {
    return %x : tensor<4xf32>
  }
}

// -----

// The same for a value between kernels.
module attributes {task.bytes = #task.bytes<persistent = 0, temporary = 64, input = 64>} {
  func.func @forward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) attributes {task.forms = [#task.form<map 4 x 1>]} {
    // expected-error @below {{expected a place in memory, got none}}
    %0 = graph.exp %x {task.kernel = 0 : i64} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Two parameters cannot exchange values in place: there is no extra buffer.
module attributes {task.bytes = #task.bytes<persistent = 128, temporary = 0, input = 0>} {
  graph.parameter @v : tensor<4xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 0>}
  graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {task.place = #task.place<persistent + 64>}
  // expected-error @below {{parameter "v" of "update" exchanges its value with another: expected parameters that can be written one after the other}}
  func.func @update(%v: tensor<4xf32> {graph.role = #graph.role<parameter "v">, task.place = #task.place<persistent + 0>},
                    %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">, task.place = #task.place<persistent + 64>})
      -> (tensor<4xf32> {graph.role = #graph.role<parameter "v">}, tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
    return %w, %v : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The runtime does not have this collective.
module attributes {dist.mesh = #dist.mesh<dp=2>, task.bytes = #task.bytes<persistent = 0, temporary = 64, input = 64>} {
  func.func @forward(%x: tensor<8xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<8xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local, task.forms = [#task.form<collective 1 x 1>]} {
    // expected-error @below {{has no instruction: expected a collective of the runtime}}
    %0 = dist.neighbor_exchange %x send [[1], [0]] receive [[1], [0]] {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// The runtime requires groups of equal size.
module attributes {dist.mesh = #dist.mesh<dp=3>, task.bytes = #task.bytes<persistent = 0, temporary = 64, input = 64>} {
  func.func @forward(%x: tensor<8xf32> {graph.role = #graph.role<input "x">, task.place = #task.place<input + 0>})
      -> (tensor<8xf32> {graph.role = #graph.role<output "y">}) attributes {dist.local, task.forms = [#task.form<collective 1 x 1>]} {
    // expected-error @below {{has no instruction: expected groups of equal size, got #dist.group<ranks}}
    %0 = dist.all_reduce sum %x over <ranks [[0, 1], [2]]> {task.kernel = 0 : i64, task.place = #task.place<temporary + 0>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
