// RUN: pcc-opt %s --graph-print-factor-rules --verify-diagnostics -o /dev/null

// Leaves: a splat may be cut anywhere, other constants are whole, an iota is whole along its axis.
func.func @leaves(%index: tensor<4x6xi64>, %seed: tensor<i64>) {
  // expected-remark @+1 {{() -> ([i,j])}}
  %0 = graph.constant dense<1.0> : tensor<4x6xf32>
  // expected-remark @+1 {{() -> ([i,j]) {whole i, j}}}
  %1 = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // expected-remark @+1 {{() -> ([i,j,_]) {whole j}}}
  %2 = graph.iota axis = 1 : tensor<4x6x1xi64>
  // expected-remark @+1 {{([i,j],[]) -> ([i,j])}}
  %3 = graph.rng_uniform %index, %seed : (tensor<4x6xi64>, tensor<i64>) -> tensor<4x6xf32>
  return
}

// Arithmetic: sums pass additions together and products one at a time, extrema pass what never falls.
func.func @arithmetic(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %n: tensor<4xi32>) {
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear: (0,1)} {linear max|min: (0) (1)}}}
  %0 = graph.add %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear: (0,1)} {linear max|min: (0)}}}
  %1 = graph.sub %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear: (0) (1)} {linear prod: (0,1)}}}
  %2 = graph.mul %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear: (0)}}}
  %3 = graph.div %a, %b : tensor<4x6xf32>
  // Division of integers truncates, so sums do not pass through.
  // expected-remark @+1 {{([i],[i]) -> ([i])}}
  %4 = graph.div %n, %n : tensor<4xi32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear max: (0,1)} {linear min: (0) (1)}}}
  %5 = graph.max %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j]) {linear max: (0) (1)} {linear min: (0,1)}}}
  %6 = graph.min %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j])}}
  %7 = graph.pow %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([i,j])}}
  %8 = graph.mod %a, %b : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,j]) {linear: (0)}}}
  %9 = graph.neg %a : tensor<4x6xf32>
  // Sums of integers wrap, and so do not preserve order.
  // expected-remark @+1 {{([i],[i]) -> ([i]) {linear: (0,1)}}}
  %10 = graph.add %n, %n : tensor<4xi32>
  // expected-remark @+1 {{([i],[i]) -> ([i]) {linear: (0,1)}}}
  %11 = graph.sub %n, %n : tensor<4xi32>
  return
}

// Functions of one number: extrema pass monotone functions, sums pass none.
func.func @unary(%x: tensor<4xf32>) {
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %0 = graph.exp %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %1 = graph.relu %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %2 = graph.leaky_relu %x {alpha = 0.1} : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %3 = graph.leaky_relu %x {alpha = -0.1} : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %4 = graph.clamp %x {low = 0.0, high = 1.0} : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %5 = graph.abs %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %6 = graph.gelu %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %7 = graph.square %x : tensor<4xf32>
  // Monotone on its domain is not enough: one rank may hold negative numbers only.
  // expected-remark @+1 {{([i]) -> ([i])}}
  %8 = graph.sqrt %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %9 = graph.log %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %10 = graph.log1p %x : tensor<4xf32>
  // Monotone with a slope of 0 is not enough either: it makes NaN of -inf.
  // expected-remark @+1 {{([i]) -> ([i])}}
  %11 = graph.leaky_relu %x {alpha = 0.0} : tensor<4xf32>
  return
}

// Choices and conversions.
func.func @choices(%p: tensor<4xi1>, %x: tensor<4xf32>, %n: tensor<4xi32>) {
  // expected-remark @+1 {{([i],[i]) -> ([i])}}
  %0 = graph.compare lt %x, %x : tensor<4xf32>
  // expected-remark @+1 {{([i],[i],[i]) -> ([i]) {linear any: (1,2)}}}
  %1 = graph.select %p, %x, %x : tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear sum|max|min: (0)}}}
  %2 = graph.cast %x : tensor<4xf32> to tensor<4xbf16>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %3 = graph.cast %x : tensor<4xf32> to tensor<4xi32>
  // Truncation preserves wrapping sums; extension preserves order.
  // expected-remark @+1 {{([i]) -> ([i]) {linear sum|prod: (0)}}}
  %4 = graph.cast %n : tensor<4xi32> to tensor<4xi8>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %5 = graph.cast %n : tensor<4xi32> to tensor<4xi64>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %6 = graph.cast %n : tensor<4xi32> to tensor<4xf32>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %7 = graph.cast %p : tensor<4xi1> to tensor<4xf32>
  return
}

