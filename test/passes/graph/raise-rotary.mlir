// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-rotary --graph-canonicalize --cse | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-rotary --graph-canonicalize --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY
// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

!x = tensor<2x3x2x4xf32>
!h = tensor<2x3x2x2xf32>

// Constant tables whose halves are equal; one half becomes the angles.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[C:.*]] = graph.slice %{{.*}} axis = 1 start = 0 : tensor<2x4xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[S:.*]] = graph.slice %{{.*}} axis = 1 start = 0 : tensor<2x4xf32> to tensor<2x2xf32>
// CHECK: graph.rotary_embedding %arg0, %{{.*}}, %{{.*}} : tensor<2x3x2x4xf32>, tensor<2x2xf32>
// CHECK-NOT: graph.concat
func.func @constants(%x: !x) -> !x {
  %c = graph.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.6, 0.8, 0.6, 0.8]]> : tensor<2x4xf32>
  %s = graph.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.8, 0.6]]> : tensor<2x4xf32>
  %cs = graph.broadcast %c, [2, 3] : tensor<2x4xf32> to !x
  %ss = graph.broadcast %s, [2, 3] : tensor<2x4xf32> to !x
  %0 = graph.mul %x, %cs : !x
  %low = graph.slice %x axis = 3 start = 0 : !x to !h
  %high = graph.slice %x axis = 3 start = 2 : !x to !h
  %n = graph.neg %high : !h
  %r = graph.concat %n, %low axis = 3 : !h, !h
  %1 = graph.mul %r, %ss : !x
  %y = graph.add %0, %1 : !x
  return %y : !x
}

// Angles computed for each sample, operands in exchanged order, and halves by a split.
// CHECK-LABEL: func.func @computed
// CHECK: graph.rotary_embedding %arg0, %{{.*}}, %{{.*}} : tensor<2x3x2x4xf32>, tensor<2x2x2xf32>
func.func @computed(%x: !x, %angles: tensor<2x2x2xf32>) -> !x {
  %a = graph.concat %angles, %angles axis = 2 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
  %c0 = graph.cos %a : tensor<2x2x4xf32>
  %s0 = graph.sin %a : tensor<2x2x4xf32>
  %c = graph.reshape %c0 : tensor<2x2x4xf32> to tensor<2x1x2x4xf32>
  %s = graph.reshape %s0 : tensor<2x2x4xf32> to tensor<2x1x2x4xf32>
  %cs = graph.broadcast %c, [0, 1, 2, 3] : tensor<2x1x2x4xf32> to !x
  %ss = graph.broadcast %s, [0, 1, 2, 3] : tensor<2x1x2x4xf32> to !x
  %0 = graph.mul %cs, %x : !x
  %low, %high = graph.split %x axis = 3 : !x to !h, !h
  %n = graph.neg %high : !h
  %r = graph.concat %n, %low axis = 3 : !h, !h
  %1 = graph.mul %ss, %r : !x
  %y = graph.add %1, %0 : !x
  return %y : !x
}

// Not raised: halves that differ, halves of unknown value, and halves in the wrong order.
// CHECK-LABEL: func.func @halves_differ
// CHECK-NOT: graph.rotary_embedding
func.func @halves_differ(%x: !x, %table: tensor<2x4xf32>) -> (!x, !x, !x) {
  %c = graph.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.6, 0.8, 0.5, 0.8]]> : tensor<2x4xf32>
  %e = graph.constant dense<[[1.0, 2.0, 1.0, 2.0], [0.6, 0.8, 0.6, 0.8]]> : tensor<2x4xf32>
  %cs = graph.broadcast %c, [2, 3] : tensor<2x4xf32> to !x
  %es = graph.broadcast %e, [2, 3] : tensor<2x4xf32> to !x
  %ts = graph.broadcast %table, [2, 3] : tensor<2x4xf32> to !x
  %low = graph.slice %x axis = 3 start = 0 : !x to !h
  %high = graph.slice %x axis = 3 start = 2 : !x to !h
  %n = graph.neg %high : !h
  %m = graph.neg %low : !h
  %r = graph.concat %n, %low axis = 3 : !h, !h
  %w = graph.concat %m, %high axis = 3 : !h, !h
  %0 = graph.mul %x, %cs : !x
  %1 = graph.mul %r, %es : !x
  %y0 = graph.add %0, %1 : !x
  %2 = graph.mul %x, %ts : !x
  %y1 = graph.add %2, %1 : !x
  %3 = graph.mul %x, %es : !x
  %4 = graph.mul %w, %es : !x
  %y2 = graph.add %3, %4 : !x
  return %y0, %y1, %y2 : !x, !x, !x
}

