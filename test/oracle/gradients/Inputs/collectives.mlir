// Cases of the gradient check (../Case.h) on several ranks: collectives over groups by mesh axes and
// by lists of ranks. Every rank has values of its own.

module attributes {dist.mesh = #dist.mesh<dp=2>} {
  func.func @all_reduce_sum_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_2_all(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_2_all(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_2_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_2_all(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %r = dist.all_gather %x axis = 1 : tensor<2x3xf32> to tensor<2x6xf32>
    return %r : tensor<2x6xf32>
  }
  func.func @reduce_scatter_2_all(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 : tensor<4x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_2_all(%x: tensor<2x3xf32>) -> tensor<1x6xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 : tensor<2x3xf32> to tensor<1x6xf32>
    return %r : tensor<1x6xf32>
  }
  func.func @mirror_2_all(%x: tensor<2x3xf32> {check.shared}) -> tensor<2x3xf32> {
    %r = dist.mirror %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @mirror_mean_2(%x: tensor<2x3xf32> {check.shared, check.factor = 0.5}) -> tensor<2x3xf32>
      attributes {check.tolerance = 1.0e-7} {
    %r = dist.mirror %x mean : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
}

module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  func.func @all_reduce_sum_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_4_axis(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_4_axis(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_4_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 over <axes [tp]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_4_axis(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %r = dist.all_gather %x axis = 1 over <axes [tp]> : tensor<2x3xf32> to tensor<2x6xf32>
    return %r : tensor<2x6xf32>
  }
  func.func @reduce_scatter_4_axis(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 over <axes [tp]> : tensor<4x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_4_axis(%x: tensor<2x3xf32>) -> tensor<1x6xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 over <axes [tp]> : tensor<2x3xf32> to tensor<1x6xf32>
    return %r : tensor<1x6xf32>
  }
  func.func @all_reduce_sum_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_4_lists(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_4_lists(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_4_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_4_lists(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %r = dist.all_gather %x axis = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32> to tensor<2x6xf32>
    return %r : tensor<2x6xf32>
  }
  func.func @reduce_scatter_4_lists(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 over <ranks [[3, 0], [1, 2]]> : tensor<4x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_4_lists(%x: tensor<2x3xf32>) -> tensor<1x6xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 over <ranks [[3, 0], [1, 2]]> : tensor<2x3xf32> to tensor<1x6xf32>
    return %r : tensor<1x6xf32>
  }
}

module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {
  func.func @all_reduce_sum_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_6_all(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_6_all(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_6_all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_6_all(%x: tensor<2x3xf32>) -> tensor<2x18xf32> {
    %r = dist.all_gather %x axis = 1 : tensor<2x3xf32> to tensor<2x18xf32>
    return %r : tensor<2x18xf32>
  }
  func.func @reduce_scatter_6_all(%x: tensor<12x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 : tensor<12x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_6_all(%x: tensor<6x3xf32>) -> tensor<1x18xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 : tensor<6x3xf32> to tensor<1x18xf32>
    return %r : tensor<1x18xf32>
  }
  func.func @mirror_6_all(%x: tensor<2x3xf32> {check.shared}) -> tensor<2x3xf32> {
    %r = dist.mirror %x : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @mirror_mean_6(%x: tensor<2x3xf32> {check.shared, check.factor = 0.16666666666666666}) -> tensor<2x3xf32>
      attributes {check.tolerance = 1.0e-7} {
    %r = dist.mirror %x mean : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_sum_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_6_axis(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_6_axis(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_6_axis(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 over <axes [y]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_6_axis(%x: tensor<2x3xf32>) -> tensor<2x9xf32> {
    %r = dist.all_gather %x axis = 1 over <axes [y]> : tensor<2x3xf32> to tensor<2x9xf32>
    return %r : tensor<2x9xf32>
  }
  func.func @reduce_scatter_6_axis(%x: tensor<6x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 over <axes [y]> : tensor<6x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_6_axis(%x: tensor<3x3xf32>) -> tensor<1x9xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 over <axes [y]> : tensor<3x3xf32> to tensor<1x9xf32>
    return %r : tensor<1x9xf32>
  }
  func.func @all_reduce_sum_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce sum %x over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_max_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce max %x over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_min_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.all_reduce min %x over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_reduce_prod_6_lists(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.all_reduce prod %x over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_sum_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce sum %x root = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_max_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce max %x root = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_min_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce min %x root = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @reduce_prod_6_lists(%x: tensor<2x3xf32> {check.range = [0.5, 2.0]}) -> tensor<2x3xf32> {
    %r = dist.reduce prod %x root = 0 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @broadcast_6_lists(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %r = dist.broadcast %x root = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_gather_6_lists(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
    %r = dist.all_gather %x axis = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32> to tensor<2x6xf32>
    return %r : tensor<2x6xf32>
  }
  func.func @reduce_scatter_6_lists(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
    %r = dist.reduce_scatter sum %x axis = 0 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<4x3xf32> to tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  }
  func.func @all_to_all_6_lists(%x: tensor<2x3xf32>) -> tensor<1x6xf32> {
    %r = dist.all_to_all %x split = 0 concat = 1 over <ranks [[0, 5], [4, 1], [2, 3]]> : tensor<2x3xf32> to tensor<1x6xf32>
    return %r : tensor<1x6xf32>
  }
}

module attributes {dist.mesh = #dist.mesh<dp=4>} {
  // Each rank's slice of a value that every rank holds whole, as a hand-written model takes its
  // batch.
  func.func @slice_by_rank(%x: tensor<8x2xf32>) -> tensor<2x2xf32> {
    %rank = dist.rank
    %rows = graph.constant dense<2> : tensor<i64>
    %start = graph.mul %rank, %rows : tensor<i64>
    %r = graph.dynamic_slice %x, %start axis = 0 : (tensor<8x2xf32>, tensor<i64>) -> tensor<2x2xf32>
    return %r : tensor<2x2xf32>
  }
  // The mean over the ranks, with the number of ranks as a value.
  func.func @mean_by_group_size(%x: tensor<3xf32>) -> tensor<3xf32> {
    %size = dist.group_size
    %count = graph.cast %size : tensor<i64> to tensor<f32>
    %counts = graph.broadcast %count, [] : tensor<f32> to tensor<3xf32>
    %sum = dist.all_reduce sum %x : tensor<3xf32>
    dist.barrier
    %r = graph.div %sum, %counts : tensor<3xf32>
    return %r : tensor<3xf32>
  }
  // A collective whose result is used twice, through another collective.
  func.func @chain(%x: tensor<4x2xf32>, %w: tensor<2x2xf32> {check.shared}) -> tensor<4x2xf32> {
    %copy = dist.mirror %w : tensor<2x2xf32>
    %matmul = graph.matmul %x, %copy : tensor<4x2xf32>, tensor<2x2xf32>
    %part = dist.reduce_scatter sum %matmul axis = 0 : tensor<4x2xf32> to tensor<1x2xf32>
    %square = graph.mul %part, %part : tensor<1x2xf32>
    %r = dist.all_gather %square axis = 0 : tensor<1x2xf32> to tensor<4x2xf32>
    return %r : tensor<4x2xf32>
  }
}
