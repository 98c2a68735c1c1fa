// RUN: pcc-opt %s --fuse-assign-kernels -o %t.before.mlir
// RUN: pcc-opt %t.before.mlir --fuse-recompute-pointwise --remarks-filter=fusion --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %t.before.mlir %t.mlir | FileCheck %s --check-prefix=VERIFY
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// A value saved for a derivative is recomputed from the input, which is narrower, and the mean, which
// is small. 512 bytes are neither written nor read; 256 and 32 bytes are read, and 32 are written.
// REMARK-DAG: Function=statistics | bytes not moved=704, values=1
// CHECK-LABEL: @statistics
// CHECK-SAME: (%[[X:[a-z0-9]*]]: tensor<8x16xbf16>
// CHECK: %[[MEAN:.*]] = graph.reduce mean {{.*}}task.kernel = 0
// CHECK: graph.matmul {{.*}}task.kernel = 1
// CHECK: %[[WIDE:.*]] = graph.cast %[[X]] {task.kernel = 2
// CHECK: %[[SHIFT:.*]] = graph.broadcast %[[MEAN]], [0]
// CHECK: %[[C:.*]] = graph.sub %[[WIDE]], %[[SHIFT]] {task.kernel = 2
// CHECK: graph.mul {{.*}}, %[[C]] {task.kernel = 2
func.func @statistics(%x: tensor<8x16xbf16>, %w: tensor<16x16xf32>) -> tensor<8xf32> {
  %wide = graph.cast %x : tensor<8x16xbf16> to tensor<8x16xf32>
  %sum = graph.reduce mean %wide, [1] : tensor<8x16xf32>
  %mean = graph.broadcast %sum, [0] : tensor<8xf32> to tensor<8x16xf32>
  %c = graph.sub %wide, %mean : tensor<8x16xf32>
  %e = graph.exp %c : tensor<8x16xf32>
  %p = graph.matmul %e, %w : tensor<8x16xf32>, tensor<16x16xf32>
  %q = graph.mul %p, %c : tensor<8x16xf32>
  %r = graph.reduce sum %q, [1] : tensor<8x16xf32>
  return %r : tensor<8xf32>
}

// Under another shape, too.
// REMARK-DAG: Function=column_sums | bytes not moved=49152, values=1
// CHECK-LABEL: @column_sums
// CHECK-SAME: (%[[G:[a-z0-9]*]]: tensor<64x128xbf16>
// CHECK: %[[WIDE:.*]] = graph.cast %[[G]] {task.kernel = 1
// CHECK: %[[SEEN:.*]] = graph.reshape %[[WIDE]]
// CHECK: graph.reduce sum %[[SEEN]], [0, 1] {task.kernel = 1
func.func @column_sums(%g: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>) {
  %wide = graph.cast %g : tensor<64x128xbf16> to tensor<64x128xf32>
  %rows = graph.reduce sum %wide, [1] : tensor<64x128xf32>
  %seen = graph.reshape %wide : tensor<64x128xf32> to tensor<32x2x128xf32>
  %columns = graph.reduce sum %seen, [0, 1] : tensor<32x2x128xf32>
  return %rows, %columns : tensor<64xf32>, tensor<128xf32>
}

// Three narrow values would be read instead of one wide one: their narrow sum is written and read.
// REMARK-DAG: Function=narrow_sum | bytes not moved=32768, values=1
// CHECK-LABEL: @narrow_sum
// CHECK: graph.add {{.*}}task.kernel = 0
// CHECK: %[[SUM:.*]] = graph.add {{.*}}task.kernel = 0
// CHECK-NOT: graph.add
// CHECK: %[[WIDE:.*]] = graph.cast %[[SUM]] {task.kernel = 1
// CHECK: graph.reduce sum %[[WIDE]], [0] {task.kernel = 1
func.func @narrow_sum(%a: tensor<64x128xbf16>, %b: tensor<64x128xbf16>, %c: tensor<64x128xbf16>)
    -> (tensor<64xf32>, tensor<128xf32>) {
  %0 = graph.add %a, %b : tensor<64x128xbf16>
  %1 = graph.add %0, %c : tensor<64x128xbf16>
  %wide = graph.cast %1 : tensor<64x128xbf16> to tensor<64x128xf32>
  %rows = graph.reduce sum %wide, [1] : tensor<64x128xf32>
  %columns = graph.reduce sum %wide, [0] : tensor<64x128xf32>
  return %rows, %columns : tensor<64xf32>, tensor<128xf32>
}

// The computation before a reduction on few threads is better done by all threads.
// REMARK-DAG: Function=narrow | bytes not moved=0, values=0
// CHECK-LABEL: @narrow
// CHECK-SAME: task.forms = [#task.form<map 262144 x 1>, #task.form<rows 1 x 262144>]
func.func @narrow(%x: tensor<262144xbf16>) -> tensor<f32> {
  %wide = graph.cast %x : tensor<262144xbf16> to tensor<262144xf32>
  %s = graph.reduce sum %wide, [0] : tensor<262144xf32>
  return %s : tensor<f32>
}