// Pairs of neighbors, as GLM and Cohere have them: even and odd elements are stacked. The numbers of a pair are equal.
// CHECK-LABEL: func.func @neighbors
// CHECK-DAG: graph.slice %{{.*}} axis = 1 start = 0 {stride = 2 : i64} : tensor<2x4xf32> to tensor<2x2xf32>
// CHECK: graph.rotary_embedding %arg0, %{{.*}}, %{{.*}} {interleaved} : tensor<2x3x2x4xf32>, tensor<2x2xf32>
// CHECK-NOT: graph.concat
func.func @neighbors(%x: !x) -> !x {
  %c = graph.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.6, 0.6, 0.8, 0.8]]> : tensor<2x4xf32>
  %s = graph.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.8, 0.8, 0.6, 0.6]]> : tensor<2x4xf32>
  %cs = graph.broadcast %c, [2, 3] : tensor<2x4xf32> to !x
  %ss = graph.broadcast %s, [2, 3] : tensor<2x4xf32> to !x
  %0 = graph.mul %x, %cs : !x
  %even = graph.slice %x axis = 3 start = 0 {stride = 2} : !x to !h
  %odd = graph.slice %x axis = 3 start = 1 {stride = 2} : !x to !h
  %n = graph.neg %odd : !h
  %n1 = graph.reshape %n : !h to tensor<2x3x2x2x1xf32>
  %e1 = graph.reshape %even : !h to tensor<2x3x2x2x1xf32>
  %r = graph.concat %n1, %e1 axis = 4 : tensor<2x3x2x2x1xf32>, tensor<2x3x2x2x1xf32>
  %t = graph.reshape %r : tensor<2x3x2x2x2xf32> to !x
  %1 = graph.mul %t, %ss : !x
  %y = graph.add %0, %1 : !x
  return %y : !x
}

// The same before the heads are transposed, as in GPT-J, with computed tables and x as pairs. Positions count as samples.
// CHECK-LABEL: func.func @positions_first
// CHECK: graph.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} {interleaved} : tensor<6x2x1x4xf32>, tensor<6x1x2xf32>
// CHECK-NOT: graph.concat
func.func @positions_first(%x: !x, %angles: tensor<3x2xf32>) -> !x {
  %p = graph.broadcast %angles, [0, 1] : tensor<3x2xf32> to tensor<3x2x2xf32>
  %a = graph.reshape %p : tensor<3x2x2xf32> to tensor<3x4xf32>
  %c = graph.cos %a : tensor<3x4xf32>
  %s = graph.sin %a : tensor<3x4xf32>
  %cs = graph.broadcast %c, [1, 3] : tensor<3x4xf32> to !x
  %ss = graph.broadcast %s, [1, 3] : tensor<3x4xf32> to !x
  %0 = graph.mul %x, %cs : !x
  %pairs = graph.reshape %x : !x to tensor<2x3x2x2x2xf32>
  %even = graph.slice %pairs axis = 4 start = 0 : tensor<2x3x2x2x2xf32> to tensor<2x3x2x2x1xf32>
  %odd = graph.slice %pairs axis = 4 start = 1 : tensor<2x3x2x2x2xf32> to tensor<2x3x2x2x1xf32>
  %n = graph.neg %odd : tensor<2x3x2x2x1xf32>
  %r = graph.concat %n, %even axis = 4 : tensor<2x3x2x2x1xf32>, tensor<2x3x2x2x1xf32>
  %t = graph.reshape %r : tensor<2x3x2x2x2xf32> to !x
  %1 = graph.mul %t, %ss : !x
  %y = graph.add %0, %1 : !x
  return %y : !x
}

