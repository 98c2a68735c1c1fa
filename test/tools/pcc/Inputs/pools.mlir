// Max pooling of large images, whose gradients a GPU computes in tiles: overlapping windows of odd
// sizes in two tiles of each plane, dilated windows, and a row that needs the windows of 61 rows,
// too many for a tile.
graph.parameter @s : tensor<2x121x101xf32> init(<normal, 1.0, 0.5>)
graph.parameter @w : tensor<2x10xf32> init(<normal, 0.0, 0.5>)
func.func @forward(%x: tensor<2x2x121x101xf32> {graph.role = #graph.role<input "x">},
                   %s: tensor<2x121x101xf32> {graph.role = #graph.role<parameter "s">},
                   %w: tensor<2x10xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<2x10xf32> {graph.role = #graph.role<output "logits">}) {
  %sb = graph.broadcast %s, [1, 2, 3] : tensor<2x121x101xf32> to tensor<2x2x121x101xf32>
  %m = graph.mul %x, %sb : tensor<2x2x121x101xf32>
  %p1 = graph.max_pool %m window = [3, 3] {padding = array<i64: 1, 1, 1, 1>} : tensor<2x2x121x101xf32> loc("overlapping")
  %p2 = graph.max_pool %m window = [2, 3] {strides = array<i64: 1, 2>, padding = array<i64: 2, 0, 3, 1>, dilations = array<i64: 5, 2>} : tensor<2x2x121x101xf32> loc("dilated")
  %p3 = graph.max_pool %m window = [2, 1] {dilations = array<i64: 60, 1>} : tensor<2x2x121x101xf32> loc("far")
  %g1 = graph.reduce mean %p1, [2, 3] : tensor<2x2x121x101xf32>
  %g2 = graph.reduce mean %p2, [2, 3] : tensor<2x2x121x49xf32>
  %g3 = graph.reduce mean %p3, [2, 3] : tensor<2x2x61x101xf32>
  %g12 = graph.add %g1, %g2 : tensor<2x2xf32>
  %g = graph.add %g12, %g3 : tensor<2x2xf32>
  %logits = graph.matmul %g, %w : tensor<2x2xf32>, tensor<2x10xf32>
  return %logits : tensor<2x10xf32>
}
