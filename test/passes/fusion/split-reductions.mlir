// RUN: pcc-opt %s --fuse-split-reductions --remarks-filter=fusion --remark-format=emitRemark --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.mlir --fuse-assign-kernels | FileCheck %s --check-prefix=KERNELS
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// expected-remark @below {{reductions=9}}
module {
  // The gradient of a bias, of a value that is multiplied first: adjacent rows become columns. The
  // multiplication stays in the kernel of the first reduction.
  // CHECK-LABEL: @columns
  // CHECK: %[[M:.*]] = graph.mul
  // CHECK: %[[S:.*]] = graph.reshape %[[M]] : tensor<64x64x96xf32> to tensor<32x128x96xf32>
  // CHECK: %[[P:.*]] = graph.reduce sum %[[S]], [0] : tensor<32x128x96xf32>
  // CHECK: graph.reduce sum %[[P]], [0] : tensor<128x96xf32>
  // KERNELS-LABEL: @columns
  // KERNELS-SAME: task.forms = [#task.form<columns 32 x 12288>, #task.form<columns 128 x 96>]
  func.func @columns(%x: tensor<64x64x96xf32>, %y: tensor<64x64x96xf32>) -> tensor<96xf32> {
    %0 = graph.mul %x, %y : tensor<64x64x96xf32>
    %1 = graph.reduce sum %0, [0, 1] : tensor<64x64x96xf32>
    return %1 : tensor<96xf32>
  }

  // A single number has one column.
  // CHECK-LABEL: @number
  // CHECK: graph.reduce max {{.*}}, [0] : tensor<32x8192xf32>
  // CHECK: graph.reduce max {{.*}}, [0] : tensor<8192xf32>
  // KERNELS-LABEL: @number
  // KERNELS-SAME: task.forms = [#task.form<columns 32 x 8192>, #task.form<rows 1 x 8192>]
  func.func @number(%x: tensor<512x512xf32>) -> tensor<f32> {
    %0 = graph.reduce max %x, [0, 1] : tensor<512x512xf32>
    return %0 : tensor<f32>
  }

  // Parts are of one size.
  // CHECK-LABEL: @mean
  // CHECK: graph.reduce mean {{.*}}, [0] : tensor<32x8192xf32>
  // CHECK: graph.reduce mean {{.*}}, [0] : tensor<8192xf32>
  func.func @mean(%x: tensor<512x512xf32>) -> tensor<f32> {
    %0 = graph.reduce mean %x, [0, 1] : tensor<512x512xf32>
    return %0 : tensor<f32>
  }

  // A number of rows that no power of two divides.
  // CHECK-LABEL: @odd
  // CHECK: graph.reshape %arg0 : tensor<3375x100xf32> to tensor<45x75x100xf32>
  func.func @odd(%x: tensor<3375x100xf32>) -> tensor<100xf32> {
    %0 = graph.reduce sum %x, [0] : tensor<3375x100xf32>
    return %0 : tensor<100xf32>
  }

  // Narrow types are reduced in f32 and rounded at the end; casts are part of the kernels.
  // CHECK-LABEL: @half_types
  // CHECK: %[[M:.*]] = graph.mul {{.*}} : tensor<4096x96xbf16>
  // CHECK: %[[W:.*]] = graph.cast %[[M]] : tensor<4096x96xbf16> to tensor<4096x96xf32>
  // CHECK: %[[S:.*]] = graph.reshape %[[W]] : tensor<4096x96xf32> to tensor<32x128x96xf32>
  // CHECK: %[[P:.*]] = graph.reduce sum %[[S]], [0] : tensor<32x128x96xf32>
  // CHECK: %[[R:.*]] = graph.reduce sum %[[P]], [0] : tensor<128x96xf32>
  // CHECK: graph.cast %[[R]] : tensor<96xf32> to tensor<96xbf16>
  // CHECK: graph.cast %arg2 : tensor<4096x96xf16> to tensor<4096x96xf32>
  // CHECK: graph.reduce mean
  // CHECK: graph.reduce mean
  // CHECK: graph.cast {{.*}} : tensor<96xf32> to tensor<96xf16>
  // KERNELS-LABEL: @half_types
  // KERNELS-SAME: task.forms = [#task.form<columns 32 x 12288>, #task.form<columns 128 x 96>, #task.form<columns 32 x 12288>, #task.form<columns 128 x 96>]
  func.func @half_types(%x: tensor<4096x96xbf16>, %y: tensor<4096x96xbf16>, %z: tensor<4096x96xf16>) -> (tensor<96xbf16>, tensor<96xf16>) {
    %0 = graph.mul %x, %y : tensor<4096x96xbf16>
    %1 = graph.reduce sum %0, [0] : tensor<4096x96xbf16>
    %2 = graph.reduce mean %z, [0] : tensor<4096x96xf16>
    return %1, %2 : tensor<96xbf16>, tensor<96xf16>
  }

  // For each channel, adjacent elements are reduced first; the computation of the elements is part of that kernel.
  // CHECK-LABEL: @channels
  // CHECK: %[[M:.*]] = graph.mul
  // CHECK: %[[P:.*]] = graph.reduce sum %[[M]], [2, 3] : tensor<8x16x64x64xf32>
  // CHECK: graph.reduce sum %[[P]], [0] : tensor<8x16xf32>
  // KERNELS-LABEL: @channels
  // KERNELS-SAME: task.forms = [#task.form<rows 128 x 4096>, #task.form<columns 8 x 16>]
  func.func @channels(%x: tensor<8x16x64x64xf32>, %y: tensor<8x16x64x64xf32>) -> tensor<16xf32> {
    %0 = graph.mul %x, %y : tensor<8x16x64x64xf32>
    %1 = graph.reduce sum %0, [0, 2, 3] : tensor<8x16x64x64xf32>
    return %1 : tensor<16xf32>
  }

  // Mean and variance of each channel: two kernels each. The variance's kernel also computes differences and squares.
  // CHECK-LABEL: @variance
  // CHECK: graph.cast
  // CHECK: graph.reduce mean {{.*}}, [2, 3] : tensor<8x16x64x64xf32>
  // CHECK: graph.reduce mean {{.*}}, [0] : tensor<8x16xf32>
  // CHECK: graph.cast
  // CHECK: graph.square
  // CHECK: graph.cast
  // CHECK: graph.reduce mean {{.*}}, [2, 3] : tensor<8x16x64x64xf32>
  // CHECK: graph.reduce mean {{.*}}, [0] : tensor<8x16xf32>
  // CHECK: graph.cast
  // KERNELS-LABEL: @variance
  // KERNELS-SAME: task.forms = [#task.form<rows 128 x 4096>, #task.form<columns 8 x 16>, #task.form<rows 128 x 4096>, #task.form<columns 8 x 16>]
  func.func @variance(%x: tensor<8x16x64x64xbf16>) -> tensor<16xbf16> {
    %0 = graph.reduce mean %x, [0, 2, 3] : tensor<8x16x64x64xbf16>
    %1 = graph.broadcast %0, [1] : tensor<16xbf16> to tensor<8x16x64x64xbf16>
    %2 = graph.sub %x, %1 : tensor<8x16x64x64xbf16>
    %3 = graph.square %2 : tensor<8x16x64x64xbf16>
    %4 = graph.reduce mean %3, [0, 2, 3] : tensor<8x16x64x64xbf16>
    return %4 : tensor<16xbf16>
  }

  // Not split: few elements, many columns, rows instead of columns, integers, multiplications, sums
  // over partial batches of ranks, short runs, and sums that belong to a matmul's instruction.
  // CHECK-LABEL: @others
  // CHECK-NOT: graph.reshape
  // CHECK: graph.reduce sum {{.*}}, [0, 2, 3] : tensor<256x64x4x4xf32>
  // CHECK-NEXT: return
  func.func @others(%x: tensor<128x96xf32>, %y: tensor<128x4096xf32>, %z: tensor<8192x96xi32>, %w: tensor<8192x96xf32>,
                    %v: tensor<8192x8xf32>, %u: tensor<256x64x4x4xf32>)
      -> (tensor<96xf32>, tensor<4096xf32>, tensor<128xf32>, tensor<96xi32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>,
          tensor<96x8xf32>, tensor<64xf32>) {
    %0 = graph.reduce sum %x, [0] : tensor<128x96xf32>
    %1 = graph.reduce sum %y, [0] : tensor<128x4096xf32>
    %2 = graph.reduce sum %y, [1] : tensor<128x4096xf32>
    %3 = graph.reduce sum %z, [0] : tensor<8192x96xi32>
    %4 = graph.reduce prod %w, [0] : tensor<8192x96xf32>
    %5 = graph.matmul %w, %v {task.matmul_group = 0 : i64, transpose_lhs} : tensor<8192x96xf32>, tensor<8192x8xf32>
    %6 = graph.reduce sum %w, [0] {task.matmul_group = 0 : i64} : tensor<8192x96xf32>
    %7 = graph.reduce sum %w, [0] {cross_batch} : tensor<8192x96xf32>
    %8 = graph.reduce sum %u, [0, 2, 3] : tensor<256x64x4x4xf32>
    return %0, %1, %2, %3, %4, %6, %7, %5, %8 : tensor<96xf32>, tensor<4096xf32>, tensor<128xf32>, tensor<96xi32>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96x8xf32>, tensor<64xf32>
  }
}
