// RUN: pcc-opt %s --fuse-assign-kernels --schedule-plan-memory --remarks-filter='(fusion|schedule)' --remark-format=emitRemark --verify-diagnostics -o /dev/null

// The plan reports its bytes and the lower bound of any plan.
// expected-remark @below {{bound_bytes=64}}
module {
  // Phase fuse reports how many ops became how many kernels.
  // expected-remark @below {{kernels=1, ops=2}}
  func.func @f(%x: tensor<4x10xf32> {graph.role = #graph.role<input "x">}) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4x10xf32>
    %1 = graph.reduce sum %0, [1] : tensor<4x10xf32>
    return %1 : tensor<4xf32>
  }
}