// Not raised: the table repeats halves, but neighbors are turned.
// CHECK-LABEL: func.func @pairing_differs
// CHECK-NOT: graph.rotary_embedding
func.func @pairing_differs(%x: !x) -> !x {
  %c = graph.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.6, 0.8, 0.6, 0.8]]> : tensor<2x4xf32>
  %cs = graph.broadcast %c, [2, 3] : tensor<2x4xf32> to !x
  %0 = graph.mul %x, %cs : !x
  %even = graph.slice %x axis = 3 start = 0 {stride = 2} : !x to !h
  %odd = graph.slice %x axis = 3 start = 1 {stride = 2} : !x to !h
  %n = graph.neg %odd : !h
  %n1 = graph.reshape %n : !h to tensor<2x3x2x2x1xf32>
  %e1 = graph.reshape %even : !h to tensor<2x3x2x2x1xf32>
  %r = graph.concat %n1, %e1 axis = 4 : tensor<2x3x2x2x1xf32>, tensor<2x3x2x2x1xf32>
  %t = graph.reshape %r : tensor<2x3x2x2x2xf32> to !x
  %1 = graph.mul %t, %cs : !x
  %y = graph.add %0, %1 : !x
  return %y : !x
}

// Both halves are rotated by themselves and then joined. The exporter has folded each use of a table.
// CHECK-LABEL: func.func @joined_halves
// CHECK: graph.rotary_embedding %arg0, %{{.*}}, %{{.*}} : tensor<2x3x2x4xf32>, tensor<2x2xf32>
// CHECK-NOT: graph.concat
func.func @joined_halves(%x: !x) -> !x {
  %c = graph.constant dense<[[1.0, 1.0], [0.6, 0.8]]> : tensor<2x2xf32>
  %s = graph.constant dense<[[0.0, 0.0], [0.8, 0.6]]> : tensor<2x2xf32>
  %c2 = graph.constant dense<[[1.0, 1.0], [0.6, 0.8]]> : tensor<2x2xf32>
  %cs = graph.broadcast %c, [2, 3] : tensor<2x2xf32> to !h
  %ss = graph.broadcast %s, [2, 3] : tensor<2x2xf32> to !h
  %cs2 = graph.broadcast %c2, [2, 3] : tensor<2x2xf32> to !h
  %low, %high = graph.split %x axis = 3 : !x to !h, !h
  %0 = graph.mul %low, %cs : !h
  %1 = graph.mul %high, %ss : !h
  %2 = graph.sub %0, %1 : !h
  %3 = graph.mul %high, %cs2 : !h
  %4 = graph.mul %low, %ss : !h
  %5 = graph.add %3, %4 : !h
  %y = graph.concat %2, %5 axis = 3 : !h, !h
  return %y : !x
}

// Likewise pairs of neighbors, which are stacked.
// CHECK-LABEL: func.func @joined_neighbors
// CHECK: graph.rotary_embedding %arg0, %arg1, %arg2 {interleaved} : tensor<2x3x2x4xf32>, tensor<2x2xf32>
// CHECK-NOT: graph.concat
func.func @joined_neighbors(%x: !x, %c: tensor<2x2xf32>, %s: tensor<2x2xf32>) -> !x {
  %cs = graph.broadcast %c, [2, 3] : tensor<2x2xf32> to !h
  %ss = graph.broadcast %s, [2, 3] : tensor<2x2xf32> to !h
  %even = graph.slice %x axis = 3 start = 0 {stride = 2} : !x to !h
  %odd = graph.slice %x axis = 3 start = 1 {stride = 2} : !x to !h
  %0 = graph.mul %even, %cs : !h
  %1 = graph.mul %odd, %ss : !h
  %2 = graph.sub %0, %1 : !h
  %3 = graph.mul %even, %ss : !h
  %4 = graph.mul %odd, %cs : !h
  %5 = graph.add %3, %4 : !h
  %a = graph.reshape %2 : !h to tensor<2x3x2x2x1xf32>
  %b = graph.reshape %5 : !h to tensor<2x3x2x2x1xf32>
  %p = graph.concat %a, %b axis = 4 : tensor<2x3x2x2x1xf32>, tensor<2x3x2x2x1xf32>
  %y = graph.reshape %p : tensor<2x3x2x2x2xf32> to !x
  return %y : !x
}
