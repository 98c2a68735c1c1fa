// A digit classifier, 784-512-512-10, whose parallelism is written by hand: the types are those of one of eight ranks.
// Every rank is fed the whole batch of 32 images and takes its own 4.
module attributes {dist.mesh = #dist.mesh<dp=8>} {
  graph.parameter @layer1.weight : tensor<512x784xf32> init(#graph.init<uniform, -0.0357, 0.0357>)
  graph.parameter @layer1.bias : tensor<512xf32> init(#graph.init<uniform, -0.0357, 0.0357>)
  graph.parameter @layer2.weight : tensor<512x512xf32> init(#graph.init<uniform, -0.0442, 0.0442>)
  graph.parameter @layer2.bias : tensor<512xf32> init(#graph.init<uniform, -0.0442, 0.0442>)
  graph.parameter @layer3.weight : tensor<10x512xf32> init(#graph.init<uniform, -0.0442, 0.0442>)
  graph.parameter @layer3.bias : tensor<10xf32> init(#graph.init<uniform, -0.0442, 0.0442>)

  func.func @forward(%batch: tensor<32x1x28x28xf32> {graph.role = #graph.role<input "x">},
                     %truth: tensor<32xi64> {graph.role = #graph.role<input "labels">},
                     %p1: tensor<512x784xf32> {graph.role = #graph.role<parameter "layer1.weight">},
                     %p2: tensor<512xf32> {graph.role = #graph.role<parameter "layer1.bias">},
                     %p3: tensor<512x512xf32> {graph.role = #graph.role<parameter "layer2.weight">},
                     %p4: tensor<512xf32> {graph.role = #graph.role<parameter "layer2.bias">},
                     %p5: tensor<10x512xf32> {graph.role = #graph.role<parameter "layer3.weight">},
                     %p6: tensor<10xf32> {graph.role = #graph.role<parameter "layer3.bias">})
      -> (tensor<f32> {graph.role = #graph.role<loss>},
          tensor<32x10xf32> {graph.role = #graph.role<output "logits">}) attributes {dist.local} {
    // x[rank * shard : rank * shard + shard], and the labels that belong to it.
    %rank = dist.rank
    %shard = graph.constant dense<4> : tensor<i64>
    %start = graph.mul %rank, %shard : tensor<i64>
    %x = graph.dynamic_slice %batch, %start axis = 0 : (tensor<32x1x28x28xf32>, tensor<i64>) -> tensor<4x1x28x28xf32>
    %labels = graph.dynamic_slice %truth, %start axis = 0 : (tensor<32xi64>, tensor<i64>) -> tensor<4xi64>

    // All ranks hold the same weights: the gradient of a weight is the mean of their gradients.
    %w1 = dist.mirror %p1 mean : tensor<512x784xf32>
    %b1 = dist.mirror %p2 mean : tensor<512xf32>
    %w2 = dist.mirror %p3 mean : tensor<512x512xf32>
    %b2 = dist.mirror %p4 mean : tensor<512xf32>
    %w3 = dist.mirror %p5 mean : tensor<10x512xf32>
    %b3 = dist.mirror %p6 mean : tensor<10xf32>

    // The network, on four images.
    %flat = graph.reshape %x : tensor<4x1x28x28xf32> to tensor<4x784xf32>
    %0 = graph.matmul %flat, %w1 {transpose_rhs} : tensor<4x784xf32>, tensor<512x784xf32>
    %1 = graph.broadcast %b1, [1] : tensor<512xf32> to tensor<4x512xf32>
    %2 = graph.add %0, %1 : tensor<4x512xf32>
    %3 = graph.relu %2 : tensor<4x512xf32>
    %4 = graph.matmul %3, %w2 {transpose_rhs} : tensor<4x512xf32>, tensor<512x512xf32>
    %5 = graph.broadcast %b2, [1] : tensor<512xf32> to tensor<4x512xf32>
    %6 = graph.add %4, %5 : tensor<4x512xf32>
    %7 = graph.relu %6 : tensor<4x512xf32>
    %8 = graph.matmul %7, %w3 {transpose_rhs} : tensor<4x512xf32>, tensor<10x512xf32>
    %9 = graph.broadcast %b3, [1] : tensor<10xf32> to tensor<4x10xf32>
    %own = graph.add %8, %9 : tensor<4x10xf32>

    // The loss of the whole batch: the mean over the ranks of their means.
    %mean = graph.softmax_cross_entropy %own, %labels : tensor<4x10xf32>, tensor<4xi64>
    %sum = dist.all_reduce sum %mean : tensor<f32>
    %size = dist.group_size
    %ranks = graph.cast %size : tensor<i64> to tensor<f32>
    %loss = graph.div %sum, %ranks : tensor<f32>

    // For evaluation: what all ranks said of the batch.
    %logits = dist.all_gather %own axis = 0 : tensor<4x10xf32> to tensor<32x10xf32>
    return %loss, %logits : tensor<f32>, tensor<32x10xf32>
  }
}
