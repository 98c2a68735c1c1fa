// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// log_softmax C1
func.func @log_softmax_axis(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'graph.log_softmax' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.log_softmax %x axis = 2 : tensor<4x6xf32>
  return
}

// -----

// layer_norm C1
func.func @layer_norm_axis(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.layer_norm' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.layer_norm %x, %s axis = 2 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// layer_norm C2
func.func @layer_norm_shape(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.layer_norm' op expected 'scale' of shape [4, 6], got [6]}}
  %0 = graph.layer_norm %x, %s axis = 0 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// layer_norm C3
func.func @layer_norm_elements(%x: tensor<4x6xf32>, %s: tensor<6xf16>) {
  // expected-error @+1 {{'graph.layer_norm' op expected equal element types, got 'f32' in 'input' and 'f16' in 'scale'}}
  %0 = graph.layer_norm %x, %s axis = 1 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf16>
  return
}

// -----

// layer_norm C4
func.func @layer_norm_epsilon(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.layer_norm' op expected 'epsilon' not to be negative, got -5.000000e-01}}
  %0 = graph.layer_norm %x, %s axis = 1 epsilon = -0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// rms_norm C1
func.func @rms_norm_axis(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.rms_norm' op expected 'axis' in [0, 2), got 2}}
  %0 = graph.rms_norm %x, %s axis = 2 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// rms_norm C2
func.func @rms_norm_shape(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.rms_norm' op expected 'scale' of shape [4, 6], got [6]}}
  %0 = graph.rms_norm %x, %s axis = 0 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// rms_norm C3
func.func @rms_norm_elements(%x: tensor<4x6xf32>, %s: tensor<6xf16>) {
  // expected-error @+1 {{'graph.rms_norm' op expected equal element types, got 'f32' in 'input' and 'f16' in 'scale'}}
  %0 = graph.rms_norm %x, %s axis = 1 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf16>
  return
}

// -----

// rms_norm C4
func.func @rms_norm_epsilon(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'graph.rms_norm' op expected 'epsilon' not to be negative, got -5.000000e-01}}
  %0 = graph.rms_norm %x, %s axis = 1 epsilon = -0.5 : tensor<4x6xf32>, tensor<6xf32>
  return
}

// -----

// layer_norm C2 for the bias
func.func @layer_norm_bias(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'graph.layer_norm' op expected 'bias' of shape [6], got [4]}}
  %0 = graph.layer_norm %x, %s, %b axis = 1 epsilon = 0.5 : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>
  return
}

// -----

// batch_norm C1
func.func @batch_norm_rank(%x: tensor<6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm' op expected 'input' of rank 2 or more, got 1}}
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = 0.5 momentum = 0.5 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm C2
func.func @batch_norm_scale(%x: tensor<4x6xf32>, %s: tensor<4xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm' op expected 'scale' of shape [6], got [4]}}
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = 0.5 momentum = 0.5 : tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm C2 for the statistics
func.func @batch_norm_mean(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<4xf32>) {
  // expected-error @+1 {{'graph.batch_norm' op expected 'mean' of shape [6], got [4]}}
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = 0.5 momentum = 0.5 : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>
  return
}

// -----

// batch_norm C3
func.func @batch_norm_epsilon(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm' op expected 'epsilon' not to be negative, got -5.000000e-01}}
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = -0.5 momentum = 0.5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm C4
func.func @batch_norm_momentum(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm' op expected 'momentum' in [0, 1], got 1.500000e+00}}
  %0:3 = graph.batch_norm %x, %s, %s, %r, %r epsilon = 0.5 momentum = 1.5 : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm_inference C1
func.func @batch_norm_inference_rank(%x: tensor<6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm_inference' op expected 'input' of rank 2 or more, got 1}}
  %0 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.5 {momentum = 0.5 : f64} : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm_inference C2
func.func @batch_norm_inference_scale(%x: tensor<4x6xf32>, %s: tensor<4xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm_inference' op expected 'scale' of shape [6], got [4]}}
  %0 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.5 {momentum = 0.5 : f64} : tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm_inference C2 for the statistics
func.func @batch_norm_inference_mean(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<4xf32>) {
  // expected-error @+1 {{'graph.batch_norm_inference' op expected 'mean' of shape [6], got [4]}}
  %0 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.5 {momentum = 0.5 : f64} : tensor<4x6xf32>, tensor<6xf32>, tensor<4xf32>
  return
}

// -----

// batch_norm_inference C3
func.func @batch_norm_inference_epsilon(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm_inference' op expected 'epsilon' not to be negative, got -5.000000e-01}}
  %0 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = -0.5 {momentum = 0.5 : f64} : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// batch_norm_inference C4
func.func @batch_norm_inference_momentum(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %r: tensor<6xf32>) {
  // expected-error @+1 {{'graph.batch_norm_inference' op expected 'momentum' in [0, 1], got 1.500000e+00}}
  %0 = graph.batch_norm_inference %x, %s, %s, %r, %r epsilon = 0.5 {momentum = 1.5 : f64} : tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

// dropout C1
func.func @dropout_rate(%x: tensor<4x6xf32>, %i: tensor<4x6xi64>, %s: tensor<i64>) {
  // expected-error @+1 {{'graph.dropout' op expected 'rate' in [0, 1), got 1.000000e+00}}
  %0 = graph.dropout %x, %i, %s rate = 1.0 : tensor<4x6xf32>, tensor<i64>
  return
}

// -----

// nll C1
func.func @nll_rank(%x: tensor<f32>, %l: tensor<i64>) {
  // expected-error @+1 {{'graph.nll' op expected 'log_probabilities' of rank 1 or more, got 0}}
  %0 = graph.nll %x, %l : tensor<f32>, tensor<i64>
  return
}

// -----

// nll C2
func.func @nll_labels(%x: tensor<4x6xf32>, %l: tensor<6xi64>) {
  // expected-error @+1 {{'graph.nll' op expected 'labels' of shape [4], got [6]}}
  %0 = graph.nll %x, %l : tensor<4x6xf32>, tensor<6xi64>
  return
}

// -----

// nll C3
func.func @nll_ignored(%x: tensor<4x6xf32>, %l: tensor<4xi8>) {
  // expected-error @+1 {{'graph.nll' op expected 'ignore_index' to be one of 'i8', got 300}}
  %0 = graph.nll %x, %l {ignore_index = 300} : tensor<4x6xf32>, tensor<4xi8>
  return
}
