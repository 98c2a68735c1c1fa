// RUN: pcc-opt %s --pipeline-cut-stages='stages=2 virtual-stages=2' | FileCheck %s --check-prefixes=LOOPED,BOTH
// RUN: pcc-opt %s --pipeline-cut-stages='stages=2 virtual-stages=2 placement=vee' | FileCheck %s --check-prefixes=VEE,BOTH
// RUN: pcc-opt %s --pipeline-cut-stages='stages=4' | FileCheck %s --check-prefix=FOUR

// Four chunks with a value that skips two of them and a parameter that the first and the third
// read: on two stages, looped and in a V, and on four.

// Looped, chunks 0 and 2 are on stage 0. It has the parameter once; the gradient is the sum of two
// sections' gradients. The chunk whose value skips sends nothing to its own stage.
// LOOPED: module @stage0
// LOOPED: graph.parameter @w :
// LOOPED-NOT: graph.parameter
// LOOPED: func.func @forward_train.0(%{{.+}} "x">}, %{{.+}} {graph.role = #graph.role<parameter "w">})
// LOOPED: pipe.send %{{.+}} to 1 tag = 0
// LOOPED: pipe.send %{{.+}} to 1 tag = 1
// LOOPED: func.func @forward_train.1(%{{.+}} {graph.role = #graph.role<parameter "w">})
// LOOPED: pipe.recv from 1 tag = 0
// LOOPED: pipe.send %{{.+}} to 1 tag = 2
// LOOPED: func.func @backward.1(
// LOOPED-SAME: -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate
// LOOPED: func.func @backward.0(
// LOOPED-SAME: -> (tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate
// LOOPED: func.func @update(%[[W:.+]]: tensor<4xf32> {graph.role = #graph.role<parameter "w">}, %[[G:.+]]: tensor<4xf32> {graph.role = #graph.role<gradient "w">}) -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">}) {
// LOOPED-NEXT: %[[NEW:.+]] = graph.sub %[[W]], %[[G]]
// LOOPED-NEXT: return %[[NEW]]
// LOOPED: pipe.action @forward_train.0 microbatch = 1
// LOOPED-NEXT: pipe.action @forward_train.1 microbatch = 0
// LOOPED-NEXT: pipe.action @forward_train.1 microbatch = 1
// LOOPED-NEXT: pipe.action @backward.1 microbatch = 0
// LOOPED-NEXT: pipe.action @backward.1 microbatch = 1
// LOOPED-NEXT: pipe.action @backward.0 microbatch = 0

// In a V, chunks 0 and 3 are on stage 0: the skipping value stays there, saved by one chunk and
// read by the other. The parameter is on both stages under one name.
// VEE: module @stage0
// VEE: graph.parameter @w :
// VEE: func.func @forward_train.0(
// VEE-SAME: -> (tensor<4xf32> {graph.role = #graph.role<saved "[[SKIP:.+]]">})
// VEE: pipe.send %{{.+}} to 1 tag = 0
// VEE-NOT: pipe.send
// VEE: func.func @forward_train.1(%{{.+}} {graph.role = #graph.role<saved "[[SKIP]]">})
// VEE: pipe.recv from 1 tag = 0
// VEE: func.func @update(
// VEE: %[[OTHER:.+]] = pipe.recv from 1 tag = [[GRADIENT:[0-9]+]]
// VEE: %[[SUM:.+]] = graph.add %{{.+}}, %[[OTHER]]
// VEE: %[[NEW:.+]] = graph.sub %{{.+}}, %[[SUM]]
// VEE: pipe.send %[[NEW]] to 1 tag = [[VALUE:[0-9]+]]
// VEE: module @stage1
// VEE: graph.parameter @w : tensor<4xf32> init(<zeros>) {pipe.copy_of = "w"{{.*}}}
// VEE: func.func @update(%[[G:.+]]: tensor<4xf32> {graph.role = #graph.role<gradient "w">}) -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">})
// VEE: pipe.send %[[G]] to 0 tag = [[GRADIENT]]
// VEE: pipe.recv from 0 tag = [[VALUE]]

