// Cases of the gradient check (../Case.h): elementwise functions of one operand.

func.func @neg(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.neg %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.abs %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @exp(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.exp %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @log(%x: tensor<2x3xf32> {check.range = [0.50, 3.00]}) -> tensor<2x3xf32> {
  %r = graph.log %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @log1p(%x: tensor<2x3xf32> {check.range = [-0.50, 3.00]}) -> tensor<2x3xf32> {
  %r = graph.log1p %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @sqrt(%x: tensor<2x3xf32> {check.range = [0.50, 3.00]}) -> tensor<2x3xf32> {
  %r = graph.sqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @rsqrt(%x: tensor<2x3xf32> {check.range = [0.50, 3.00]}) -> tensor<2x3xf32> {
  %r = graph.rsqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @square(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.square %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @reciprocal(%x: tensor<2x3xf32> {check.range = [0.50, 3.00]}) -> tensor<2x3xf32> {
  %r = graph.reciprocal %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @sin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.sin %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @cos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.cos %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.tanh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.sigmoid %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {check.tolerance = 1.0e-7} {
  %r = graph.erf %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
