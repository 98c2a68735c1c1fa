// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// C7: a group over axes names axes of the mesh, each once.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{axis "tp" of the group is not an axis of the mesh "dp=4"}}
    %0 = dist.all_reduce sum %x over <axes [tp]> : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f() {
    // expected-error @below {{axis "dp" occurs twice in the group}}
    dist.barrier over <axes [dp, dp]>
    return
  }
}

// -----

// C8: lists of ranks partition the ranks.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f() {
    // expected-error @below {{expected ranks from 0 to 1 in the group, got 2; "dist.mesh" sets the ranks of a program}}
    %0 = dist.rank over <ranks [[0, 2]]>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f() {
    // expected-error @below {{rank 0 stands twice in the group}}
    %0 = dist.group_size over <ranks [[0], [0]]>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{rank 1 stands in no list of the group}}
    %0 = dist.all_reduce sum %x over <ranks [[0]]> : tensor<8xf32>
    return
  }
}

// -----

// expected-error @below {{expected at least one list of ranks}}
module attributes {test.group = #dist.group<ranks []>} {
}

// -----

// expected-error @below {{expected lists of at least one rank, got an empty one}}
module attributes {test.group = #dist.group<ranks [[0, 1], []]>} {
}

// -----

// C9: where the result's type depends on the group's size, all groups have the same.
module attributes {dist.mesh = #dist.mesh<dp=3>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected groups of equal size, got #dist.group<ranks}}
    %0 = dist.all_gather %x axis = 0 over <ranks [[0, 1], [2]]> : tensor<8xf32> to tensor<16xf32>
    return
  }
}

// -----

// C10: axes are dimensions of the tensor.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "axis" to be a dimension of 'tensor<8xf32>', got 1}}
    %0 = dist.all_gather %x axis = 1 : tensor<8xf32> to tensor<16xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "concat_axis" to be a dimension of 'tensor<8xf32>', got -1}}
    %0 = dist.all_to_all %x split = 0 concat = -1 : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

// C11: the result has the size that follows from the group.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected a result of type 'tensor<16xf32>', got 'tensor<8xf32>'}}
    %0 = dist.all_gather %x axis = 0 : tensor<8xf32> to tensor<8xf32>
    return
  }
}

// -----

// C12: what is cut divides.
module attributes {dist.mesh = #dist.mesh<dp=3>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{dimension 0 of size 8 is not divisible by the group's 3 ranks; counts that divide: 1, 2, 4, 8}}
    %0 = dist.reduce_scatter sum %x axis = 0 : tensor<8xf32> to tensor<2xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8x3xf32>) {
    // expected-error @below {{expected a result of type 'tensor<4x6xf32>', got 'tensor<8x3xf32>'}}
    %0 = dist.all_to_all %x split = 0 concat = 1 : tensor<8x3xf32> to tensor<8x3xf32>
    return
  }
}

// -----

// C13: the root is a position in every group.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "root" to be a position in a group of 2 ranks, got 2}}
    %0 = dist.broadcast %x root = 2 : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "root" to be a position in a group of 2 ranks, got -1}}
    %0 = dist.reduce sum %x root = -1 : tensor<8xf32>
    return
  }
}

// -----

// C9: one group size divides the gradients of all ranks.
module attributes {dist.mesh = #dist.mesh<dp=3>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected groups of equal size, got #dist.group<ranks}}
    %0 = dist.mirror %x mean over <ranks [[0, 1], [2]]> : tensor<8xf32>
    return
  }
}