// On four stages the skip goes directly.
// FOUR: module @stage0
// FOUR: func.func @forward_train(
// FOUR: pipe.send %[[A:.+]] to 1 tag = 0
// FOUR: pipe.send %[[A]] to 3 tag = 0
// FOUR: func.func @backward(
// FOUR: pipe.recv from 1 tag = 0
// FOUR: module @stage2
// FOUR: graph.parameter @w : tensor<4xf32> init(<zeros>) {pipe.copy_of = "w"{{.*}}}
// FOUR: module @stage3
// FOUR: func.func @forward_train() -> (tensor<f32> {graph.role = #graph.role<loss>
// FOUR: pipe.recv from 0 tag = 0
// FOUR: pipe.recv from 2 tag = 0
// BOTH-NOT: pipe.transfer

graph.parameter @w : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 0 : i64}
graph.parameter @w.chunk2 : tensor<4xf32> init(#graph.init<zeros>) {pipe.virtual_stage = 2 : i64, pipe.copy_of = "w"}
func.func @forward_backward(%x: tensor<4xf32> {graph.role = #graph.role<input "x">},
                            %w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                            %w2: tensor<4xf32> {graph.role = #graph.role<parameter "w.chunk2">})
    -> (tensor<f32> {graph.role = #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
        tensor<4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
        tensor<4xf32> {graph.role = #graph.role<gradient "w.chunk2">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
  %a = graph.mul %x, %w : tensor<4xf32>
  %a1 = pipe.transfer %a from 0 to 1 : tensor<4xf32>
  %a3 = pipe.transfer %a from 0 to 3 : tensor<4xf32>
  %b = graph.neg %a1 : tensor<4xf32>
  %b2 = pipe.transfer %b from 1 to 2 : tensor<4xf32>
  %c = graph.mul %b2, %w2 : tensor<4xf32>
  %c3 = pipe.transfer %c from 2 to 3 : tensor<4xf32>
  %y = graph.mul %c3, %a3 : tensor<4xf32>
  %loss = graph.reduce sum %y, [0] : tensor<4xf32>
  %gc = pipe.transfer %a3 from 3 to 2 : tensor<4xf32>
  %gw2 = graph.mul %gc, %b2 : tensor<4xf32>
  %gb2 = graph.mul %gc, %w2 : tensor<4xf32>
  %gb = pipe.transfer %gb2 from 2 to 1 : tensor<4xf32>
  %ga1 = graph.neg %gb : tensor<4xf32>
  %g1 = pipe.transfer %ga1 from 1 to 0 : tensor<4xf32>
  %g3 = pipe.transfer %c3 from 3 to 0 : tensor<4xf32>
  %ga = graph.add %g1, %g3 : tensor<4xf32>
  %gw = graph.mul %ga, %x : tensor<4xf32>
  return %loss, %gw, %gw2 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}
func.func @update(%w: tensor<4xf32> {graph.role = #graph.role<parameter "w">},
                  %gw: tensor<4xf32> {graph.role = #graph.role<gradient "w">},
                  %gw2: tensor<4xf32> {graph.role = #graph.role<gradient "w.chunk2">})
    -> (tensor<4xf32> {graph.role = #graph.role<parameter "w">},
        tensor<4xf32> {graph.role = #graph.role<parameter "w.chunk2">}) {
  %0 = pipe.transfer %gw2 from 2 to 0 : tensor<4xf32>
  %1 = graph.add %gw, %0 : tensor<4xf32>
  %2 = graph.sub %w, %1 : tensor<4xf32>
  %3 = pipe.transfer %2 from 0 to 2 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
  pipe.action @forward_backward microbatch = 0 copy = 0
  pipe.action @forward_backward microbatch = 1 copy = 0
  pipe.action @update
}
