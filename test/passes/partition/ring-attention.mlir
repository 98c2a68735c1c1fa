// RUN: pcc-opt %s --split-input-file --dist-localize --canonicalize --cse | FileCheck %s

// Each rank attends to its own block of the key, sends it on meanwhile, and then attends to the other one. The parts
// are weighed by the sums of their exponentials.

// CHECK-LABEL: func.func @all(
// CHECK-NOT: dist.block_exchange
// CHECK: %[[K:.+]] = dist.collective_permute %arg1 {{\[\[}}0, 1], [1, 0]] over <axes [sp]> : tensor<1x1x4x4xf32>
// CHECK: %[[V:.+]] = dist.collective_permute %arg2 {{\[\[}}0, 1], [1, 0]] over <axes [sp]> : tensor<1x1x4x4xf32>
// CHECK: %[[R:.+]], %[[L:.+]] = graph.attention %arg0, %arg1, %arg2 scale = 5.000000e-01 :
// CHECK: %[[R1:.+]], %[[L1:.+]] = graph.attention %arg0, %[[K]], %[[V]] scale = 5.000000e-01 :
// CHECK: %[[M:.+]] = graph.max %[[L]], %[[L1]]
// CHECK: %[[D:.+]] = graph.sub %[[L]], %[[M]]
// CHECK: %[[E:.+]] = graph.exp %[[D]]
// CHECK: %[[D1:.+]] = graph.sub %[[L1]], %[[M]]
// CHECK: %[[E1:.+]] = graph.exp %[[D1]]
// CHECK: %[[SUM:.+]] = graph.add %[[E]], %[[E1]]
// CHECK-DAG: graph.div %[[E]], %[[SUM]]
// CHECK-DAG: graph.div %[[E1]], %[[SUM]]
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @all(%q: tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                %k: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                %v: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0:2 = graph.attention %q, %k, %v scale = 0.5 {dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp]>]} : tensor<1x2x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>
    return %0#0 : tensor<1x2x8x4xf32>
  }
}

// -----

// Rank 0 takes quarters 0 and 3 of the positions, rank 1 quarters 1 and 2. In the second step, rank 0 sees nothing in
// the first pair of quarters, whose offset is -2, and all in the last one; rank 1 the other way round.

// CHECK-LABEL: func.func @causal(
// CHECK: %[[Q:.+]] = dist.block_exchange %arg0
// CHECK-SAME{LITERAL}: [[0, 0, 0, 0, 0, 0, 1, 2, 2, 4, 0, 0, 0, 0], [0, 1, 0, 0, 2, 0, 1, 2, 2, 4, 0, 0, 2, 0], [1, 0, 0, 0, 2, 0, 1, 2, 2, 4, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 1, 2, 2, 4, 0, 0, 2, 0]]
// CHECK: %[[Q0:.+]] = graph.slice %[[Q]] axis = 2 start = 0
// CHECK: %[[Q1:.+]] = graph.slice %[[Q]] axis = 2 start = 2
// CHECK: %[[K:.+]] = dist.block_exchange %arg1
// CHECK: dist.collective_permute %[[K]]
// CHECK: graph.attention %[[Q0]], {{.+}} scale = 5.000000e-01 {causal}
// CHECK: graph.attention %[[Q1]], {{.+}} scale = 5.000000e-01 :
// CHECK: graph.attention %[[Q1]], {{.+}} scale = 5.000000e-01 {causal}
// CHECK: %[[RANK:.+]] = dist.rank over <axes [sp]>
// CHECK: %[[BEHIND:.+]] = graph.compare ge %[[RANK]], %{{.+}} : tensor<i64>
// CHECK: %[[BLOCKS:.+]] = graph.select %[[BEHIND]]
// CHECK: %[[OFFSET:.+]] = graph.mul %[[BLOCKS]]
// CHECK: %[[OFFSET1:.+]] = graph.mul %[[BLOCKS]]
// CHECK: graph.attention %[[Q0]], {{.+}} scale = 5.000000e-01 offset(%[[OFFSET]] : tensor<i64>) {causal}
// CHECK: graph.attention %[[Q1]], {{.+}} scale = 5.000000e-01 :
// CHECK: graph.attention %[[Q1]], {{.+}} scale = 5.000000e-01 offset(%[[OFFSET1]] : tensor<i64>) {causal}
// CHECK: %[[JOINED:.+]] = graph.concat
// CHECK: dist.block_exchange %[[JOINED]]
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @causal(%q: tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                   %k: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                   %v: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0:2 = graph.attention %q, %k, %v scale = 0.5 {causal, dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp]>]} : tensor<1x2x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>
    return %0#0 : tensor<1x2x8x4xf32>
  }
}

// -----

// The gradients of a block of key and value follow it around the ring. They reach its rank while that works on its own
// block.

// CHECK-LABEL: func.func @gradient(
// CHECK: %[[K:.+]] = dist.collective_permute %arg1
// CHECK: %[[V:.+]] = dist.collective_permute %arg2
// CHECK: %[[DQ:.+]], %[[DK:.+]], %[[DV:.+]] = graph.attention_gradient %arg0, %[[K]], %[[V]], %arg3, %arg4, %arg5
// CHECK: %[[K1:.+]] = dist.collective_permute %[[DK]]
// CHECK: %[[V1:.+]] = dist.collective_permute %[[DV]]
// CHECK: %[[DQ1:.+]], %[[DK1:.+]], %[[DV1:.+]] = graph.attention_gradient %arg0, %arg1, %arg2, %arg3, %arg4, %arg5
// CHECK: %[[SQ:.+]] = graph.add %[[DQ]], %[[DQ1]]
// CHECK: %[[SK:.+]] = graph.add %[[K1]], %[[DK1]]
// CHECK: %[[SV:.+]] = graph.add %[[V1]], %[[DV1]]
// CHECK-NOT: dist.collective_permute
// CHECK: return %[[SQ]], %[[SK]], %[[SV]]
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @gradient(%q: tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                     %k: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                     %v: tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                     %r: tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                     %l: tensor<1x2x8xf32> {dist.sharding = #dist.sharding<[_, _, sp]>},
                     %g: tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x2x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
          tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
          tensor<1x1x8x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0:3 = graph.attention_gradient %q, %k, %v, %r, %l, %g scale = 0.5 {dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp]>, #dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>]} : tensor<1x2x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8xf32>
    return %0#0, %0#1, %0#2 : tensor<1x2x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>
  }
}

// -----

// An odd block has no halves: positions stay where they are.

// CHECK-LABEL: func.func @odd(
// CHECK-NOT: dist.block_exchange
// CHECK: graph.attention {{.+}} scale = 5.000000e-01 {causal}
// CHECK: graph.attention {{.+}} offset({{.+}}) {causal}
// CHECK-NOT: dist.block_exchange
module attributes {dist.mesh = #dist.mesh<sp=2>} {
  func.func @odd(%q: tensor<1x2x6x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                %k: tensor<1x1x6x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>},
                %v: tensor<1x1x6x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>})
      -> (tensor<1x2x6x4xf32> {dist.sharding = #dist.sharding<[_, _, sp, _]>}) {
    %0:2 = graph.attention %q, %k, %v scale = 0.5 {causal, dist.in = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp, _]>], dist.out = [#dist.sharding<[_, _, sp, _]>, #dist.sharding<[_, _, sp]>]} : tensor<1x2x6x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>
    return %0#0 : tensor<1x2x6x4xf32>
  }
}
