// perceptron.mlir as the programs of two stages of two ranks, as the compilation pipeline makes them for
// two microbatches, loss softmax_cross_entropy and optimizer momentum,lr=0.1: the layers are the stages.
module attributes {dist.mesh = #dist.mesh<dp=2>} {
  module @stage0 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 0 : i64} {
    graph.parameter @fc1.weight : tensor<16x8xf32> init(#graph.init<normal, 0.0, 0.1>)
    graph.parameter @fc1.weight.velocity : tensor<16x8xf32> init(#graph.init<zeros>) {graph.state_of = @fc1.weight, trainable = false}
    graph.parameter @fc1.bias : tensor<16xf32> init(#graph.init<zeros>)
    graph.parameter @fc1.bias.velocity : tensor<16xf32> init(#graph.init<zeros>) {graph.state_of = @fc1.bias, trainable = false}
    func.func @forward(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">},
                       %w1: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                       %b1: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">}) attributes {dist.local} {
      %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32>
      %1 = graph.broadcast %b1, [1] : tensor<16xf32> to tensor<4x16xf32>
      %2 = graph.add %0, %1 : tensor<4x16xf32>
      %3 = graph.relu %2 : tensor<4x16xf32>
      pipe.send %3 to 1 tag = 0 : tensor<4x16xf32>
      return
    }
    func.func @forward_train(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">},
                             %w1: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                             %b1: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">})
        -> (tensor<4x16xf32> {graph.role = #graph.role<saved "relu">}) attributes {dist.local} {
      %0 = graph.matmul %x, %w1 {transpose_rhs} : tensor<4x8xf32>, tensor<16x8xf32>
      %1 = graph.broadcast %b1, [1] : tensor<16xf32> to tensor<4x16xf32>
      %2 = graph.add %0, %1 : tensor<4x16xf32>
      %3 = graph.relu %2 : tensor<4x16xf32>
      pipe.send %3 to 1 tag = 1 : tensor<4x16xf32>
      return %3 : tensor<4x16xf32>
    }
    func.func @backward(%x: tensor<4x8xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<input "x">},
                        %relu: tensor<4x16xf32> {graph.role = #graph.role<saved "relu">})
        -> (tensor<16x8xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "fc1.weight">, pipe.accumulate = #pipe.accumulate<scale = 0.5>},
            tensor<16xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>, graph.role = #graph.role<gradient "fc1.bias">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) attributes {dist.local} {
      %g = pipe.recv from 1 tag = 0 : tensor<4x16xf32>
      %zero = graph.constant dense<0.0> : tensor<4x16xf32>
      %two = graph.constant dense<2.0> : tensor<16x8xf32>
      %two1 = graph.constant dense<2.0> : tensor<16xf32>
      %0 = graph.compare gt %relu, %zero : tensor<4x16xf32>
      %1 = graph.select %0, %g, %zero : tensor<4x16xf32>
      %2 = graph.reduce sum %1, [0] : tensor<4x16xf32>
      %3 = graph.matmul %1, %x {transpose_lhs} : tensor<4x16xf32>, tensor<4x8xf32>
      %4 = graph.mul %3, %two : tensor<16x8xf32>
      %5 = graph.mul %2, %two1 : tensor<16xf32>
      return %4, %5 : tensor<16x8xf32>, tensor<16xf32>
    }
    func.func @update(%w: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">},
                      %b: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">},
                      %gw: tensor<16x8xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "fc1.weight">},
                      %gb: tensor<16xf32> {dist.sharding = #dist.sharding<[_] partial(sum: dp)>, graph.role = #graph.role<gradient "fc1.bias">},
                      %vw: tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight.velocity">},
                      %vb: tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias.velocity">})
        -> (tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight">}, tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias">},
            tensor<16x8xf32> {graph.role = #graph.role<parameter "fc1.weight.velocity">}, tensor<16xf32> {graph.role = #graph.role<parameter "fc1.bias.velocity">}) attributes {dist.local} {
      %rate = graph.constant dense<0.1> : tensor<16x8xf32>
      %rate1 = graph.constant dense<0.1> : tensor<16xf32>
      %keep = graph.constant dense<0.9> : tensor<16x8xf32>
      %keep1 = graph.constant dense<0.9> : tensor<16xf32>
      %0 = dist.all_reduce sum %gw over <axes [dp]> : tensor<16x8xf32>
      %1 = dist.all_reduce sum %gb over <axes [dp]> : tensor<16xf32>
      %2 = graph.mul %vw, %keep : tensor<16x8xf32>
      %3 = graph.add %2, %0 : tensor<16x8xf32>
      %4 = graph.mul %3, %rate : tensor<16x8xf32>
      %5 = graph.sub %w, %4 : tensor<16x8xf32>
      %6 = graph.mul %vb, %keep1 : tensor<16xf32>
      %7 = graph.add %6, %1 : tensor<16xf32>
      %8 = graph.mul %7, %rate1 : tensor<16xf32>
      %9 = graph.sub %b, %8 : tensor<16xf32>
      return %5, %9, %3, %7 : tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<16xf32>
    }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @update
    }
  }
  module @stage1 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
    graph.parameter @fc2.weight : tensor<5x16xf32> init(#graph.init<normal, 0.0, 0.1>)
    graph.parameter @fc2.weight.velocity : tensor<5x16xf32> init(#graph.init<zeros>) {graph.state_of = @fc2.weight, trainable = false}
    func.func @forward(%w2: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">})
        -> (tensor<4x5xf32> {dist.sharding = #dist.sharding<[dp, _]>, graph.role = #graph.role<output "logits">}) attributes {dist.local} {
      %x = pipe.recv from 0 tag = 0 : tensor<4x16xf32>
      %0 = graph.matmul %x, %w2 {transpose_rhs} : tensor<4x16xf32>, tensor<5x16xf32>
      return %0 : tensor<4x5xf32>
    }
    func.func @forward_train(%labels: tensor<4xi64> {dist.sharding = #dist.sharding<[dp]>, graph.role = #graph.role<input "labels">},
                             %w2: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">})
        -> (tensor<f32> {dist.sharding = #dist.sharding<[] partial(sum: dp)>, graph.role = #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.0>},
            tensor<4x16xf32> {graph.role = #graph.role<saved "relu">}, tensor<4x5xf32> {graph.role = #graph.role<saved "exp">},
            tensor<4xf32> {graph.role = #graph.role<saved "sum">}) attributes {dist.local} {
      %x = pipe.recv from 0 tag = 1 : tensor<4x16xf32>
      %half = graph.constant dense<0.5> : tensor<f32>
      %0 = graph.matmul %x, %w2 {transpose_rhs} : tensor<4x16xf32>, tensor<5x16xf32>
      %1 = graph.one_hot %labels axis = 1 : tensor<4xi64> to tensor<4x5xf32>
      %2 = graph.reduce max %0, [1] : tensor<4x5xf32>
      %3 = graph.broadcast %2, [0] : tensor<4xf32> to tensor<4x5xf32>
      %4 = graph.sub %0, %3 : tensor<4x5xf32>
      %5 = graph.exp %4 : tensor<4x5xf32>
      %6 = graph.reduce sum %5, [1] : tensor<4x5xf32>
      %7 = graph.log %6 : tensor<4xf32>
      %8 = graph.broadcast %7, [0] : tensor<4xf32> to tensor<4x5xf32>
      %9 = graph.sub %4, %8 : tensor<4x5xf32>
      %10 = graph.mul %1, %9 : tensor<4x5xf32>
      %11 = graph.reduce sum %10, [1] : tensor<4x5xf32>
      %12 = graph.neg %11 : tensor<4xf32>
      %13 = graph.reduce mean %12, [0] : tensor<4xf32>
      %14 = graph.mul %13, %half : tensor<f32>
      return %14, %x, %5, %6 : tensor<f32>, tensor<4x16xf32>, tensor<4x5xf32>, tensor<4xf32>
    }
    func.func @backward(%labels: tensor<4xi64> {dist.sharding = #dist.sharding<[dp]>, graph.role = #graph.role<input "labels">},
                        %x: tensor<4x16xf32> {graph.role = #graph.role<saved "relu">}, %exp: tensor<4x5xf32> {graph.role = #graph.role<saved "exp">},
                        %sum: tensor<4xf32> {graph.role = #graph.role<saved "sum">}, %w2: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">})
        -> (tensor<5x16xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "fc2.weight">, pipe.accumulate = #pipe.accumulate<scale = 0.5>}) attributes {dist.local} {
      %eighth = graph.constant dense<0.125> : tensor<4x5xf32>
      %two = graph.constant dense<2.0> : tensor<5x16xf32>
      %0 = graph.one_hot %labels axis = 1 : tensor<4xi64> to tensor<4x5xf32>
      %1 = graph.broadcast %sum, [0] : tensor<4xf32> to tensor<4x5xf32>
      %2 = graph.div %exp, %1 : tensor<4x5xf32>
      %3 = graph.sub %2, %0 : tensor<4x5xf32>
      %4 = graph.mul %3, %eighth : tensor<4x5xf32>
      %5 = graph.matmul %4, %w2 : tensor<4x5xf32>, tensor<5x16xf32>
      pipe.send %5 to 0 tag = 0 : tensor<4x16xf32>
      %6 = graph.matmul %4, %x {transpose_lhs} : tensor<4x5xf32>, tensor<4x16xf32>
      %7 = graph.mul %6, %two : tensor<5x16xf32>
      return %7 : tensor<5x16xf32>
    }
    func.func @update(%w: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">},
                      %gw: tensor<5x16xf32> {dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>, graph.role = #graph.role<gradient "fc2.weight">},
                      %vw: tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight.velocity">})
        -> (tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight">}, tensor<5x16xf32> {graph.role = #graph.role<parameter "fc2.weight.velocity">}) attributes {dist.local} {
      %rate = graph.constant dense<0.1> : tensor<5x16xf32>
      %keep = graph.constant dense<0.9> : tensor<5x16xf32>
      %0 = dist.all_reduce sum %gw over <axes [dp]> : tensor<5x16xf32>
      %1 = graph.mul %vw, %keep : tensor<5x16xf32>
      %2 = graph.add %1, %0 : tensor<5x16xf32>
      %3 = graph.mul %2, %rate : tensor<5x16xf32>
      %4 = graph.sub %w, %3 : tensor<5x16xf32>
      return %4, %2 : tensor<5x16xf32>, tensor<5x16xf32>
    }
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
      pipe.action @backward microbatch = 1 copy = 0
      pipe.action @update
    }
  }
}
