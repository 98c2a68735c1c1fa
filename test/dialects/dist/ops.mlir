// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// Every op is parsed as it is printed.

// CHECK: module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>}
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  // CHECK-LABEL: func.func @shardings
  func.func @shardings(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    // CHECK: dist.reshard %{{.+}} from [dp, _] to [_, dp.tp] : tensor<8x4xf32>
    %0 = dist.reshard %x from [dp, _] to [_, dp.tp] : tensor<8x4xf32>
    // CHECK: dist.to_local %{{.+}} [dp, _] partial(sum: tp) : tensor<8x4xf32> to tensor<4x4xf32>
    %1 = dist.to_local %0 [dp, _] partial(sum: tp) : tensor<8x4xf32> to tensor<4x4xf32>
    // CHECK: dist.to_global %{{.+}} [dp, _] : tensor<4x4xf32> to tensor<8x4xf32>
    %2 = dist.to_global %1 [dp, _] : tensor<4x4xf32> to tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }

  // CHECK-LABEL: func.func @collectives
  func.func @collectives(%x: tensor<8x4xf32>) -> (tensor<i64>, tensor<i64>) {
    // CHECK: dist.all_reduce {{ ?}}sum %{{.+}} over <axes [dp]> : tensor<8x4xf32>
    %0 = dist.all_reduce sum %x over <axes [dp]> : tensor<8x4xf32>
    // CHECK: dist.all_reduce {{ ?}}max %{{.+}} : tensor<8x4xf32>
    %1 = dist.all_reduce max %0 : tensor<8x4xf32>
    // CHECK: dist.all_gather %{{.+}} axis = 1 over <axes [dp, tp]> : tensor<8x4xf32> to tensor<8x16xf32>
    %2 = dist.all_gather %1 axis = 1 over <axes [dp, tp]> : tensor<8x4xf32> to tensor<8x16xf32>
    // CHECK: dist.reduce_scatter {{ ?}}sum %{{.+}} axis = 1 over <ranks {{\[}}[0, 1], [2, 3]]> : tensor<8x16xf32> to tensor<8x8xf32>
    %3 = dist.reduce_scatter sum %2 axis = 1 over <ranks [[0, 1], [2, 3]]> : tensor<8x16xf32> to tensor<8x8xf32>
    // CHECK: dist.broadcast %{{.+}} root = 1 over <axes [tp]> : tensor<8x8xf32>
    %4 = dist.broadcast %3 root = 1 over <axes [tp]> : tensor<8x8xf32>
    // CHECK: dist.reduce {{ ?}}prod %{{.+}} root = 3 : tensor<8x8xf32>
    %5 = dist.reduce prod %4 root = 3 : tensor<8x8xf32>
    // CHECK: dist.all_to_all %{{.+}} split = 0 concat = 1 over <axes [tp]> : tensor<8x8xf32> to tensor<4x16xf32>
    %6 = dist.all_to_all %5 split = 0 concat = 1 over <axes [tp]> : tensor<8x8xf32> to tensor<4x16xf32>
    // CHECK: dist.mirror %{{.+}} : tensor<4x16xf32>
    %m = dist.mirror %6 : tensor<4x16xf32>
    // CHECK: dist.mirror %{{.+}} mean over <axes [dp]> : tensor<4x16xf32>
    %n = dist.mirror %m mean over <axes [dp]> : tensor<4x16xf32>
    // CHECK: dist.barrier over <axes [dp]>
    dist.barrier over <axes [dp]>
    // CHECK: dist.rank{{$}}
    %7 = dist.rank
    // CHECK: dist.group_size over <axes [tp]>
    %8 = dist.group_size over <axes [tp]>
    return %7, %8 : tensor<i64>, tensor<i64>
  }

  // CHECK-LABEL: func.func @exchanges
  func.func @exchanges(%x: tensor<4x2xf32>, %tile: tensor<1x1x4x4xf32>) {
    // CHECK: dist.collective_permute %{{.+}} {{\[}}[0, 1], [1, 0]] over <axes [tp]> : tensor<4x2xf32>
    %0 = dist.collective_permute %x [[0, 1], [1, 0]] over <axes [tp]> : tensor<4x2xf32>
    // CHECK: dist.block_exchange %{{.+}} {{\[}}[0, 1, 0, 0, 4, 2, 0, 0], [1, 1, 0, 0, 4, 2, 0, 0]] over <axes [tp]> : tensor<4x2xf32> to tensor<4x2xf32>
    %1 = dist.block_exchange %x [[0, 1, 0, 0, 4, 2, 0, 0], [1, 1, 0, 0, 4, 2, 0, 0]] over <axes [tp]> : tensor<4x2xf32> to tensor<4x2xf32>
    // CHECK: dist.block_exchange %{{.+}} adding {{\[}}[0, 1, 0, 0, 2, 2, 1, 0]] over <axes [tp]> : tensor<4x2xf32> to tensor<5x2xf32>
    %5 = dist.block_exchange %x adding [[0, 1, 0, 0, 2, 2, 1, 0]] over <axes [tp]> : tensor<4x2xf32> to tensor<5x2xf32>
    // CHECK: dist.neighbor_exchange %{{.+}} send {{\[}}[1], [-1]] receive {{\[}}[-1], [0]] over <axes [tp]> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %2 = dist.neighbor_exchange %x send [[1], [-1]] receive [[-1], [0]] over <axes [tp]> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // CHECK: dist.neighbor_exchange_v2 %{{.+}} send {{.+}} [0, 1, 0, 0] receive {{.+}} [1, 0, 0, 0] over <axes [tp]> : tensor<1x1x4x4xf32> to tensor<1x1x5x4xf32>
    %3 = dist.neighbor_exchange_v2 %tile send [[-1, -1, -1, -1, 1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]] [0, 1, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1, -1, -1, -1]] [1, 0, 0, 0]
        over <axes [tp]> : tensor<1x1x4x4xf32> to tensor<1x1x5x4xf32>
    // CHECK: dist.send %{{.+}} to [1, -1, -1, -1] {tag = 7 : i64} : tensor<4x2xf32>
    dist.send %x to [1, -1, -1, -1] {tag = 7 : i64} : tensor<4x2xf32>
    // CHECK: dist.recv from [-1, 0, -1, -1] {tag = 7 : i64} : tensor<4x2xf32>
    %4 = dist.recv from [-1, 0, -1, -1] {tag = 7 : i64} : tensor<4x2xf32>
    return
  }
}
