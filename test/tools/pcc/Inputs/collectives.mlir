// Every collective over every kind of group on six ranks, each with its own value: results of an
// evaluation, and the gradient of the sum of all ranks' losses.
module attributes {dist.mesh = #dist.mesh<x=2, y=3>} {
  graph.parameter @w : tensor<36x6xf32> init(#graph.init<uniform, -1.0, 1.0>)
  func.func @forward(%w: tensor<6x6xf32> {graph.role = #graph.role<parameter "w">, dist.sharding = #dist.sharding<[x.y, _]>})
      -> (tensor<f32> {graph.role = #graph.role<loss>, dist.sharding = #dist.sharding<[] partial(sum: x, y)>},
          tensor<6x6xf32> {graph.role = #graph.role<output "sum_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "max_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "prod_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "reduce_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "broadcast_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x36xf32> {graph.role = #graph.role<output "gather_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<1x6xf32> {graph.role = #graph.role<output "scatter_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<1x36xf32> {graph.role = #graph.role<output "exchange_all">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "sum_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "max_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "prod_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "reduce_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "broadcast_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x12xf32> {graph.role = #graph.role<output "gather_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<3x6xf32> {graph.role = #graph.role<output "scatter_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<3x12xf32> {graph.role = #graph.role<output "exchange_x">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "sum_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "max_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "prod_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "reduce_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "broadcast_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x18xf32> {graph.role = #graph.role<output "gather_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<2x6xf32> {graph.role = #graph.role<output "scatter_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<2x18xf32> {graph.role = #graph.role<output "exchange_y">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "sum_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "max_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "prod_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "reduce_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "broadcast_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x12xf32> {graph.role = #graph.role<output "gather_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<3x6xf32> {graph.role = #graph.role<output "scatter_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<3x12xf32> {graph.role = #graph.role<output "exchange_lists">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "permute">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "blocks">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "added">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "neighbors_0">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "neighbors_1">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<1x1x9x8xf32> {graph.role = #graph.role<output "halo">, dist.sharding = #dist.sharding<[x.y, _, _, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "received">, dist.sharding = #dist.sharding<[x.y, _]>},
          tensor<6x6xf32> {graph.role = #graph.role<output "ring">, dist.sharding = #dist.sharding<[x.y, _]>}) attributes {dist.local} {
    // Ranks differ in more than their block: each adds the square root of its rank number.
    %rank = dist.rank
    %size = dist.group_size over <ranks [[0], [1, 2, 3, 4, 5]]>
    %number = graph.add %rank, %size : tensor<i64>
    %float = graph.cast %number : tensor<i64> to tensor<f32>
    %root = graph.sqrt %float : tensor<f32>
    %roots = graph.broadcast %root, [] : tensor<f32> to tensor<6x6xf32>
    %v = graph.mul %w, %roots : tensor<6x6xf32>
    %e = graph.exp %w : tensor<6x6xf32>
    %sum_all = dist.all_reduce sum %v : tensor<6x6xf32>
    %max_all = dist.all_reduce max %v : tensor<6x6xf32>
    %prod_all = dist.all_reduce prod %e : tensor<6x6xf32>
    %reduce_all = dist.reduce sum %v root = 1 : tensor<6x6xf32>
    %broadcast_all = dist.broadcast %v root = 1 : tensor<6x6xf32>
    %gather_all = dist.all_gather %v axis = 1 : tensor<6x6xf32> to tensor<6x36xf32>
    %scatter_all = dist.reduce_scatter sum %v axis = 0 : tensor<6x6xf32> to tensor<1x6xf32>
    %exchange_all = dist.all_to_all %v split = 0 concat = 1 : tensor<6x6xf32> to tensor<1x36xf32>
    %sum_x = dist.all_reduce sum %v over <axes [x]> : tensor<6x6xf32>
    %max_x = dist.all_reduce max %v over <axes [x]> : tensor<6x6xf32>
    %prod_x = dist.all_reduce prod %e over <axes [x]> : tensor<6x6xf32>
    %reduce_x = dist.reduce sum %v root = 1 over <axes [x]> : tensor<6x6xf32>
    %broadcast_x = dist.broadcast %v root = 1 over <axes [x]> : tensor<6x6xf32>
    %gather_x = dist.all_gather %v axis = 1 over <axes [x]> : tensor<6x6xf32> to tensor<6x12xf32>
    %scatter_x = dist.reduce_scatter sum %v axis = 0 over <axes [x]> : tensor<6x6xf32> to tensor<3x6xf32>
    %exchange_x = dist.all_to_all %v split = 0 concat = 1 over <axes [x]> : tensor<6x6xf32> to tensor<3x12xf32>
    %sum_y = dist.all_reduce sum %v over <axes [y]> : tensor<6x6xf32>
    %max_y = dist.all_reduce max %v over <axes [y]> : tensor<6x6xf32>
    %prod_y = dist.all_reduce prod %e over <axes [y]> : tensor<6x6xf32>
    %reduce_y = dist.reduce sum %v root = 1 over <axes [y]> : tensor<6x6xf32>
    %broadcast_y = dist.broadcast %v root = 1 over <axes [y]> : tensor<6x6xf32>
    %gather_y = dist.all_gather %v axis = 1 over <axes [y]> : tensor<6x6xf32> to tensor<6x18xf32>
    %scatter_y = dist.reduce_scatter sum %v axis = 0 over <axes [y]> : tensor<6x6xf32> to tensor<2x6xf32>
    %exchange_y = dist.all_to_all %v split = 0 concat = 1 over <axes [y]> : tensor<6x6xf32> to tensor<2x18xf32>
    %sum_lists = dist.all_reduce sum %v over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32>
    %max_lists = dist.all_reduce max %v over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32>
    %prod_lists = dist.all_reduce prod %e over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32>
    %reduce_lists = dist.reduce sum %v root = 1 over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32>
    %broadcast_lists = dist.broadcast %v root = 1 over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32>
    %gather_lists = dist.all_gather %v axis = 1 over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32> to tensor<6x12xf32>
    %scatter_lists = dist.reduce_scatter sum %v axis = 0 over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32> to tensor<3x6xf32>
    %exchange_lists = dist.all_to_all %v split = 0 concat = 1 over <ranks [[5, 0], [1, 3], [4, 2]]> : tensor<6x6xf32> to tensor<3x12xf32>
    %permute = dist.collective_permute %v [[1, 2], [2, 0]] over <axes [y]> : tensor<6x6xf32>
    %blocks = dist.block_exchange %v [[0, 1, 0, 0, 3, 6, 0, 0], [0, 0, 3, 0, 3, 6, 3, 0], [1, 1, 3, 0, 3, 6, 0, 0], [1, 0, 0, 0, 3, 6, 3, 0]] over <axes [x]> : tensor<6x6xf32> to tensor<6x6xf32>
    %added = dist.block_exchange %v adding [[0, 1, 0, 0, 3, 6, 0, 0], [0, 2, 1, 0, 3, 6, 2, 0], [2, 0, 0, 1, 6, 4, 0, 0]] over <axes [y]> : tensor<6x6xf32> to tensor<6x6xf32>
    %neighbors:2 = dist.neighbor_exchange %v, %e send [[1, 1], [-1, 2], [-1, -1]] receive [[-1, -1], [0, 0], [1, -1]]
        over <axes [y]> : (tensor<6x6xf32>, tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<6x6xf32>)
    %tile = graph.reshape %v : tensor<6x6xf32> to tensor<1x1x6x6xf32>
    %halo = dist.neighbor_exchange_v2 %tile
        send [[-1, -1, 1, 4, 3, -1, -1, -1], [-1, -1, 2, 5, 4, 3, 0, -1], [-1, -1, -1, -1, 5, 4, 1, -1],
              [0, 1, 4, -1, -1, -1, -1, -1], [1, 2, 5, -1, -1, -1, 3, 0], [2, -1, -1, -1, -1, -1, 4, 1]]
        [1, 2, 1, 1]
        receive [[-1, -1, 1, 4, 3, -1, -1, -1], [-1, -1, 2, 5, 4, 3, 0, -1], [-1, -1, -1, -1, 5, 4, 1, -1],
                 [0, 1, 4, -1, -1, -1, -1, -1], [1, 2, 5, -1, -1, -1, 3, 0], [2, -1, -1, -1, -1, -1, 4, 1]]
        [2, 1, 1, 1] : tensor<1x1x6x6xf32> to tensor<1x1x9x8xf32>
    dist.send %v to [1, 2, 3, 4, 5, -1] {tag = 3 : i64} : tensor<6x6xf32>
    %received = dist.recv from [-1, 0, 1, 2, 3, 4] {tag = 3 : i64} : tensor<6x6xf32>
    dist.barrier
    dist.send %e to [5, 0, 1, 2, 3, 4] : tensor<6x6xf32>
    %ring = dist.recv from [1, 2, 3, 4, 5, 0] : tensor<6x6xf32>
    %square_sum_all = graph.mul %sum_all, %sum_all : tensor<6x6xf32>
    %mean_sum_all = graph.reduce mean %square_sum_all, [0, 1] : tensor<6x6xf32>
    %square_max_all = graph.mul %max_all, %max_all : tensor<6x6xf32>
    %mean_max_all = graph.reduce mean %square_max_all, [0, 1] : tensor<6x6xf32>
    %total_1 = graph.add %mean_sum_all, %mean_max_all : tensor<f32>
    %square_prod_all = graph.mul %prod_all, %prod_all : tensor<6x6xf32>
    %mean_prod_all = graph.reduce mean %square_prod_all, [0, 1] : tensor<6x6xf32>
    %total_2 = graph.add %total_1, %mean_prod_all : tensor<f32>
    %square_reduce_all = graph.mul %reduce_all, %reduce_all : tensor<6x6xf32>
    %mean_reduce_all = graph.reduce mean %square_reduce_all, [0, 1] : tensor<6x6xf32>
    %total_3 = graph.add %total_2, %mean_reduce_all : tensor<f32>
    %square_broadcast_all = graph.mul %broadcast_all, %broadcast_all : tensor<6x6xf32>
    %mean_broadcast_all = graph.reduce mean %square_broadcast_all, [0, 1] : tensor<6x6xf32>
    %total_4 = graph.add %total_3, %mean_broadcast_all : tensor<f32>
    %square_gather_all = graph.mul %gather_all, %gather_all : tensor<6x36xf32>
    %mean_gather_all = graph.reduce mean %square_gather_all, [0, 1] : tensor<6x36xf32>
    %total_5 = graph.add %total_4, %mean_gather_all : tensor<f32>
    %square_scatter_all = graph.mul %scatter_all, %scatter_all : tensor<1x6xf32>
    %mean_scatter_all = graph.reduce mean %square_scatter_all, [0, 1] : tensor<1x6xf32>
    %total_6 = graph.add %total_5, %mean_scatter_all : tensor<f32>
    %square_exchange_all = graph.mul %exchange_all, %exchange_all : tensor<1x36xf32>
    %mean_exchange_all = graph.reduce mean %square_exchange_all, [0, 1] : tensor<1x36xf32>
    %total_7 = graph.add %total_6, %mean_exchange_all : tensor<f32>
    %square_sum_x = graph.mul %sum_x, %sum_x : tensor<6x6xf32>
    %mean_sum_x = graph.reduce mean %square_sum_x, [0, 1] : tensor<6x6xf32>
    %total_8 = graph.add %total_7, %mean_sum_x : tensor<f32>
    %square_max_x = graph.mul %max_x, %max_x : tensor<6x6xf32>
    %mean_max_x = graph.reduce mean %square_max_x, [0, 1] : tensor<6x6xf32>
    %total_9 = graph.add %total_8, %mean_max_x : tensor<f32>
    %square_prod_x = graph.mul %prod_x, %prod_x : tensor<6x6xf32>
    %mean_prod_x = graph.reduce mean %square_prod_x, [0, 1] : tensor<6x6xf32>
    %total_10 = graph.add %total_9, %mean_prod_x : tensor<f32>
    %square_reduce_x = graph.mul %reduce_x, %reduce_x : tensor<6x6xf32>
    %mean_reduce_x = graph.reduce mean %square_reduce_x, [0, 1] : tensor<6x6xf32>
    %total_11 = graph.add %total_10, %mean_reduce_x : tensor<f32>
    %square_broadcast_x = graph.mul %broadcast_x, %broadcast_x : tensor<6x6xf32>
    %mean_broadcast_x = graph.reduce mean %square_broadcast_x, [0, 1] : tensor<6x6xf32>
    %total_12 = graph.add %total_11, %mean_broadcast_x : tensor<f32>
    %square_gather_x = graph.mul %gather_x, %gather_x : tensor<6x12xf32>
    %mean_gather_x = graph.reduce mean %square_gather_x, [0, 1] : tensor<6x12xf32>
    %total_13 = graph.add %total_12, %mean_gather_x : tensor<f32>
    %square_scatter_x = graph.mul %scatter_x, %scatter_x : tensor<3x6xf32>
    %mean_scatter_x = graph.reduce mean %square_scatter_x, [0, 1] : tensor<3x6xf32>
    %total_14 = graph.add %total_13, %mean_scatter_x : tensor<f32>
    %square_exchange_x = graph.mul %exchange_x, %exchange_x : tensor<3x12xf32>
    %mean_exchange_x = graph.reduce mean %square_exchange_x, [0, 1] : tensor<3x12xf32>
    %total_15 = graph.add %total_14, %mean_exchange_x : tensor<f32>
    %square_sum_y = graph.mul %sum_y, %sum_y : tensor<6x6xf32>
    %mean_sum_y = graph.reduce mean %square_sum_y, [0, 1] : tensor<6x6xf32>
    %total_16 = graph.add %total_15, %mean_sum_y : tensor<f32>
    %square_max_y = graph.mul %max_y, %max_y : tensor<6x6xf32>
    %mean_max_y = graph.reduce mean %square_max_y, [0, 1] : tensor<6x6xf32>
    %total_17 = graph.add %total_16, %mean_max_y : tensor<f32>
    %square_prod_y = graph.mul %prod_y, %prod_y : tensor<6x6xf32>
    %mean_prod_y = graph.reduce mean %square_prod_y, [0, 1] : tensor<6x6xf32>
    %total_18 = graph.add %total_17, %mean_prod_y : tensor<f32>
    %square_reduce_y = graph.mul %reduce_y, %reduce_y : tensor<6x6xf32>
    %mean_reduce_y = graph.reduce mean %square_reduce_y, [0, 1] : tensor<6x6xf32>
    %total_19 = graph.add %total_18, %mean_reduce_y : tensor<f32>
    %square_broadcast_y = graph.mul %broadcast_y, %broadcast_y : tensor<6x6xf32>
    %mean_broadcast_y = graph.reduce mean %square_broadcast_y, [0, 1] : tensor<6x6xf32>
    %total_20 = graph.add %total_19, %mean_broadcast_y : tensor<f32>
    %square_gather_y = graph.mul %gather_y, %gather_y : tensor<6x18xf32>
    %mean_gather_y = graph.reduce mean %square_gather_y, [0, 1] : tensor<6x18xf32>
    %total_21 = graph.add %total_20, %mean_gather_y : tensor<f32>
    %square_scatter_y = graph.mul %scatter_y, %scatter_y : tensor<2x6xf32>
    %mean_scatter_y = graph.reduce mean %square_scatter_y, [0, 1] : tensor<2x6xf32>
    %total_22 = graph.add %total_21, %mean_scatter_y : tensor<f32>
    %square_exchange_y = graph.mul %exchange_y, %exchange_y : tensor<2x18xf32>
    %mean_exchange_y = graph.reduce mean %square_exchange_y, [0, 1] : tensor<2x18xf32>
    %total_23 = graph.add %total_22, %mean_exchange_y : tensor<f32>
    %square_sum_lists = graph.mul %sum_lists, %sum_lists : tensor<6x6xf32>
    %mean_sum_lists = graph.reduce mean %square_sum_lists, [0, 1] : tensor<6x6xf32>
    %total_24 = graph.add %total_23, %mean_sum_lists : tensor<f32>
    %square_max_lists = graph.mul %max_lists, %max_lists : tensor<6x6xf32>
    %mean_max_lists = graph.reduce mean %square_max_lists, [0, 1] : tensor<6x6xf32>
    %total_25 = graph.add %total_24, %mean_max_lists : tensor<f32>
    %square_prod_lists = graph.mul %prod_lists, %prod_lists : tensor<6x6xf32>
    %mean_prod_lists = graph.reduce mean %square_prod_lists, [0, 1] : tensor<6x6xf32>
    %total_26 = graph.add %total_25, %mean_prod_lists : tensor<f32>
    %square_reduce_lists = graph.mul %reduce_lists, %reduce_lists : tensor<6x6xf32>
    %mean_reduce_lists = graph.reduce mean %square_reduce_lists, [0, 1] : tensor<6x6xf32>
    %total_27 = graph.add %total_26, %mean_reduce_lists : tensor<f32>
    %square_broadcast_lists = graph.mul %broadcast_lists, %broadcast_lists : tensor<6x6xf32>
    %mean_broadcast_lists = graph.reduce mean %square_broadcast_lists, [0, 1] : tensor<6x6xf32>
    %total_28 = graph.add %total_27, %mean_broadcast_lists : tensor<f32>
    %square_gather_lists = graph.mul %gather_lists, %gather_lists : tensor<6x12xf32>
    %mean_gather_lists = graph.reduce mean %square_gather_lists, [0, 1] : tensor<6x12xf32>
    %total_29 = graph.add %total_28, %mean_gather_lists : tensor<f32>
    %square_scatter_lists = graph.mul %scatter_lists, %scatter_lists : tensor<3x6xf32>
    %mean_scatter_lists = graph.reduce mean %square_scatter_lists, [0, 1] : tensor<3x6xf32>
    %total_30 = graph.add %total_29, %mean_scatter_lists : tensor<f32>
    %square_exchange_lists = graph.mul %exchange_lists, %exchange_lists : tensor<3x12xf32>
    %mean_exchange_lists = graph.reduce mean %square_exchange_lists, [0, 1] : tensor<3x12xf32>
    %total_31 = graph.add %total_30, %mean_exchange_lists : tensor<f32>
    %square_permute = graph.mul %permute, %permute : tensor<6x6xf32>
    %mean_permute = graph.reduce mean %square_permute, [0, 1] : tensor<6x6xf32>
    %total_32 = graph.add %total_31, %mean_permute : tensor<f32>
    %square_blocks = graph.mul %blocks, %blocks : tensor<6x6xf32>
    %mean_blocks = graph.reduce mean %square_blocks, [0, 1] : tensor<6x6xf32>
    %total_33 = graph.add %total_32, %mean_blocks : tensor<f32>
    %square_added = graph.mul %added, %added : tensor<6x6xf32>
    %mean_added = graph.reduce mean %square_added, [0, 1] : tensor<6x6xf32>
    %total_34 = graph.add %total_33, %mean_added : tensor<f32>
    %square_neighbors_0 = graph.mul %neighbors#0, %neighbors#0 : tensor<6x6xf32>
    %mean_neighbors_0 = graph.reduce mean %square_neighbors_0, [0, 1] : tensor<6x6xf32>
    %total_35 = graph.add %total_34, %mean_neighbors_0 : tensor<f32>
    %square_neighbors_1 = graph.mul %neighbors#1, %neighbors#1 : tensor<6x6xf32>
    %mean_neighbors_1 = graph.reduce mean %square_neighbors_1, [0, 1] : tensor<6x6xf32>
    %total_36 = graph.add %total_35, %mean_neighbors_1 : tensor<f32>
    %square_halo = graph.mul %halo, %halo : tensor<1x1x9x8xf32>
    %mean_halo = graph.reduce mean %square_halo, [0, 1, 2, 3] : tensor<1x1x9x8xf32>
    %total_37 = graph.add %total_36, %mean_halo : tensor<f32>
    %square_received = graph.mul %received, %received : tensor<6x6xf32>
    %mean_received = graph.reduce mean %square_received, [0, 1] : tensor<6x6xf32>
    %total_38 = graph.add %total_37, %mean_received : tensor<f32>
    %square_ring = graph.mul %ring, %ring : tensor<6x6xf32>
    %mean_ring = graph.reduce mean %square_ring, [0, 1] : tensor<6x6xf32>
    %total_39 = graph.add %total_38, %mean_ring : tensor<f32>
    return %total_39, %sum_all, %max_all, %prod_all, %reduce_all, %broadcast_all, %gather_all, %scatter_all, %exchange_all, %sum_x, %max_x, %prod_x, %reduce_x, %broadcast_x, %gather_x, %scatter_x, %exchange_x, %sum_y, %max_y, %prod_y, %reduce_y, %broadcast_y, %gather_y, %scatter_y, %exchange_y, %sum_lists, %max_lists, %prod_lists, %reduce_lists, %broadcast_lists, %gather_lists, %scatter_lists, %exchange_lists, %permute, %blocks, %added, %neighbors#0, %neighbors#1, %halo, %received, %ring : tensor<f32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x36xf32>, tensor<1x6xf32>, tensor<1x36xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x12xf32>, tensor<3x6xf32>, tensor<3x12xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x18xf32>, tensor<2x6xf32>, tensor<2x18xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x12xf32>, tensor<3x6xf32>, tensor<3x12xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<1x1x9x8xf32>, tensor<6x6xf32>, tensor<6x6xf32>
  }
}
