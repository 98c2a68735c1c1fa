// RUN: pcc-opt %s --split-input-file --pass-pipeline='builtin.module(builtin.module(func.func(fuse-assign-kernels),schedule-plan-memory))' | FileCheck %s

// Values that backward reads of forward are in a ring. Its depth is two, because forward of the next microbatch runs
// before backward. It is not three, because backward runs before the forward after that. Values that only forward
// reads are packed after the rings, in each section separately. Bytes: 2 x 64 and the maximum of the sections.
// CHECK: module @stage0 attributes {{.*}}task.bytes = #task.bytes<persistent = 0, temporary = 192, input = 64>
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<2x2xf32> {graph.role = #graph.role<saved "exp">}) {
      // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 128>
      %0 = graph.reshape %x : tensor<4xf32> to tensor<2x2xf32>
      %1 = graph.matmul %0, %0 : tensor<2x2xf32>, tensor<2x2xf32>
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0, 2 x 64>
      %2 = graph.exp %1 : tensor<2x2xf32>
      return %2 : tensor<2x2xf32>
    }
    // CHECK: func.func @backward(%{{.*}}: tensor<2x2xf32> {{{.*}}task.place = #task.place<temporary + 0, 2 x 64>}
    func.func @backward(%e: tensor<2x2xf32> {graph.role = #graph.role<saved "exp">})
        -> (tensor<2x2xf32> {graph.role = #graph.role<output "y">}) {
      // CHECK: graph.neg {{.*}}task.place = #task.place<temporary + 128>
      %0 = graph.neg %e : tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }
    pipe.step @train micro_batches = 2 copies = 2 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 0 copy = 1
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 0 copy = 1
      pipe.action @forward_train microbatch = 1 copy = 1
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 1
    }
  }
}

// -----

