// Cases of the gradient check (../Case.h): normalizations.

func.func @log_softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = graph.log_softmax %x axis = 1 : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func @layer_norm(%x: tensor<3x5xf32>, %s: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<3x5xf32> attributes {check.tolerance = 1.0e-8} {
  %r = graph.layer_norm %x, %s, %b axis = 1 epsilon = 0.0625 : tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>
  return %r : tensor<3x5xf32>
}

func.func @layer_norm_without_bias(%x: tensor<2x3x4xf32>, %s: tensor<3x4xf32>) -> tensor<2x3x4xf32> attributes {check.tolerance = 1.0e-8} {
  %r = graph.layer_norm %x, %s axis = 1 epsilon = 0.0625 : tensor<2x3x4xf32>, tensor<3x4xf32>
  return %r : tensor<2x3x4xf32>
}

func.func @layer_norm_of_all(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> attributes {check.tolerance = 1.0e-8} {
  %r = graph.layer_norm %x, %s, %b axis = 0 epsilon = 0.0625 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

func.func @rms_norm(%x: tensor<3x5xf32>, %s: tensor<5xf32>) -> tensor<3x5xf32> attributes {check.tolerance = 1.0e-8} {
  %r = graph.rms_norm %x, %s axis = 1 epsilon = 0.0625 : tensor<3x5xf32>, tensor<5xf32>
  return %r : tensor<3x5xf32>
}

// The gradient flows through the batch statistics; running statistics do not affect the result.
func.func @batch_norm(%x: tensor<3x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<3x2x4xf32> attributes {check.tolerance = 1.0e-8} {
  %z = graph.constant dense<0.0> : tensor<2xf32>
  %r:3 = graph.batch_norm %x, %s, %b, %z, %z epsilon = 0.0625 momentum = 0.75 : tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>
  return %r#0 : tensor<3x2x4xf32>
}

// The results for the new running statistics pass a gradient on.
func.func @batch_norm_statistics(%x: tensor<3x2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) attributes {check.tolerance = 1.0e-7} {
  %r:3 = graph.batch_norm %x, %s, %b, %m, %v epsilon = 0.0625 momentum = 0.75 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>
  return %r#0, %r#1, %r#2 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>
}

func.func @batch_norm_statistics_alone(%x: tensor<3x2xf32>, %s: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<2xf32> attributes {check.tolerance = 1.0e-7} {
  %r:3 = graph.batch_norm %x, %s, %s, %m, %v epsilon = 0.0625 momentum = 0.75 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>
  return %r#2 : tensor<2xf32>
}

func.func @batch_norm_inference(%x: tensor<3x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32> {check.range = [0.50, 2.00]}) -> tensor<3x2x4xf32> attributes {check.tolerance = 1.0e-8} {
  %r = graph.batch_norm_inference %x, %s, %b, %m, %v epsilon = 0.0625 : tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>
  return %r : tensor<3x2x4xf32>
}

func.func @dropout(%x: tensor<4x8xf32>, %seed: tensor<i64> {check.values = dense<3> : tensor<i64>}) -> tensor<4x8xf32> {
  %i = graph.iota axis = 1 : tensor<4x8xi64>
  %r = graph.dropout %x, %i, %seed rate = 0.25 : tensor<4x8xf32>, tensor<i64>
  return %r : tensor<4x8xf32>
}
