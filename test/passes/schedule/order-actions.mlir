// RUN: pcc-opt %s --split-input-file --schedule-order-actions=schedule=1f1b | FileCheck %s
// RUN: pcc-opt %s --split-input-file --schedule-order-actions='schedule=gpipe' | FileCheck %s --check-prefix=GPIPE

// Forward and backward alternate; microbatches and their copies are numbered consecutively; the
// update stays last.

// CHECK: module @stage0
// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0 copy = 0
// CHECK-NEXT: @forward_train microbatch = 0 copy = 1
// CHECK-NEXT: @backward microbatch = 0 copy = 0
// CHECK-NEXT: @forward_train microbatch = 1 copy = 0
// CHECK-NEXT: @backward microbatch = 0 copy = 1
// CHECK-NEXT: @forward_train microbatch = 1 copy = 1
// CHECK-NEXT: @backward microbatch = 1 copy = 0
// CHECK-NEXT: @backward microbatch = 1 copy = 1
// CHECK-NEXT: @update
// CHECK-NEXT: }
// CHECK: module @stage1
// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0 copy = 0
// CHECK-NEXT: @backward microbatch = 0 copy = 0
// CHECK-NEXT: @forward_train microbatch = 0 copy = 1
// CHECK-NEXT: @backward microbatch = 0 copy = 1
// CHECK-NEXT: @forward_train microbatch = 1 copy = 0
// CHECK-NEXT: @backward microbatch = 1 copy = 0
// CHECK-NEXT: @forward_train microbatch = 1 copy = 1
// CHECK-NEXT: @backward microbatch = 1 copy = 1
// CHECK-NEXT: @update

// GPIPE-COUNT-4: @forward_train microbatch
// GPIPE-COUNT-4: @backward microbatch
// GPIPE-NEXT: @update
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    func.func private @update() { return }
    pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 0 copy = 1
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 1
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 1
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 1
      pipe.action @update
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    func.func private @update() { return }
    pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 0 copy = 1
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 1
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 1
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 1
      pipe.action @update
    }
  }
}

// -----

// If weight gradients are separate sections, a whole backward pass consists of both sections.

// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 1
// CHECK-NEXT: @backward_input microbatch = 0
// CHECK-NEXT: @backward_weight microbatch = 0
// CHECK-NEXT: @backward_input microbatch = 1
// CHECK-NEXT: @backward_weight microbatch = 1
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward_input() { return }
    func.func private @backward_weight() { return }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward_input() { return }
    func.func private @backward_weight() { return }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
    }
  }
}

// -----

// One program has one order, and an evaluation none.

// CHECK: {{^}}// -----
// CHECK: pipe.step @train
// CHECK-NEXT: @backward
// CHECK-NEXT: @forward_train
module {
  func.func private @forward_train() { return }
  func.func private @backward() { return }
  pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
    pipe.action @backward microbatch = 0 copy = 0
    pipe.action @forward_train microbatch = 0 copy = 0
  }
}

// -----

// CHECK: func.func private @forward
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward() { return }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward() { return }
  }
}

// -----

// A program of one stage, cut into a forward and a backward section: the gradients of a microbatch
// follow at once, so that the saved values of one microbatch are live.

// CHECK: module @stage0
// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0
// CHECK-NEXT: @backward microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 1
// CHECK-NEXT: @backward microbatch = 1
// CHECK-NEXT: @update
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    func.func private @update() { return }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @update
    }
  }
}