// The derivative of a maximum searches for elements equal to it: it must search the compared values, to the last bit.
// A cast to a wider type is exact.
// REMARK-DAG: Function=compared | bytes not moved=0, values=0
// CHECK-LABEL: @compared
// CHECK-COUNT-1: graph.mul
// CHECK-NOT: graph.mul
// CHECK: return
func.func @compared(%x: tensor<64x128xbf16>, %f: tensor<bf16>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x128xi1>) {
  %0 = graph.broadcast %f, [] : tensor<bf16> to tensor<64x128xbf16>
  %1 = graph.mul %x, %0 : tensor<64x128xbf16>
  %2 = graph.reduce max %1, [1] : tensor<64x128xbf16>
  %3 = graph.cast %2 : tensor<64xbf16> to tensor<64xf32>
  %4 = graph.broadcast %3, [0] : tensor<64xf32> to tensor<64x64xf32>
  %5 = graph.matmul %4, %w : tensor<64x64xf32>, tensor<64x64xf32>
  %6 = graph.broadcast %2, [0] : tensor<64xbf16> to tensor<64x128xbf16>
  %7 = graph.compare eq %1, %6 : tensor<64x128xbf16>
  return %5, %7 : tensor<64x64xf32>, tensor<64x128xi1>
}
// REMARK-DAG: Function=compared_exactly | bytes not moved=49152, values=1
// CHECK-LABEL: @compared_exactly
// CHECK-COUNT-2: graph.cast
// CHECK: return
func.func @compared_exactly(%x: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>) {
  %wide = graph.cast %x : tensor<64x128xbf16> to tensor<64x128xf32>
  %rows = graph.reduce max %wide, [1] : tensor<64x128xf32>
  %columns = graph.reduce max %wide, [0] : tensor<64x128xf32>
  return %rows, %columns : tensor<64xf32>, tensor<128xf32>
}

// The exponential stays unrounded in its kernel. It would be written as bf16, and the other kernel would search rounded
// values for their maximum.
// REMARK-DAG: Function=compared_unrounded | bytes not moved=0, values=0
// CHECK-LABEL: @compared_unrounded
// CHECK-COUNT-1: graph.cast
// CHECK-NOT: graph.cast
// CHECK: return
func.func @compared_unrounded(%x: tensor<64x128xbf16>) -> (tensor<64xf32>, tensor<128xf32>) {
  %e = graph.exp %x : tensor<64x128xbf16>
  %wide = graph.cast %e : tensor<64x128xbf16> to tensor<64x128xf32>
  %rows = graph.reduce max %wide, [1] : tensor<64x128xf32>
  %columns = graph.reduce max %wide, [0] : tensor<64x128xf32>
  return %rows, %columns : tensor<64xf32>, tensor<128xf32>
}

// Not recomputed: a multiplication of two values, which costs as many bytes; a matmul, which needs
// its operand in memory; exp, which costs much; and returned values, which are written anyway.
// REMARK-DAG: Function=others | bytes not moved=0, values=0
// CHECK-LABEL: @others
// CHECK-COUNT-1: graph.mul
// CHECK-COUNT-1: graph.relu
// CHECK-COUNT-1: graph.exp
// CHECK-COUNT-1: graph.neg
// CHECK-NOT: graph.{{mul|relu|exp|neg}}
// CHECK: return
func.func @others(%a: tensor<64x128xf32>, %b: tensor<64x128xf32>, %w: tensor<128x4xf32>)
    -> (tensor<64xf32>, tensor<128xf32>, tensor<64x4xf32>, tensor<128xf32>, tensor<64xf32>, tensor<128xf32>,
        tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>) {
  %0 = graph.mul %a, %b : tensor<64x128xf32>
  %1 = graph.reduce sum %0, [1] : tensor<64x128xf32>
  %2 = graph.reduce sum %0, [0] : tensor<64x128xf32>
  %3 = graph.relu %a : tensor<64x128xf32>
  %4 = graph.matmul %3, %w : tensor<64x128xf32>, tensor<128x4xf32>
  %5 = graph.reduce sum %3, [0] : tensor<64x128xf32>
  %6 = graph.exp %b : tensor<64x128xf32>
  %7 = graph.reduce sum %6, [1] : tensor<64x128xf32>
  %8 = graph.reduce sum %6, [0] : tensor<64x128xf32>
  %9 = graph.neg %b : tensor<64x128xf32>
  %10 = graph.reduce sum %9, [1] : tensor<64x128xf32>
  %11 = graph.reduce sum %9, [0] : tensor<64x128xf32>
  return %1, %2, %4, %5, %7, %8, %9, %10, %11 : tensor<64xf32>, tensor<128xf32>, tensor<64x4xf32>, tensor<128xf32>,
      tensor<64xf32>, tensor<128xf32>, tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>
}

// The old value of a parameter is not read later than before, because the new value may be in the same buffer.
// REMARK-DAG: Function=replaced | bytes not moved=0, values=0
// CHECK-LABEL: @replaced
// CHECK-COUNT-1: graph.relu
// CHECK-NOT: graph.relu
// CHECK: return
func.func @replaced(%p: tensor<64x128xf32> {graph.role = #graph.role<parameter "p">})
    -> (tensor<64x128xf32> {graph.role = #graph.role<parameter "p">}, tensor<64xf32>, tensor<128xf32>) {
  %0 = graph.relu %p : tensor<64x128xf32>
  %1 = graph.reduce sum %0, [1] : tensor<64x128xf32>
  %2 = graph.reduce sum %0, [0] : tensor<64x128xf32>
  %3 = graph.exp %p : tensor<64x128xf32>
  return %3, %1, %2 : tensor<64x128xf32>, tensor<64xf32>, tensor<128xf32>
}
