// RUN: pcc-opt %s --split-input-file --attach-cluster=cluster=1x8xH100 --dist-reshards-to-collectives --verify-diagnostics -o /dev/null
// RUN: pcc-opt %s --split-input-file --attach-cluster="cluster={form:'1x8xH100'}" --dist-reshards-to-collectives --verify-diagnostics | FileCheck %s

// With a machine, time decides: a small partial sum is reduced in one step. A large one is reduced
// in parts, because the ranks along x hold copies and can share the work.

module attributes {dist.mesh = #dist.mesh<x=2, y=4>} {
  // CHECK-LABEL: func.func @small
  // CHECK: dist.all_reduce
  // CHECK-NOT: dist.all_gather
  func.func @small(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = dist.reshard %a from [_, _] partial(sum: y) to [_, _] : tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
  // CHECK-LABEL: func.func @large
  // CHECK: dist.all_gather
  func.func @large(%a: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %0 = dist.reshard %a from [_, _] partial(sum: y) to [_, _] : tensor<8192x8192xf32>
    return %0 : tensor<8192x8192xf32>
  }
}

// -----

// Every rank needs a device.

// expected-error @below {{expected a cluster of at least 16 devices, one for each rank, got 8}}
module attributes {dist.mesh = #dist.mesh<x=16>} {
}
