// Cases of the gradient check (../Case.h): ops through which no gradient passes.

func.func @floor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.floor %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @ceil(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.ceil %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @round(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.round %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @sign(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.sign %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @compare(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.compare lt %a, %b : tensor<2x3xf32>
  %1 = graph.cast %0 : tensor<2x3xi1> to tensor<2x3xf32>
  %r = graph.mul %1, %a : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @logic(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.compare lt %a, %b : tensor<2x3xf32>
  %1 = graph.compare gt %a, %a : tensor<2x3xf32>
  %2 = graph.not %0 : tensor<2x3xi1>
  %3 = graph.and %1, %2 : tensor<2x3xi1>
  %4 = graph.or %3, %0 : tensor<2x3xi1>
  %r = graph.select %4, %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @cast_to_integers(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %a : tensor<2x3xf32> to tensor<2x3xi32>
  %1 = graph.cast %0 : tensor<2x3xi32> to tensor<2x3xf32>
  %r = graph.mul %1, %a : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @one_hot(%x: tensor<2x3xf32>, %i: tensor<2xi64> {check.range = [0.00, 3.00]}) -> tensor<2x3xf32> {
  %0 = graph.one_hot %i axis = 1 : tensor<2xi64> to tensor<2x3xf32>
  %r = graph.mul %0, %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @iota(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.iota axis = 1 : tensor<2x3xf32>
  %r = graph.mul %0, %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @rng_uniform(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = graph.iota axis = 1 : tensor<2x3xi64>
  %s = graph.constant dense<7> : tensor<i64>
  %0 = graph.rng_uniform %i, %s : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xf32>
  %r = graph.mul %0, %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = graph.argmax %x axis = 1 : tensor<2x3xf32>
  %1 = graph.cast %0 : tensor<2xi64> to tensor<2xf32>
  %2 = graph.reduce sum %x, [1] : tensor<2x3xf32>
  %r = graph.mul %1, %2 : tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func @argmin(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = graph.argmin %x axis = 1 : tensor<2x3xf32>
  %1 = graph.cast %0 : tensor<2xi64> to tensor<2xf32>
  %2 = graph.reduce sum %x, [1] : tensor<2x3xf32>
  %r = graph.mul %1, %2 : tensor<2xf32>
  return %r : tensor<2xf32>
}
