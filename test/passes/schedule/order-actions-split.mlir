// RUN: pcc-opt %s --schedule-order-actions=schedule=zb-h1 | FileCheck %s
// RUN: pcc-opt %s --schedule-order-actions=schedule=zb-h1 --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: pcc-opt %s --schedule-order-actions='schedule=auto live-limit=4' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO
// RUN: pcc-opt %s --schedule-order-actions='schedule=1f1b times=1,2,3,4,4,4 latency=0.5' --remarks-filter=schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNEVEN

// Weight gradients fill the time in which a stage waits.

// CHECK: module @stage0
// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 1
// CHECK-NEXT: @backward_input microbatch = 0
// CHECK-NEXT: @backward_weight microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 2
// CHECK-NEXT: @backward_input microbatch = 1
// CHECK-NEXT: @backward_weight microbatch = 1
// CHECK-NEXT: @backward_input microbatch = 2
// CHECK-NEXT: @backward_weight microbatch = 2
// CHECK: module @stage1
// CHECK: pipe.step @train
// CHECK-NEXT: @forward_train microbatch = 0
// CHECK-NEXT: @backward_input microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 1
// CHECK-NEXT: @backward_input microbatch = 1
// CHECK-NEXT: @backward_weight microbatch = 0
// CHECK-NEXT: @forward_train microbatch = 2
// CHECK-NEXT: @backward_input microbatch = 2
// CHECK-NEXT: @backward_weight microbatch = 1
// CHECK-NEXT: @backward_weight microbatch = 2

// The first stage waits for 1 of 10, and each stage reports its live bytes.

// REMARK: bubble_rate=1.000000e-01, microbatches=3, order=zb-h1, schedule=zb-h1
// REMARK: live_chunks=2, stage=0
// REMARK: live_chunks=2, stage=1

// With more memory the search finds an order without a bubble, and names its schedule.

// AUTO: bubble_rate=0.000000e+00, microbatches=3, order=zb-h2, schedule=auto
// AUTO: live_chunks=3, stage=0
// AUTO: live_chunks=3, stage=1

// Times of each chunk, in the order of the data: the last stage works from 1.5 to 37.5, the first one
// 18 of 43.

// UNEVEN: bubble_rate=5.813953e-01, microbatches=3, order=1f1b, schedule=1f1b
// UNEVEN: live_chunks=2, stage=0
// UNEVEN: live_chunks=1, stage=1
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward_input() { return }
    func.func private @backward_weight() { return }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 2 copy = 0
      pipe.action @backward_weight microbatch = 2 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward_input() { return }
    func.func private @backward_weight() { return }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 2 copy = 0
      pipe.action @backward_weight microbatch = 2 copy = 0
    }
  }
}
