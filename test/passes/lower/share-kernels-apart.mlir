// RUN: pcc-opt %s --mlir-elide-elementsattrs-if-larger=2 --pass-pipeline='builtin.module(builtin.module(lower-share-kernels))' --mlir-disable-threading | FileCheck %s

// Kernels that differ in a constant stay apart, also where printing elides it. The pass keeps no kernel of one module for
// another one.
module @first {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    task.program @main attributes {constant_bytes = 0 : i64, input_bytes = 64 : i64, persistent_bytes = 0 : i64, temporary_bytes = 64 : i64} {
      %0 = task.buffer "x"  input offset = 0 : memref<4xf32>
      %1 = task.buffer "y"  temporary offset = 0 : memref<4xf32>
      task.input "x" in %0 <[4] at <0>> : memref<4xf32>
      task.section @forward {
        task.launch @kernel0_add(%0, %1) trip = 1 {task.accesses = array<i32: 1, 2>} : memref<4xf32>, memref<4xf32>
      }
    }
    func.func private @kernel0_add(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<map 4 x 1>} {
      %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %1 = graph.add %arg0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    task.program @main attributes {constant_bytes = 0 : i64, input_bytes = 64 : i64, persistent_bytes = 0 : i64, temporary_bytes = 64 : i64} {
      %0 = task.buffer "x"  input offset = 0 : memref<4xf32>
      %1 = task.buffer "y"  temporary offset = 0 : memref<4xf32>
      task.input "x" in %0 <[4] at <0>> : memref<4xf32>
      task.section @forward {
        task.launch @kernel0_add(%0, %1) trip = 1 {task.accesses = array<i32: 1, 2>} : memref<4xf32>, memref<4xf32>
      }
    }
    func.func private @kernel0_add(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<map 4 x 1>} {
      %0 = graph.constant dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32>
      %1 = graph.add %arg0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
  }
}
module @second {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    task.program @main attributes {constant_bytes = 0 : i64, input_bytes = 64 : i64, persistent_bytes = 0 : i64, temporary_bytes = 64 : i64} {
      %0 = task.buffer "x"  input offset = 0 : memref<4xf32>
      %1 = task.buffer "y"  temporary offset = 0 : memref<4xf32>
      task.input "x" in %0 <[4] at <0>> : memref<4xf32>
      task.section @forward {
        task.launch @kernel0_add(%0, %1) trip = 1 {task.accesses = array<i32: 1, 2>} : memref<4xf32>, memref<4xf32>
      }
    }
    func.func private @kernel0_add(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {task.form = #task.form<map 4 x 1>} {
      %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %1 = graph.add %arg0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
  }
}
// CHECK: module @first
// CHECK: task.launch @kernel0_add
// CHECK: task.launch @kernel1_add
// CHECK: func.func private @kernel0_add
// CHECK: func.func private @kernel1_add
// CHECK: module @second
// CHECK: task.launch @kernel0_add
// CHECK: func.func private @kernel0_add
// CHECK-NOT: func.func