// Casts with and without a sign. The same bits preserve wrapping sums; only more bits preserve order, unless a sign is
// lost.
func.func @signs(%n: tensor<4xi8>, %u: tensor<4xui8>) {
  // expected-remark @+1 {{([i]) -> ([i]) {linear sum|prod: (0)}}}
  %0 = graph.cast %n : tensor<4xi8> to tensor<4xui8>
  // expected-remark @+1 {{([i]) -> ([i])}}
  %1 = graph.cast %n : tensor<4xi8> to tensor<4xui32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %2 = graph.cast %u : tensor<4xui8> to tensor<4xi32>
  // expected-remark @+1 {{([i]) -> ([i]) {linear max|min: (0)}}}
  %3 = graph.cast %u : tensor<4xui8> to tensor<4xui32>
  return
}

// Matmuls with all transposes; batch dimensions come first.
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %at: tensor<3x8x4xf32>, %bt: tensor<3x6x8xf32>,
                  %row: tensor<1x8xf32>) {
  // expected-remark @+1 {{([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)}}}
  %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x6xf32>
  // expected-remark @+1 {{([i,l,j],[i,k,l]) -> ([i,j,k]) {reduce l: sum} {linear: (0) (1)}}}
  %1 = graph.matmul %at, %bt {transpose_lhs, transpose_rhs} : tensor<3x8x4xf32>, tensor<3x6x8xf32>
  // expected-remark @+1 {{([_,j],[j,i]) -> ([_,i]) {reduce j: sum} {linear: (0) (1)}}}
  %2 = graph.matmul %row, %b : tensor<1x8xf32>, tensor<8x6xf32>
  return
}

// A contraction has a factor for each letter: first the left operand's, then the remaining ones of the right operand.
func.func @einsum(%a: tensor<2x4x8xf32>, %b: tensor<8x2x6xf32>) {
  // expected-remark @+1 {{([i,j,k],[k,i,l]) -> ([i,l,j]) {reduce k: sum} {linear: (0) (1)}}}
  %0 = graph.einsum "bij,jbk->bki" %a, %b : tensor<2x4x8xf32>, tensor<8x2x6xf32>
  return
}

// An op that reads all elements along an axis does not split it.
func.func @along_axis(%x: tensor<4x6xf32>) {
  // expected-remark @+1 {{([i,j]) -> ([i]) {whole j}}}
  %0 = graph.argmax %x axis = 1 : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([j]) {whole i}}}
  %1 = graph.argmin %x axis = 0 : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,k],[i,k]) {whole j, k}}}
  %2:2 = graph.top_k %x axis = 1 : tensor<4x6xf32> to tensor<4x2xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,j]) {whole j} {linear: (0)}}}
  %3 = graph.cumsum %x axis = 1 : tensor<4x6xf32>
  return
}

// Reductions leave partial results of their own kind.
func.func @reduce(%x: tensor<4x6xf32>) {
  // expected-remark @+1 {{([i,j]) -> ([i]) {reduce j: sum} {linear: (0)}}}
  %0 = graph.reduce sum %x, [1] : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([]) {reduce i: sum, j: sum} {linear: (0)}}}
  %1 = graph.reduce mean %x, [0, 1] : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([j]) {reduce i: max} {linear max: (0)}}}
  %2 = graph.reduce max %x, [0] : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([j]) {reduce i: min} {linear min: (0)}}}
  %3 = graph.reduce min %x, [0] : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([j]) {whole i}}}
  %4 = graph.reduce prod %x, [0] : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,j])}}
  %n = graph.cast %x : tensor<4x6xf32> to tensor<4x6xi32>
  // expected-remark @+1 {{([i,j]) -> ([j]) {reduce i: prod} {linear prod: (0)}}}
  %p = graph.reduce prod %n, [0] : tensor<4x6xi32>
  return
}

// Softmax does not split its axis; losses of samples add up.
func.func @loss(%x: tensor<4x6xf32>, %classes: tensor<4xi64>) {
  // expected-remark @+1 {{([i,j]) -> ([i,j]) {whole j}}}
  %0 = graph.softmax %x axis = 1 : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i]) -> ([]) {reduce i: sum} {whole j}}}
  %1 = graph.softmax_cross_entropy %x, %classes : tensor<4x6xf32>, tensor<4xi64>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([]) {reduce i: sum} {whole j}}}
  %2 = graph.softmax_cross_entropy %x, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return
}

