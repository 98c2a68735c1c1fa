// RUN: not pcc-opt %s --split-input-file -o /dev/null
// RUN: not pcc-opt %s --split-input-file -o /dev/null --graph-canonicalize
// RUN: not pcc-opt %s --split-input-file -o /dev/null --graph-decompose
// RUN: not pcc-opt %s --split-input-file -o /dev/null --graph-print-factor-rules
// RUN: not pcc-opt %s --split-input-file -o /dev/null --graph-split-batch=count=2

// Hostile and degenerate programs: wrong types, missing attributes, overflowing sizes, rank 0, sizes of one. Most
// are refused, some are valid; none may crash the parser, the verifier or a pass ("not" fails on a signal).

func.func @a(%x: tensor<*xf32>) {
  %0 = graph.relu %x : tensor<*xf32>
  return
}

// -----

func.func @a(%x: vector<4xf32>) {
  %0 = "graph.relu"(%x) : (vector<4xf32>) -> vector<4xf32>
  return
}

// -----

func.func @a(%x: i32) {
  %0 = graph.reduce sum %x, [0] : i32
  return
}

// -----

func.func @a(%x: tensor<*xf32>) {
  %0 = graph.reduce sum %x, [0] : tensor<*xf32>
  return
}

// -----

func.func @a(%x: tensor<?xf32>) {
  %0 = graph.transpose %x, [0] : tensor<?xf32>
  return
}

// -----

func.func @a(%x: index, %y: f64) {
  %0 = graph.matmul %x, %y : index, f64
  return
}

// -----

func.func @a(%x: tensor<1073741824x1xf32>, %y: tensor<1x1073741824xf32>) {
  %0 = graph.matmul %x, %y : tensor<1073741824x1xf32>, tensor<1x1073741824xf32>
  return
}

// -----

func.func @a(%x: tensor<281474976710656xf32>) {
  %0 = graph.concat %x, %x axis = 0 : tensor<281474976710656xf32>, tensor<281474976710656xf32>
  return
}

// -----

