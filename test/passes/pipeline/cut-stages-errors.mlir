// RUN: pcc-opt %s --split-input-file --pipeline-cut-stages='stages=2 virtual-stages=2 placement=vee' --verify-diagnostics

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  // expected-error @below {{expected chunks 0 to 3, got 4}}
  %1 = pipe.transfer %0 from 0 to 4 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @below {{expected chunks 0 to 3, got 9}}
graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 9 : i64}

// -----

// Two chunks use a value without a transfer.

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  // expected-note @below {{virtual stage 1 is given here}}
  %1 = pipe.transfer %0 from 0 to 1 : tensor<4xf32>
  %2 = graph.neg %1 : tensor<4xf32>
  // expected-error @below {{expected values that are connected without a transfer to be in one virtual stage, got 1 and 2: run "--pipeline-insert-transfers" first}}
  %3 = pipe.transfer %2 from 2 to 3 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Chunks 0 and 3 are on one stage, whose parameter cannot have two shardings.

module attributes {dist.mesh = #dist.mesh<tp=2>} {
graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
// expected-error @below {{"w" and "w.chunk3" are one parameter of one stage: expected the values in "forward" to be split alike, got tensor<4xf32> [_] and tensor<2xf32> [tp]}}
graph.parameter @w.chunk3 : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 3 : i64, pipe.copy_of = "w"}
func.func @forward(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[_]>},
                   %c: tensor<2xf32> {graph.role = #graph.role<parameter "w.chunk3">, dist.sharding = #dist.sharding<[tp]>}) {
  return
}
}

// -----

graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
// expected-error @below {{expected "update" to add the gradient of "w.chunk3" to that of "w", which lies in the same stage}}
graph.parameter @w.chunk3 : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 3 : i64, pipe.copy_of = "w"}
func.func @update(%g: tensor<4xf32> {graph.role = #graph.role<gradient "w">},
                  %c: tensor<4xf32> {graph.role = #graph.role<gradient "w.chunk3">})
    -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
  %0 = pipe.transfer %c from 3 to 0 : tensor<4xf32>
  %1 = graph.mul %g, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
