// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// C1: the sharding has as many dimensions as the tensor.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @below {{expected a sharding of 2 dimensions, got "[dp]"}}
    %0 = dist.reshard %x from [dp] to [_, _] : tensor<8x4xf32>
    return
  }
}

// -----

// C2: its axes are axes of the mesh.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{axis "dp" of sharding "[dp]" is not an axis of the mesh ""}}
  %0 = dist.reshard %x from [dp] to [_] : tensor<8xf32>
  return
}

// -----

// C3: each axis is used once.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8x4xf32>) {
    // expected-error @below {{axis "dp" occurs twice in sharding "[dp, dp]"}}
    %0 = dist.reshard %x from [_, _] to [dp, dp] : tensor<8x4xf32>
    return
  }
}

// -----

// C4: cuts are even.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<6xf32>) {
    // expected-error @below {{dimension 0 of size 6 is not divisible by 4 shards ("dp"); counts that divide: 1, 2, 3, 6}}
    %0 = dist.reshard %x from [dp] to [_] : tensor<6xf32>
    return
  }
}

// -----

// C5: only numbers can be partial.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xi1>) {
    // expected-error @below {{expected a tensor of numbers under the partial sharding "[_] partial(sum: dp)", got 'tensor<8xi1>'}}
    %0 = dist.reshard %x from [_] partial(sum: dp) to [_] : tensor<8xi1>
    return
  }
}

// -----

// C6: blocks have the local shape.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected blocks of type 'tensor<2xf32>', got 'tensor<4xf32>'}}
    %0 = dist.to_local %x [dp] : tensor<8xf32> to tensor<4xf32>
    return
  }
}

// -----

// Meshes and groups are verified where they occur.
// expected-error @below {{axis "dp" occurs twice in the mesh}}
module attributes {dist.mesh = #dist.mesh<dp=4, dp=2>} {
}

// -----

// expected-error @below {{expected "dist.mesh" to be a mesh, got 4 : i64}}
module attributes {dist.mesh = 4} {
}

// -----

// expected-error @below {{expected sum, max, min or prod, got "mean"}}
func.func private @f(tensor<8xf32> {dist.sharding = #dist.sharding<[_] partial(mean: dp)>})

// -----

// expected-error @below {{expected axes joined by dots, got "a..b"}}
func.func private @f(tensor<8xf32> {dist.sharding = #dist.sharding<[a..b]>})

// -----

// Annotations on functions.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{argument 0: dimension 0 of size 6 is not divisible by 4 shards}}
  func.func private @f(tensor<6xf32> {dist.sharding = #dist.sharding<[dp]>})
}

// -----

// A local function has blocks, so any size is valid.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func private @f(tensor<6xf32> {dist.sharding = #dist.sharding<[dp]>}) attributes {dist.local}
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{expected "dist.sharding" of result 0 to be the sharding of a tensor, got 1 : i64 on 'tensor<6xf32>'}}
  func.func private @f() -> (tensor<6xf32> {dist.sharding = 1})
}

// -----

// expected-error @below {{expected "dist.own" of argument 0 to have no value, got 1 : i64}}
func.func private @f(tensor<6xf32> {dist.own = 1})

// -----

// expected-error @below {{expected "dist.gradient_factor" of result 0 to be an f64, got 8 : i64}}
func.func private @f() -> (tensor<6xf32> {dist.gradient_factor = 8})

// -----

// expected-error @below {{expected "dist.local" to have no value, got 1 : i64}}
func.func private @f() attributes {dist.local = 1}

// -----

// Annotations on parameters.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{expected "dist.sharding" of the parameter to be the sharding of a tensor, got 1 : i64 on 'tensor<8xf32>'}}
  graph.parameter @w : tensor<8xf32> init(<zeros>) {dist.sharding = 1}
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{the parameter: axis "tp" of sharding "[tp]" is not an axis of the mesh "dp=4"}}
  graph.parameter @w : tensor<8xf32> init(<zeros>) {dist.sharding = #dist.sharding<[tp]>}
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{the parameter: dimension 0 of size 6 is not divisible by 4 shards}}
  graph.parameter @w : tensor<6xf32> init(<zeros>) {dist.sharding = #dist.sharding<[dp]>}
}

// -----

// Annotations on ops.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xf32>) {
    // expected-error @below {{expected "dist.in" to be a list of 2 shardings, got [#dist.sharding<[dp]>]}}
    %0 = graph.add %x, %x {dist.in = [#dist.sharding<[dp]>]} : tensor<8xf32>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<6xf32>) {
    // expected-error @below {{"dist.out" 0: dimension 0 of size 6 is not divisible by 4 shards}}
    %0 = graph.relu %x {dist.out = [#dist.sharding<[dp]>]} : tensor<6xf32>
    return
  }
}

// -----

// C5 holds for annotations, too: only numbers are partial, and values of unknown size have no sharding.
module attributes {dist.mesh = #dist.mesh<dp=4>} {
  func.func @f(%x: tensor<8xi1>) {
    // expected-error @below {{"dist.in" 0: expected a tensor of numbers under the partial sharding "[_] partial(sum: dp)", got 'tensor<8xi1>'}}
    %0 = graph.not %x {dist.in = [#dist.sharding<[_] partial(sum: dp)>]} : tensor<8xi1>
    return
  }
}

// -----

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // expected-error @below {{argument 0: expected a tensor of static shape under a sharding, got 'tensor<?xf32>'}}
  func.func private @f(tensor<?xf32> {dist.sharding = #dist.sharding<[dp]>}) attributes {dist.local}
}

// -----

// expected-error @below {{expected "dist.fusion" to be a non-negative i64, got -1 : i64}}
graph.parameter @w : tensor<4xf32> init(<zeros>) {dist.fusion = -1 : i64}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected "dist.fusion" on a parameter, an all_reduce, an all_gather or a reduce_scatter}}
  %0 = graph.exp %x {dist.fusion = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A function is a symbol, too.
// expected-error @below {{expected "dist.fusion" on a parameter, an all_reduce, an all_gather or a reduce_scatter}}
func.func private @f(tensor<4xf32>) attributes {dist.fusion = 1 : i64}
