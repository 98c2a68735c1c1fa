// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// C14: pairs of positions, each at most once a source and once a target.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected pairs of source and target, got a row of 3}}
    %0 = dist.collective_permute %x [[0, 1, 0]] : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected positions from 0 to 1, got 2}}
    %0 = dist.collective_permute %x [[0, 2]] : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{position 0 is a source twice}}
    %0 = dist.collective_permute %x [[0, 1], [0, 0]] : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{position 1 is a target twice}}
    %0 = dist.collective_permute %x [[0, 1], [1, 1]] : tensor<8xf32>
    return
  }
}

// -----

// C15: blocks lie within the tensors and cover each result.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected rows of 5 numbers, got 4}}
    %0 = dist.block_exchange %x [[0, 1, 0, 8]] : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected boxes within 'tensor<8xf32>', got offset [4] and size [8]}}
    %0 = dist.block_exchange %x [[0, 1, 4, 8, 0]] : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected boxes within 'tensor<8xf32>', got offset [9223372036854775807] and size [8]}}
    %0 = dist.block_exchange %x [[0, 1, 9223372036854775807, 8, 0]] : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected blocks of 8 elements for position 1, got 0}}
    %0 = dist.block_exchange %x [[0, 1, 0, 8, 0]] : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected a result of the rank and element type of 'tensor<8xf32>', got 'tensor<8xi32>'}}
    %0 = dist.block_exchange %x [[0, 1, 0, 8, 0]] : tensor<8xf32> to tensor<8xi32>
    return
  }
}

// -----

// C16: one row of neighbours for each rank of the group, one column for each tensor.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "send" to have 2 rows, one per rank of the group, got 1}}
    %0 = dist.neighbor_exchange %x send [[1]] receive [[1], [0]] : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected rows of 1 positions in "receive", got 2}}
    %0 = dist.neighbor_exchange %x send [[1], [0]] receive [[1, 0], [0, 1]] : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected positions from -1 to 1, got -2}}
    %0 = dist.neighbor_exchange %x send [[1], [-2]] receive [[1], [0]] : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

// C17: one peer, which is another rank, for each rank of the program.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected one peer for each of 2 ranks, got 1}}
    dist.send %x to [1] : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected peers from -1 to 1, got 2}}
    dist.send %x to [2, -1] : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f() {
    // expected-error @below {{rank 1 is its own peer}}
    %0 = dist.recv from [-1, 1] : tensor<8xf32>
    return
  }
}

// -----

// C18: tiles are NCHW, with four borders that lie within them.
module attributes {dist.mesh = #dist.mesh<dp=1>} {
  func.func @f(%x: tensor<4x4xf32>) {
    // expected-error @below {{expected an input of 4 dimensions (NCHW), got 'tensor<4x4xf32>'}}
    %0 = dist.neighbor_exchange_v2 %x send [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 0] : tensor<4x4xf32> to tensor<4x4xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=1>} {
  func.func @f(%x: tensor<1x1x4x4xf32>) {
    // expected-error @below {{expected four widths of at least 0 (top, bottom, left, right), got [0, -1, 0, 0]}}
    %0 = dist.neighbor_exchange_v2 %x send [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, -1, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 0] : tensor<1x1x4x4xf32> to tensor<1x1x4x4xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=1>} {
  func.func @f(%x: tensor<1x1x4x4xf32>) {
    // expected-error @below {{expected borders within the tile 'tensor<1x1x4x4xf32>', got [5, 0, 0, 0]}}
    %0 = dist.neighbor_exchange_v2 %x send [[-1, -1, -1, -1, -1, -1, -1, -1]] [5, 0, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 0] : tensor<1x1x4x4xf32> to tensor<1x1x4x4xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=1>} {
  func.func @f(%x: tensor<1x1x4x4xf32>) {
    // expected-error @below {{expected a result of type 'tensor<1x1x5x4xf32>', got 'tensor<1x1x4x4xf32>'}}
    %0 = dist.neighbor_exchange_v2 %x send [[-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1]] [1, 0, 0, 0] : tensor<1x1x4x4xf32> to tensor<1x1x4x4xf32>
    return
  }
}

// -----

// C19: what is received has the type of what is sent.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
    // expected-error @below {{expected result #1 of type 'tensor<4xf32>', which position 1 sends to position 0, got 'tensor<8xf32>'}}
    %0:2 = dist.neighbor_exchange %x, %y send [[1, 1], [0, 0]] receive [[1, 1], [0, 0]]
        : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return
  }
}

// -----

// C19: what is received is sent.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{position 0 receives from position 1, which does not send to it}}
    %0 = dist.neighbor_exchange %x send [[-1], [-1]] receive [[1], [-1]] : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
}

// -----

// C20: neighbours lie on opposite sides of one another, and their borders are of one size.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<1x1x2x2xf32>) {
    // expected-error @below {{position 1 receives from position 0, which does not send to it on the opposite side}}
    %0 = dist.neighbor_exchange_v2 %x send [[1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]] [1, 1, 0, 0]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1, -1, -1, -1]] [1, 0, 0, 0]
        : tensor<1x1x2x2xf32> to tensor<1x1x3x2xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<1x1x2x2xf32>) {
    // expected-error @below {{expected a border of 2x1 from position 0, got 2x2}}
    %0 = dist.neighbor_exchange_v2 %x send [[-1, -1, 1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1]] [0, 0, 0, 2]
        receive [[-1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, 0, -1]] [0, 0, 1, 0]
        : tensor<1x1x2x2xf32> to tensor<1x1x2x3xf32>
    return
  }
}

// -----

// C21: only numbers are added.
module attributes {dist.mesh = #dist.mesh<dp=1>} {
  func.func @f(%x: tensor<8xi1>) {
    // expected-error @below {{expected numbers to add, got 'tensor<8xi1>'}}
    %0 = dist.block_exchange %x adding [[0, 0, 0, 8, 0]] : tensor<8xi1> to tensor<8xi1>
    return
  }
}