// Shape ops: compound dimensions, permuted ones, repeated ones.
func.func @shape(%x: tensor<6x4xf32>, %v: tensor<4xf32>, %row: tensor<1x4xf32>) {
  // expected-remark @+1 {{([i.j,k]) -> ([i,j,k]) {linear any: (0)}}}
  %0 = graph.reshape %x : tensor<6x4xf32> to tensor<2x3x4xf32>
  // expected-remark @+1 {{([i.j,m]) -> ([i.k,l]) {whole j, k, l, m} {linear any: (0)}}}
  %1 = graph.reshape %x : tensor<6x4xf32> to tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([j,i]) {linear any: (0)}}}
  %2 = graph.transpose %x, [1, 0] : tensor<6x4xf32>
  // expected-remark @+1 {{([j]) -> ([i,j]) {linear any: (0)}}}
  %3 = graph.broadcast %v, [1] : tensor<4xf32> to tensor<6x4xf32>
  // expected-remark @+1 {{([_,j]) -> ([i,j]) {linear any: (0)}}}
  %4 = graph.broadcast %row, [0, 1] : tensor<1x4xf32> to tensor<6x4xf32>
  return
}

// An axis that changes its size is not split, before and after the op.
func.func @axis(%x: tensor<4x6xf32>, %start: tensor<i64>) {
  // expected-remark @+1 {{([i,j]) -> ([i,k]) {whole j, k} {linear any: (0)}}}
  %0 = graph.slice %x axis = 1 start = 0 : tensor<4x6xf32> to tensor<4x3xf32>
  // A full slice may be split; a reversal may not.
  // expected-remark @+1 {{([i,j]) -> ([i,j]) {linear any: (0)}}}
  %1 = graph.slice %x axis = 1 start = 0 : tensor<4x6xf32> to tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,k]) {whole j, k} {linear any: (0)}}}
  %2 = graph.slice %x axis = 1 start = 5 {stride = -1} : tensor<4x6xf32> to tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[]) -> ([i,k]) {whole j, k} {linear any: (0)}}}
  %3 = graph.dynamic_slice %x, %start axis = 1 : (tensor<4x6xf32>, tensor<i64>) -> tensor<4x3xf32>
  // expected-remark @+1 {{([i,j],[i,k],[]) -> ([i,j]) {whole j, k} {linear any: (0,1)}}}
  %4 = graph.dynamic_update_slice %x, %3, %start axis = 1
    : (tensor<4x6xf32>, tensor<4x3xf32>, tensor<i64>) -> tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,k]) {whole j, k} {linear sum|max|min: (0)}}}
  %5 = graph.pad %x axis = 1 low = 1 high = 1 : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,k]) {whole j, k} {linear max|min|prod: (0)}}}
  %6 = graph.pad %x axis = 1 low = 1 high = 1 {value = 1.0} : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,k]) -> ([i,l]) {whole j, k, l} {linear any: (0,1)}}}
  %7 = graph.concat %x, %0 axis = 1 : tensor<4x6xf32>, tensor<4x3xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,k],[i,l]) {whole j, k, l} {linear any: (0)}}}
  %8:2 = graph.split %x axis = 1 : tensor<4x6xf32> to tensor<4x2xf32>, tensor<4x4xf32>
  return
}

// Indices: the table is whole along its axis; scattered updates add up beside the input.
func.func @indices(%table: tensor<10x6xf32>, %i: tensor<2x3xi64>) {
  // expected-remark @+1 {{([k,l],[i,j]) -> ([i,j,l]) {whole k} {linear any: (0)}}}
  %0 = graph.gather %table, %i axis = 0 : tensor<10x6xf32>, tensor<2x3xi64>
  // expected-remark @+1 {{([i,j],[k,l],[k,l,j]) -> ([i,j]) {reduce k: sum, l: sum} {whole i} {linear: (0,2)}}}
  %1 = graph.scatter_add %table, %i, %0 axis = 0
    : (tensor<10x6xf32>, tensor<2x3xi64>, tensor<2x3x6xf32>) -> tensor<10x6xf32>
  // expected-remark @+1 {{([i,j]) -> ([i,j,k]) {whole k}}}
  %2 = graph.one_hot %i axis = 2 : tensor<2x3xi64> to tensor<2x3x5xf32>
  return
}