// Microbatch 2 returns before microbatch 0: with depth two both would share a place, with depth three they do not.
// The second name of a value has the place of the first; it lives until the last section that reads
// either name.
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<4xf32> {graph.role = #graph.role<saved "exp">}, tensor<2x2xf32> {graph.role = #graph.role<saved "square">}) {
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0, 3 x 64>
      %0 = graph.exp %x : tensor<4xf32>
      %1 = graph.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
      return %0, %1 : tensor<4xf32>, tensor<2x2xf32>
    }
    func.func @backward_input(%e: tensor<4xf32> {graph.role = #graph.role<saved "exp">})
        -> (tensor<4xf32> {graph.role = #graph.role<saved "passed on">}) {
      return %e : tensor<4xf32>
    }
    // CHECK: func.func @backward_weight(%{{.*}}: tensor<4xf32> {{{.*}}task.place = #task.place<temporary + 0, 3 x 64>}
    func.func @backward_weight(%e: tensor<4xf32> {graph.role = #graph.role<saved "passed on">})
        -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) {
      %0 = graph.neg %e : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward_input microbatch = 2 copy = 0
      pipe.action @backward_weight microbatch = 2 copy = 0
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
    }
  }
}

// -----

// One microbatch: no values meet, and saved values are packed with the others. Buffers of messages
// have their own places.
module {
  // CHECK: module @stage0
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<4xf32> {graph.role = #graph.role<saved "exp">}) {
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 128>
      %0 = graph.exp %x : tensor<4xf32>
      // CHECK: graph.neg {{.*}}task.place = #task.place<temporary + 0>
      %1 = graph.neg %0 : tensor<4xf32>
      pipe.send %1 to 1 tag = 0 : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @backward(%e: tensor<4xf32> {graph.role = #graph.role<saved "exp">})
        -> (tensor<4xf32> {graph.role = #graph.role<output "y">}) {
      // CHECK: pipe.recv {{.*}}task.place = #task.place<temporary + 64>
      %0 = pipe.recv from 1 tag = 0 : tensor<4xf32>
      // CHECK: graph.mul {{.*}}task.place = #task.place<temporary + 128>
      %1 = graph.mul %e, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
    }
  }
}

// -----

// Values that are saved for the same section share the places of one ring. Until a microbatch has computed the second one,
// other values of the microbatch use its place. Values without room are placed after the ring, in each section separately.
module {
  // CHECK: module @stage0 attributes {{.*}}task.bytes = #task.bytes<persistent = 64, temporary = 512, input = 64>
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train(%x: tensor<16xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<16xf32> {graph.role = #graph.role<saved "exp">}, tensor<32xf32> {graph.role = #graph.role<saved "both">}) {
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0, 2 x 192>
      %0 = graph.exp %x : tensor<16xf32>
      // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 64, 2 x 192>
      %1 = graph.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
      %2 = graph.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32>
      // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 128, 2 x 192>
      %3 = graph.matmul %2, %1 : tensor<4x4xf32>, tensor<4x4xf32>
      // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 384>
      %4 = graph.matmul %3, %1 : tensor<4x4xf32>, tensor<4x4xf32>
      // CHECK: graph.concat {{.*}}task.place = #task.place<temporary + 64, 2 x 192>
      %5 = graph.reshape %4 : tensor<4x4xf32> to tensor<16xf32>
      %6 = graph.concat %5, %x axis = 0 : tensor<16xf32>, tensor<16xf32>
      return %0, %6 : tensor<16xf32>, tensor<32xf32>
    }
    func.func @backward(%e: tensor<16xf32> {graph.role = #graph.role<saved "exp">}, %b: tensor<32xf32> {graph.role = #graph.role<saved "both">})
        -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
      %0 = graph.reshape %e : tensor<16xf32> to tensor<4x4xf32>
      %1 = graph.reshape %b : tensor<32xf32> to tensor<4x8xf32>
      // CHECK: graph.matmul {{.*}}task.place = #task.place<temporary + 384>
      %2 = graph.matmul %0, %1 : tensor<4x4xf32>, tensor<4x8xf32>
      %3 = graph.matmul %2, %2 {transpose_rhs} : tensor<4x8xf32>, tensor<4x8xf32>
      return %3 : tensor<4x4xf32>
    }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
    }
  }
}

// -----

// Microbatch 0 ends with @backward_weight, microbatch 1 with @backward_input: neither may overwrite the value that both read.
module {
  // CHECK: module @stage0
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func @forward_train(%x: tensor<16xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<16xf32> {graph.role = #graph.role<saved "exp">}) {
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0, 2 x 64>
      %0 = graph.exp %x : tensor<16xf32>
      return %0 : tensor<16xf32>
    }
    func.func @backward_input(%e: tensor<16xf32> {graph.role = #graph.role<saved "exp">})
        -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "v">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
      // CHECK: graph.neg {{.*}}task.place = #task.place<temporary + 128>
      %0 = graph.neg %e : tensor<16xf32>
      %1 = graph.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
      %2 = graph.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32>
      return %2 : tensor<4x4xf32>
    }
    func.func @backward_weight(%e: tensor<16xf32> {graph.role = #graph.role<saved "exp">})
        -> (tensor<4x4xf32> {graph.role = #graph.role<gradient "w">, pipe.accumulate = #pipe.accumulate<scale = 1.0>}) {
      // CHECK: graph.sin {{.*}}task.place = #task.place<temporary + 128>
      %0 = graph.sin %e : tensor<16xf32>
      %1 = graph.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
      %2 = graph.matmul %1, %1 : tensor<4x4xf32>, tensor<4x4xf32>
      return %2 : tensor<4x4xf32>
    }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 0 copy = 0
      pipe.action @backward_weight microbatch = 1 copy = 0
      pipe.action @backward_input microbatch = 1 copy = 0
    }
  }
}

// -----

// The backward sends a value that the forward saved. Its place is in use until the message is
// complete, which is known one action later: therefore depth two, although the sending section has
// one action between any two forwards.
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {}
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func @forward_train(%x: tensor<4xf32> {graph.role = #graph.role<input "x">})
        -> (tensor<4xf32> {graph.role = #graph.role<saved "exp">}) {
      // CHECK: graph.exp {{.*}}task.place = #task.place<temporary + 0, 2 x 64>
      %0 = graph.exp %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @backward(%e: tensor<4xf32> {graph.role = #graph.role<saved "exp">}) {
      pipe.send %e to 0 tag = 0 {pipe.in_flight_until = array<i64: 2, 4, 5>} : tensor<4xf32>
      return
    }
    pipe.step @train micro_batches = 3 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @forward_train microbatch = 2 copy = 0
      pipe.action @backward microbatch = 2 copy = 0
    }
  }
}
