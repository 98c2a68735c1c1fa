// RUN: pcc-opt %s --lower-split-reductions --remarks-filter=lower --remark-format=emitRemark --verify-diagnostics -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// RUN: pcc-opt %t.mlir --schedule-assign-kernels | FileCheck %s --check-prefix=KERNELS
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// expected-remark @below {{reductions=4}}
module {
  // The gradient of a bias, of what is multiplied before: rows next to each other become columns, and the product stays in the
  // kernel of the first reduction.
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

  // One number is one column.
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

  // Rows that no power of two divides.
  // CHECK-LABEL: @odd
  // CHECK: graph.reshape %arg0 : tensor<3375x100xf32> to tensor<45x75x100xf32>
  func.func @odd(%x: tensor<3375x100xf32>) -> tensor<100xf32> {
    %0 = graph.reduce sum %x, [0] : tensor<3375x100xf32>
    return %0 : tensor<100xf32>
  }

  // Few elements, columns enough, rows in place of columns, fewer bits, products, sums over ranks' parts of a
  // batch and sums that belong to the record of a product stay as they are.
  // CHECK-LABEL: @others
  // CHECK-NOT: graph.reshape
  // CHECK: return
  func.func @others(%x: tensor<128x96xf32>, %y: tensor<128x4096xf32>, %z: tensor<8192x96xf16>, %w: tensor<8192x96xf32>,
                    %v: tensor<8192x8xf32>)
      -> (tensor<96xf32>, tensor<4096xf32>, tensor<128xf32>, tensor<96xf16>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>,
          tensor<96x8xf32>) {
    %0 = graph.reduce sum %x, [0] : tensor<128x96xf32>
    %1 = graph.reduce sum %y, [0] : tensor<128x4096xf32>
    %2 = graph.reduce sum %y, [1] : tensor<128x4096xf32>
    %3 = graph.reduce sum %z, [0] : tensor<8192x96xf16>
    %4 = graph.reduce prod %w, [0] : tensor<8192x96xf32>
    %5 = graph.matmul %w, %v {task.product = 0 : i64, transpose_lhs} : tensor<8192x96xf32>, tensor<8192x8xf32>
    %6 = graph.reduce sum %w, [0] {task.product = 0 : i64} : tensor<8192x96xf32>
    %7 = graph.reduce sum %w, [0] {cross_batch} : tensor<8192x96xf32>
    return %0, %1, %2, %3, %4, %6, %7, %5 : tensor<96xf32>, tensor<4096xf32>, tensor<128xf32>, tensor<96xf16>, tensor<96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<96x8xf32>
  }
}