// Windows: rows and columns before and after are cut together where one count divides both. The
// rows of the strided convolution are 8 before and 3 after, its columns 6 and 4.
func.func @windows(%x: tensor<2x4x8x6xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-remark @+1 {{([i,j.l,m,n],[j.k,l,o,p]) -> ([i,j.k,m,n]) {reduce l: sum} {whole o, p} {window m, n} {linear: (0) (1)}}}
  %0 = graph.conv2d %x, %w : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  // expected-remark @+1 {{([i,j.l,m,o],[j.k,l,p,q]) -> ([i,j.k,n,o]) {reduce l: sum} {whole m, n, p, q} {window o} {linear: (0) (1)}}}
  %1 = graph.conv2d %x, %w {strides = array<i64: 2, 1>} : tensor<2x4x8x6xf32>, tensor<6x2x3x3xf32>
  // expected-remark @+1 {{([i,j.k,m,n],[j.k,l,o,p]) -> ([i,j.l,m,n]) {reduce k: sum} {whole o, p} {window m, n} {linear: (0) (1)}}}
  %2 = graph.conv2d_input_gradient %0, %w : tensor<2x6x6x4xf32>, tensor<6x2x3x3xf32> to tensor<2x4x8x6xf32>
  // expected-remark @+1 {{([i,j.l,m,n],[i,j.k,m,n]) -> ([j.k,l,o,p]) {reduce i: sum} {whole o, p} {window m, n} {linear: (0) (1)}}}
  %3 = graph.conv2d_weight_gradient %x, %0 : tensor<2x4x8x6xf32>, tensor<2x6x6x4xf32> to tensor<6x2x3x3xf32>
  // expected-remark @+1 {{([i,j,k,l]) -> ([i,j,k,l]) {window k, l} {linear max: (0)}}}
  %4 = graph.max_pool %x window = [2, 2] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>
  // expected-remark @+1 {{([i,j,k,l],[i,j,k,l]) -> ([i,j,k,l]) {window k, l} {linear: (1)}}}
  %5 = graph.max_pool_gradient %x, %4 window = [2, 2] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>, tensor<2x4x4x3xf32>
  // expected-remark @+1 {{([i,j,k,l]) -> ([i,j,k,l]) {window k, l} {linear: (0)}}}
  %6 = graph.avg_pool %x window = [2, 2] {strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32>
  return
}

// Optimizer steps are pointwise, and accept no partial values: gradients are reduced first.
func.func @optimizer(%p: tensor<4x6xf32>, %rate: tensor<f32>, %step: tensor<i64>) {
  // expected-remark @+1 {{([i,j],[i,j],[]) -> ([i,j])}}
  %0 = graph.sgd %p, %p, %rate : tensor<4x6xf32>, tensor<f32>
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[]) -> ([i,j],[i,j])}}
  %1:2 = graph.momentum %p, %p, %p, %rate {momentum = 0.9} : tensor<4x6xf32>, tensor<f32>
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[]) -> ([i,j],[i,j])}}
  %2:2 = graph.adagrad %p, %p, %p, %rate {epsilon = 1.0e-10} : tensor<4x6xf32>, tensor<f32>
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[i,j],[],[]) -> ([i,j],[i,j],[i,j])}}
  %3:3 = graph.adam %p, %p, %p, %p, %rate, %step {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8} : tensor<4x6xf32>, tensor<f32>, tensor<i64>
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[i,j],[],[]) -> ([i,j],[i,j],[i,j])}}
  %4:3 = graph.adam_weight_decay %p, %p, %p, %p, %rate, %step {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8} : tensor<4x6xf32>, tensor<f32>, tensor<i64>
  // The norms of a LAMB step cover whole tensors; partition handles split ones.
  // expected-remark @+1 {{([i,j],[i,j],[i,j],[i,j],[],[]) -> ([i,j],[i,j],[i,j]) {whole i, j}}}
  %5:3 = graph.lamb %p, %p, %p, %p, %rate, %step {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-6} : tensor<4x6xf32>, tensor<f32>, tensor<i64>
  return
}

