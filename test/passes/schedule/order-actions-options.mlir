// Invalid combinations of a schedule and its stages.

// RUN: not pcc-opt %s --schedule-order-actions=schedule=2f2b 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not pcc-opt %s --schedule-order-actions=schedule=zb-v 2>&1 | FileCheck %s --check-prefix=VEE
// RUN: not pcc-opt %s --schedule-order-actions=schedule=auto 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not pcc-opt %s --schedule-order-actions='schedule=interleaved-1f1b times=1,2' 2>&1 | FileCheck %s --check-prefix=TIMES
// RUN: not pcc-opt %s --schedule-order-actions='schedule=interleaved-1f1b times=1,2,-1' 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: sed 's/^\(.*\)@backward\(.*\)$/\1@backward_input\2\n\1@backward_weight\2/' %s > %t.split.mlir
// RUN: pcc-opt %t.split.mlir --schedule-order-actions=schedule=auto
// RUN: not pcc-opt %t.split.mlir --schedule-order-actions='schedule=auto live-limit=1' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not pcc-opt %t.split.mlir --schedule-order-actions=schedule=dualpipe-v 2>&1 | FileCheck %s --check-prefix=MICROBATCHES

// NAME: error: expected schedule gpipe, 1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, dualpipe-v or auto, got "2f2b"
// VEE: error: schedule "zb-v": expected the loss in stage 0, where chunks of a vee end
// SPLIT: error: schedule "auto": expected sections "backward_input" and "backward_weight", so that the gradients of weights can wait, got "backward"
// TIMES: error: times: expected F,B,W, none below 0, or these three for each of 4 chunks, got 2 numbers
// BELOW: error: times: expected F,B,W, none below 0, or these three for each of 4 chunks, got 3 numbers
// LIMIT: error: schedule "auto": no order keeps at most 1 chunks of microbatches live in a stage of 2
// MICROBATCHES: error: schedule "dualpipe-v": expected at least 4 microbatches, got 2

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train.0() { return }
    func.func private @forward_train.1() { return }
    func.func private @backward.0() { return }
    func.func private @backward.1() { return }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train.0 microbatch = 0 copy = 0
      pipe.action @forward_train.0 microbatch = 1 copy = 0
      pipe.action @forward_train.1 microbatch = 0 copy = 0
      pipe.action @forward_train.1 microbatch = 1 copy = 0
      pipe.action @backward.1 microbatch = 0 copy = 0
      pipe.action @backward.1 microbatch = 1 copy = 0
      pipe.action @backward.0 microbatch = 0 copy = 0
      pipe.action @backward.0 microbatch = 1 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train.0() { return }
    func.func private @forward_train.1() { return }
    func.func private @backward.0() { return }
    func.func private @backward.1() { return }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train.0 microbatch = 0 copy = 0
      pipe.action @forward_train.0 microbatch = 1 copy = 0
      pipe.action @forward_train.1 microbatch = 0 copy = 0
      pipe.action @forward_train.1 microbatch = 1 copy = 0
      pipe.action @backward.1 microbatch = 0 copy = 0
      pipe.action @backward.1 microbatch = 1 copy = 0
      pipe.action @backward.0 microbatch = 0 copy = 0
      pipe.action @backward.0 microbatch = 1 copy = 0
    }
  }
}
