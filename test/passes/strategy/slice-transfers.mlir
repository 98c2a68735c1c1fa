// RUN: pcc-opt %s --attach-cluster=cluster=2x8xH100 --strategy-slice-transfers --split-input-file | FileCheck %s
// RUN: pcc-opt %s --attach-cluster=cluster=2x8xH100 --strategy-slice-transfers --split-input-file --remark-format=emitRemark --remarks-filter=strategy 2>&1 | FileCheck %s --check-prefix=REMARK

// Eight ranks of a box hold the same 64 MB; the next stage is in another box. Each rank sends an eighth.
// CHECK-LABEL: func.func @large
// CHECK: pipe.transfer %{{.+}} from 0 to 1 {dist.in = [#dist.sharding<[tp, _]>], dist.out = [#dist.sharding<[tp, _]>]}
// REMARK: [Passed] slice-transfers | Category:strategy | {{.*}}sharding="{{\[}}tp, _{{\]}}"
module attributes {dist.mesh = #dist.mesh<tp=8>} {
  func.func @large(%x: tensor<4096x4096xf32> {dist.sharding = #dist.sharding<[_, _]>}) -> (tensor<4096x4096xf32> {dist.sharding = #dist.sharding<[_, _]>}) {
    %0 = pipe.transfer %x from 0 to 1 {dist.in = [#dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

// -----

// A small value arrives sooner than its slices would be gathered.
// CHECK-LABEL: func.func @small
// CHECK: pipe.transfer %{{.+}} from 0 to 1 {dist.in = [#dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]}
module attributes {dist.mesh = #dist.mesh<tp=8>} {
  func.func @small(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<[_, _]>}) {
    %0 = pipe.transfer %x from 0 to 1 {dist.in = [#dist.sharding<[_, _]>], dist.out = [#dist.sharding<[_, _]>]} : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// No other rank holds the same value, or no dimension is divisible.
// CHECK-LABEL: func.func @whole
// CHECK: pipe.transfer %{{.+}} from 0 to 1 {dist.in = [#dist.sharding<[tp, _]>]
// CHECK: pipe.transfer %{{.+}} from 0 to 1 {dist.in = [#dist.sharding<[_]>]
module attributes {dist.mesh = #dist.mesh<tp=8>} {
  func.func @whole(%x: tensor<4096x4096xf32> {dist.sharding = #dist.sharding<[tp, _]>}, %y: tensor<16777213xf32> {dist.sharding = #dist.sharding<[_]>}) -> (tensor<4096x4096xf32> {dist.sharding = #dist.sharding<[tp, _]>}, tensor<16777213xf32> {dist.sharding = #dist.sharding<[_]>}) {
    %0 = pipe.transfer %x from 0 to 1 {dist.in = [#dist.sharding<[tp, _]>], dist.out = [#dist.sharding<[tp, _]>]} : tensor<4096x4096xf32>
    %1 = pipe.transfer %y from 0 to 1 {dist.in = [#dist.sharding<[_]>], dist.out = [#dist.sharding<[_]>]} : tensor<16777213xf32>
    return %0, %1 : tensor<4096x4096xf32>, tensor<16777213xf32>
  }
}