// Normalizations: dimensions with a common mean, variance or sum are not split; partition handles more cases.
func.func @normal(%x: tensor<4x6x5xf32>, %s: tensor<5xf32>, %c: tensor<6xf32>,
                  %index: tensor<4x6x5xi64>, %seed: tensor<i64>) {
  // expected-remark @+1 {{([i,j,k]) -> ([i,j,k]) {whole j}}}
  %0 = graph.log_softmax %x axis = 1 : tensor<4x6x5xf32>
  // expected-remark @+1 {{([i,j,k],[k],[k]) -> ([i,j,k]) {whole k}}}
  %1 = graph.layer_norm %x, %s, %s axis = 2 epsilon = 0.5 : tensor<4x6x5xf32>, tensor<5xf32>, tensor<5xf32>
  // expected-remark @+1 {{([i,j,k],[k]) -> ([i,j,k]) {whole k}}}
  %2 = graph.rms_norm %x, %s axis = 2 epsilon = 0.5 : tensor<4x6x5xf32>, tensor<5xf32>
  // expected-remark @+1 {{([i,j,k],[j],[j],[j],[j]) -> ([i,j,k],[j],[j]) {whole i, k}}}
  %3:3 = graph.batch_norm %x, %c, %c, %c, %c epsilon = 0.5 momentum = 0.5 : tensor<4x6x5xf32>, tensor<6xf32>, tensor<6xf32>
  // expected-remark @+1 {{([i,j,k],[j],[j],[j],[j]) -> ([i,j,k])}}
  %4 = graph.batch_norm_inference %x, %c, %c, %c, %c epsilon = 0.5 : tensor<4x6x5xf32>, tensor<6xf32>, tensor<6xf32>
  // expected-remark @+1 {{([i,j,k],[i,j,k],[]) -> ([i,j,k]) {linear: (0)}}}
  %5 = graph.dropout %x, %index, %seed rate = 0.5 : tensor<4x6x5xf32>, tensor<i64>
  return
}

// Losses add up over samples, or over all elements.
func.func @losses(%x: tensor<4x6xf32>, %l: tensor<4xi64>) {
  // expected-remark @+1 {{([i,j],[i]) -> ([]) {reduce i: sum} {whole j}}}
  %0 = graph.nll %x, %l : tensor<4x6xf32>, tensor<4xi64>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([]) {reduce i: sum, j: sum}}}
  %1 = graph.mse %x, %x : tensor<4x6xf32>
  // expected-remark @+1 {{([i,j],[i,j]) -> ([]) {reduce i: sum, j: sum}}}
  %2 = graph.sigmoid_cross_entropy %x, %x : tensor<4x6xf32>
  return
}

// Attention: heads of a group share key and value; a row of scores is whole, and where it is causal
// the query's positions are. In the gradient, factors that add up for key and value alone are not split.
func.func @attention(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x8xf32>, %v: tensor<2x2x10x3xf32>,
                     %m: tensor<2x1x1x10xf32>, %o: tensor<i64>, %c: tensor<6x4xf32>, %s: tensor<1x1x6x6xf32>) {
  // expected-remark @+1 {{([i,j.k,l,n],[i,j,m,n],[i,j,m,o]) -> ([i,j.k,l,o],[i,j.k,l]) {whole m, n}}}
  %0:2 = graph.attention %q, %k, %v scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>
  // expected-remark @+1 {{([i,j.k,l,n],[i,j,m,n],[i,j,m,o],[i,_,_,m],[]) -> ([i,j.k,l,o],[i,j.k,l]) {whole l, m, n}}}
  %1:2 = graph.attention %q, %k, %v, %m scale = 0.5 offset(%o : tensor<i64>) {causal} : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>, tensor<2x1x1x10xf32>
  // expected-remark @+1 {{([i,j.k,l,n],[i,j,m,n],[i,j,m,o],[i,j.k,l,o],[i,j.k,l],[i,j.k,l,o]) -> ([i,j.k,l,n],[i,j,m,n],[i,j,m,o]) {whole k, l, m, n, o}}}
  %2:3 = graph.attention_gradient %q, %k, %v, %0#0, %0#1, %0#0 scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x3xf32>, tensor<2x4x6x3xf32>, tensor<2x4x6xf32>
  // A self-attention has one factor for positions. With a mask, which has two of them, they stay apart.
  // expected-remark @+1 {{([i,j,k,l],[i,j,k,l],[i,j,k,m]) -> ([i,j,k,m],[i,j,k]) {whole k, l}}}
  %3:2 = graph.attention %q, %q, %q scale = 0.5 {causal} : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>
  // expected-remark @+1 {{([i,j,k,m],[i,j,l,m],[i,j,l,n],[_,_,k,l]) -> ([i,j,k,n],[i,j,k]) {whole l, m}}}
  %4:2 = graph.attention %q, %q, %q, %s scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<1x1x6x6xf32>
  // expected-remark @+1 {{([i,j,k,l],[k,m],[k,m]) -> ([i,j,k,l]) {whole l, m} {linear: (0)}}}
  %5 = graph.rotary_embedding %q, %c, %c : tensor<2x4x6x8xf32>, tensor<6x4xf32>
  return
}