func.func @a(%x: tensor<2xf32>) {
  %0 = "graph.reduce"(%x) : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @a(%x: tensor<2xf32>) {
  %0 = "graph.transpose"(%x) {permutation = 3 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a(%x: tensor<2xf32>) {
  %0 = "graph.slice"(%x) {axis = 0 : i32, start = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a() {
  %0 = "graph.constant"() : () -> tensor<2xf32>
  return
}

// -----

func.func @a() {
  %0 = graph.constant 5 : i32
  return
}

// -----

func.func @a() {
  %0 = graph.constant dense<1.0> : vector<2xf32>
  return
}

// -----

func.func @a() {
  %0 = graph.constant dense<1.0> : tensor<2xf64>
  return
}

// -----

func.func @a() {
  %0 = graph.constant dense<> : tensor<0xf32>
  return
}

// -----

func.func @a() {
  %0 = graph.constant dense_resource<nothing> : tensor<2xf32>
  return
}

// -----

func.func @a() {
  %0 = graph.constant dense_resource<nothing> : tensor<2xf32>
  %1 = graph.reshape %0 : tensor<2xf32> to tensor<2x1xf32>
  %2 = graph.neg %1 : tensor<2x1xf32>
  return
}

// -----

graph.parameter @w : i32 init(<zeros>)

// -----

graph.parameter @w : tensor<?xf32> init(<zeros>)

// -----

graph.parameter @w : tensor<2xf32> init(<bogus>)

// -----

graph.parameter @w : tensor<2xf32> init(<zeros, 1.0>)

// -----

func.func @a(%x: tensor<2xf32>) {
  "graph.concat"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a(%x: tensor<2xf32>) {
  %0 = graph.pad %x axis = 0 low = -9223372036854775808 high = -9223372036854775808 : tensor<2xf32>
  return
}

// -----

func.func @a(%x: tensor<2xf32>) {
  %0 = graph.slice %x axis = 9223372036854775807 start = 0 : tensor<2xf32> to tensor<2xf32>
  return
}

// -----

func.func @a(%x: tensor<4xf32>) {
  %0 = graph.slice %x axis = 0 start = 0 {stride = -9223372036854775808} : tensor<4xf32> to tensor<2xf32>
  return
}

// -----

func.func @a(%x: tensor<i1>, %y: tensor<f32>) {
  %0 = graph.select %x, %y, %y : tensor<f32>
  return
}

// -----

func.func @a(%x: tensor<i1>, %y: tensor<f32>) {
  %0 = graph.select %x, %y, %y : f32
  return
}

// -----

func.func @a(%x: tensor<i1>, %y: tensor<f32>) {
  %0 = graph.select %x, %y, %y : tensor<*xf32>
  return
}

// -----

func.func @a(%x: f32) {
  %0 = graph.compare lt %x, %x : f32
  return
}

// -----

func.func @a(%x: tensor<f32>) {
  %0 = graph.compare lt %x, %x : tensor<f32>
  %1 = graph.softmax %x axis = 0 : tensor<f32>
  return
}

// -----

func.func @a(%x: tensor<3xf32>, %l: tensor<i64>) -> tensor<f32> {
  %0 = graph.softmax_cross_entropy %x, %l {ignore_index = 1} : tensor<3xf32>, tensor<i64>
  return %0 : tensor<f32>
}

// -----

func.func @a(%x: tensor<3xf32>, %l: tensor<f32>) {
  %0 = "graph.sgd"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @a(%x: tensor<3xf32>) {
  %0 = graph.gelu %x {form = 3} : tensor<3xf32>
  return
}

// -----

func.func @a(%x: tensor<3xf32>) {
  %0 = graph.elu %x : tensor<3xf32>
  return
}

// -----

func.func @a(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.matmul %x, %x : tensor<1x1xf32>, tensor<1x1xf32>
  %1 = graph.softmax %0 axis = 1 : tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

func.func @a(%t: tensor<1xf32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = graph.gather %t, %i axis = 0 : tensor<1xf32>, tensor<i64>
  %1 = graph.scatter_add %t, %i, %0 axis = 0 : (tensor<1xf32>, tensor<i64>, tensor<f32>) -> tensor<1xf32>
  %2 = graph.one_hot %i axis = 0 : tensor<i64> to tensor<1xf32>
  return %0 : tensor<f32>
}

// -----

func.func @a(%t: tensor<f32>, %i: tensor<i64>) {
  %0 = graph.gather %t, %i axis = 0 : tensor<f32>, tensor<i64>
  return
}

// -----

func.func @a(%t: tensor<f32>) -> tensor<1x1xf32> {
  %0 = graph.broadcast %t, [] : tensor<f32> to tensor<1xf32>
  %1 = graph.broadcast %0, [1] : tensor<1xf32> to tensor<1x1xf32>
  %2 = graph.reshape %1 : tensor<1x1xf32> to tensor<f32>
  %3 = graph.transpose %2, [] : tensor<f32>
  %4 = graph.reduce prod %3, [] : tensor<f32>
  %5 = graph.reshape %4 : tensor<f32> to tensor<1x1xf32>
  return %5 : tensor<1x1xf32>
}

// -----

func.func @a() -> tensor<2xi8> {
  %0 = graph.constant dense<-128> : tensor<2xi8>
  %1 = graph.constant dense<-1> : tensor<2xi8>
  %2 = graph.div %0, %1 : tensor<2xi8>
  %3 = graph.neg %2 : tensor<2xi8>
  return %3 : tensor<2xi8>
}

// -----

func.func @a() -> tensor<2xi64> {
  %0 = graph.constant dense<0x7FC00000> : tensor<2xf32>
  %1 = graph.cast %0 : tensor<2xf32> to tensor<2xi64>
  return %1 : tensor<2xi64>
}

// -----

func.func @a() -> tensor<2xf16> {
  %0 = graph.constant dense<true> : tensor<2xi1>
  %1 = graph.cast %0 : tensor<2xi1> to tensor<2xf16>
  return %1 : tensor<2xf16>
}

// -----

func.func @a(%x: tensor<8xf32> {graph.role = #graph.role<input>},
             %y: tensor<*xf32> {graph.role = #graph.role<input>},
             %z: i32 {graph.role = #graph.role<input>}) {
  return
}

// -----

func.func @a(%x: tensor<8x2xf32> {graph.role = #graph.role<input>}) -> tensor<2xf32> {
  %0 = graph.split %x axis = 1 : tensor<8x2xf32> to tensor<8x2xf32>
  %1 = graph.reduce mean %0, [0] : tensor<8x2xf32>
  return %1 : tensor<2xf32>
}
