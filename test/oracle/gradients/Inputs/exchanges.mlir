// Cases of the gradient check (../Case.h) on several ranks: transfers between pairs of ranks. Every
// rank has values of its own.

module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {
  // Position 0 does not send, position 1 does not receive.
  func.func @permute(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.collective_permute %x [[1, 2], [2, 0]] over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @permute_lists(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = dist.collective_permute %x [[0, 1], [1, 0]] over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<4xf32>
    return %r : tensor<4xf32>
  }

  // Several ranks read the same elements, and some elements are not read.
  func.func @block_exchange(%x: tensor<4x4xf32>) -> tensor<2x4xf32> {
    %r = dist.block_exchange %x [[0, 1, 0, 0, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 0, 2],
                                 [1, 1, 0, 0, 2, 2, 0, 2], [1, 0, 2, 2, 2, 2, 0, 0]]
        over <axes [x]> : tensor<4x4xf32> to tensor<2x4xf32>
    return %r : tensor<2x4xf32>
  }
  // Blocks that overlap and omit elements.
  func.func @block_exchange_adding(%x: tensor<4xf32>) -> tensor<6xf32> {
    %r = dist.block_exchange %x adding [[0, 1, 0, 3, 0], [0, 2, 1, 3, 2], [0, 0, 3, 1, 2], [2, 0, 0, 4, 1]]
        over <axes [y]> : tensor<4xf32> to tensor<6xf32>
    return %r : tensor<6xf32>
  }

  // A ring of two directions, as in a halo exchange along one dimension.
  func.func @neighbor_exchange(%a: tensor<2xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
    %r:2 = dist.neighbor_exchange %a, %b send [[1, 2], [2, 0], [0, 1]] receive [[1, 2], [2, 0], [0, 1]]
        over <axes [y]> : (tensor<2xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
    return %r#0, %r#1 : tensor<3xf32>, tensor<2xf32>
  }
  // Two tensors between one pair of ranks, ends without a neighbor, and an unused result.
  func.func @neighbor_exchange_ends(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %r:2 = dist.neighbor_exchange %a, %b send [[1, 1], [-1, 2], [-1, -1]] receive [[-1, -1], [0, 0], [1, -1]]
        over <axes [y]> : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %r#0 : tensor<2xf32>
  }

  // Tiles in a 2x3 grid; each gets the borders of all its neighbors.
  func.func @neighbor_exchange_v2(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x6x5xf32> {
    %r = dist.neighbor_exchange_v2 %x
        send [[-1, -1, 1, 4, 3, -1, -1, -1], [-1, -1, 2, 5, 4, 3, 0, -1], [-1, -1, -1, -1, 5, 4, 1, -1],
              [0, 1, 4, -1, -1, -1, -1, -1], [1, 2, 5, -1, -1, -1, 3, 0], [2, -1, -1, -1, -1, -1, 4, 1]]
        [1, 2, 1, 1]
        receive [[-1, -1, 1, 4, 3, -1, -1, -1], [-1, -1, 2, 5, 4, 3, 0, -1], [-1, -1, -1, -1, 5, 4, 1, -1],
                 [0, 1, 4, -1, -1, -1, -1, -1], [1, 2, 5, -1, -1, -1, 3, 0], [2, -1, -1, -1, -1, -1, 4, 1]]
        [2, 1, 1, 1] : tensor<1x2x3x3xf32> to tensor<1x2x6x5xf32>
    return %r : tensor<1x2x6x5xf32>
  }

  // Sends along a line.
  func.func @send_recv(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %square = graph.mul %x, %x : tensor<2x2xf32>
    dist.send %square to [1, 2, 3, 4, 5, -1] {tag = 3 : i64} : tensor<2x2xf32>
    %r = dist.recv from [-1, 0, 1, 2, 3, 4] {tag = 3 : i64} : tensor<2x2xf32>
    return %r : tensor<2x2xf32>
  }
  // The receive precedes the send in the text: odd ranks receive what even ranks send. A value also
  // goes around under another tag.
  func.func @recv_first(%x: tensor<2xf32>) -> tensor<2xf32> {
    %got = dist.recv from [-1, 0, -1, 2, -1, 4] : tensor<2xf32>
    dist.send %x to [1, -1, 3, -1, 5, -1] : tensor<2xf32>
    %both = graph.mul %got, %x : tensor<2xf32>
    dist.send %both to [-1, 0, -1, 2, -1, 4] {tag = 1 : i64} : tensor<2xf32>
    %back = dist.recv from [1, -1, 3, -1, 5, -1] {tag = 1 : i64} : tensor<2xf32>
    %r = graph.add %back, %x : tensor<2xf32>
    return %r : tensor<2xf32>
  }
  // Two tensors under one tag, of which the second is not used. The gradient of the first still
  // goes back to its sender.
  func.func @send_unused(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    dist.send %x to [1, -1, -1, -1, -1, -1] : tensor<2xf32>
    dist.send %y to [1, -1, -1, -1, -1, -1] : tensor<2xf32>
    %a = dist.recv from [-1, 0, -1, -1, -1, -1] : tensor<2xf32>
    %b = dist.recv from [-1, 0, -1, -1, -1, -1] : tensor<2xf32>
    %r = graph.add %a, %x : tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
