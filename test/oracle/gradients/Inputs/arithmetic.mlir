// Cases of the gradient check (../Case.h): arithmetic on tensors of one shape.

func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.add %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @sub(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.sub %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @mul(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.mul %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @max(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.max %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @min(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.min %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @div(%a: tensor<2x3xf32>, %b: tensor<2x3xf32> {check.range = [0.50, 2.00]}) -> tensor<2x3xf32> {
  %r = graph.div %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @pow(%a: tensor<2x3xf32> {check.range = [0.50, 2.00]}, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.pow %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// At a base of zero the derivatives by base and exponent are zero for exponents above one.
func.func @pow_at_zero(%a: tensor<3xf32> {check.values = dense<[0.0, 0.0, -1.5]> : tensor<3xf32>}) -> tensor<3xf32> {
  %e = graph.constant dense<[2.0, 3.0, 2.0]> : tensor<3xf32>
  %r = graph.pow %a, %e : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @mod(%a: tensor<2x3xf32> {check.range = [-7.00, 7.00]}, %b: tensor<2x3xf32> {check.range = [1.10, 2.10]}) -> tensor<2x3xf32> {
  %r = graph.mod %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Equal operands share the gradient, as central differences do.
func.func @max_ties(%a: tensor<3xf32> {check.values = dense<[1.0, 2.0, -1.0]> : tensor<3xf32>}, %b: tensor<3xf32> {check.values = dense<[1.0, 3.0, -1.0]> : tensor<3xf32>}) -> tensor<3xf32> {
  %r = graph.max %a, %b : tensor<3xf32>
  return %r : tensor<3xf32>
}

// Equal operands share the gradient, as central differences do.
func.func @min_ties(%a: tensor<3xf32> {check.values = dense<[1.0, 2.0, -1.0]> : tensor<3xf32>}, %b: tensor<3xf32> {check.values = dense<[1.0, 3.0, -1.0]> : tensor<3xf32>}) -> tensor<3xf32> {
  %r = graph.min %a, %b : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @select(%p: tensor<2x3xi1>, %a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = graph.select %p, %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

func.func @cast(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %a : tensor<2x3xf32> to tensor<2x3xbf16>
  %r = graph.cast %0 : tensor<2x3xbf16> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// The gradient of a value with several uses is the sum over its uses.
func.func @uses(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.mul %a, %a : tensor<2x3xf32>
  %1 = graph.mul %0, %a : tensor<2x3xf32>
  %r = graph.add %1, %0 : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
