// Causal masks that comparisons of positions make, as those of many positions that are not folded. Each
// function has the same values before and after.
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse | FileCheck %s
// RUN: pcc-opt %s --graph-canonicalize --cse --graph-raise-attention --graph-canonicalize --cse -o %t.mlir
// RUN: pcc verify %s %t.mlir | FileCheck %s --check-prefix=VERIFY

// VERIFY: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped

// Keys up to the query are visible.
// CHECK-LABEL: func.func @key_le_query
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @key_le_query(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare le %ten, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %zero, %hidden : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// The operands are exchanged.
// CHECK-LABEL: func.func @query_ge_key
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @query_ge_key(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare ge %query, %ten : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %zero, %hidden : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// What is compared is hidden.
// CHECK-LABEL: func.func @key_gt_query
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @key_gt_query(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare gt %ten, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %hidden, %zero : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// The operands are exchanged, and what is compared is hidden.
// CHECK-LABEL: func.func @query_lt_key
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @query_lt_key(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare lt %query, %ten : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %hidden, %zero : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// The diagonal is not the usual one: a query sees one key beyond its position.
// CHECK-LABEL: func.func @beyond
// CHECK: %[[OFFSET:.+]] = graph.constant dense<1> : tensor<i64>
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 offset(%[[OFFSET]] : tensor<i64>) {causal} :
func.func @beyond(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %less = graph.constant dense<[[[[8, 9, 10]]]]> : tensor<1x1x1x3xi64>
  %shifted = graph.broadcast %less, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %compared = graph.compare lt %shifted, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %zero, %hidden : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// Finite scores of a row that sees nothing have a softmax, so the mask stays.
// CHECK-LABEL: func.func @first_row_sees_nothing
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor
func.func @first_row_sees_nothing(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare lt %ten, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %zero, %hidden : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// The mask hides the keys up to the query, so it is not causal.
// CHECK-LABEL: func.func @sees_the_future
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor
func.func @sees_the_future(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare le %ten, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %zero = graph.constant dense<0.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %hidden, %zero : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// Visible scores change as well.
// CHECK-LABEL: func.func @adds_elsewhere
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor
func.func @adds_elsewhere(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %rows = graph.constant dense<[[[[10], [11], [12]]]]> : tensor<1x1x3x1xi64>
  %query = graph.broadcast %rows, [0, 1, 2, 3] : tensor<1x1x3x1xi64> to tensor<1x1x3x3xi64>
  %columns = graph.constant dense<[[[[10, 11, 12]]]]> : tensor<1x1x1x3xi64>
  %ten = graph.broadcast %columns, [0, 1, 2, 3] : tensor<1x1x1x3xi64> to tensor<1x1x3x3xi64>
  %all = graph.constant dense<true> : tensor<1x1x3x3xi1>
  %compared = graph.compare le %ten, %query : tensor<1x1x3x3xi64>
  %sees = graph.and %compared, %all : tensor<1x1x3x3xi1>
  %one = graph.constant dense<1.0> : tensor<1x1x3x3xf32>
  %hidden = graph.constant dense<-1.0e9> : tensor<1x1x3x3xf32>
  %added = graph.select %sees, %one, %hidden : tensor<1x1x3x3xf32>
  %mask = graph.broadcast %added, [0, 1, 2, 3] : tensor<1x1x3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %1 = graph.add %0, %mask : tensor<2x4x3x3xf32>
  %2 = graph.softmax %1 axis = 3 : tensor<2x4x3x3xf32>
  %3 = graph.matmul %2, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %3 : tensor<2x4x3x8xf32>
}

// Indices of dimensions, one of them repeated, as a mask of rank 2 that replaces scores.
// CHECK-LABEL: func.func @iotas
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @iotas(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %scores = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %key = graph.iota axis = 1 : tensor<3x3xi64>
  %index = graph.iota axis = 0 : tensor<3xi64>
  %query = graph.broadcast %index, [0] : tensor<3xi64> to tensor<3x3xi64>
  %sees = graph.compare le %key, %query : tensor<3x3xi64>
  %hides = graph.not %sees : tensor<3x3xi1>
  %all = graph.broadcast %hides, [2, 3] : tensor<3x3xi1> to tensor<2x4x3x3xi1>
  %hidden = graph.constant dense<0xFF800000> : tensor<2x4x3x3xf32>
  %masked = graph.select %all, %hidden, %scores : tensor<2x4x3x3xf32>
  %1 = graph.softmax %masked axis = 3 : tensor<2x4x3x3xf32>
  %2 = graph.matmul %1, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %2 : tensor<2x4x3x8xf32>
}

// Two cached keys before those of the queries: the usual diagonal.
// CHECK-LABEL: func.func @cached_keys
// CHECK: graph.attention %arg0, %arg1, %arg2 scale = 1.000000e+00 {causal} :
func.func @cached_keys(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) -> tensor<2x4x3x8xf32> {
  %scores = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x5x8xf32>
  %key = graph.iota axis = 1 : tensor<3x5xi64>
  %rows = graph.constant dense<[[2], [3], [4]]> : tensor<3x1xi64>
  %query = graph.broadcast %rows, [0, 1] : tensor<3x1xi64> to tensor<3x5xi64>
  %sees = graph.compare ge %query, %key : tensor<3x5xi64>
  %all = graph.broadcast %sees, [2, 3] : tensor<3x5xi1> to tensor<2x4x3x5xi1>
  %hidden = graph.constant dense<0xFF800000> : tensor<2x4x3x5xf32>
  %masked = graph.select %all, %scores, %hidden : tensor<2x4x3x5xf32>
  %1 = graph.softmax %masked axis = 3 : tensor<2x4x3x5xf32>
  %2 = graph.matmul %1, %v : tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32>
  return %2 : tensor<2x4x3x8xf32>
}

// A window beside it: a diagonal and a mask of numbers.
// CHECK-LABEL: func.func @with_window
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 {causal} :
func.func @with_window(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %scores = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  %key = graph.iota axis = 1 : tensor<3x3xi64>
  %query = graph.iota axis = 0 : tensor<3x3xi64>
  %hides = graph.compare gt %key, %query : tensor<3x3xi64>
  %zero = graph.constant dense<0.0> : tensor<3x3xf32>
  %infinite = graph.constant dense<0xFF800000> : tensor<3x3xf32>
  %added = graph.select %hides, %infinite, %zero : tensor<3x3xf32>
  %all = graph.broadcast %added, [2, 3] : tensor<3x3xf32> to tensor<2x4x3x3xf32>
  %far = graph.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-1.0e9, 0.0, 0.0]]> : tensor<3x3xf32>
  %window = graph.broadcast %far, [2, 3] : tensor<3x3xf32> to tensor<2x4x3x3xf32>
  %0 = graph.add %scores, %all : tensor<2x4x3x3xf32>
  %masked = graph.add %0, %window : tensor<2x4x3x3xf32>
  %1 = graph.softmax %masked axis = 3 : tensor<2x4x3x3xf32>
  %2 = graph.matmul %1, %v : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>
  return %2 : tensor<2x4x3x8xf32>
}

// Indices of one byte wrap around, so the last positions are negative.
// CHECK-LABEL: func.func @wrapped
// CHECK: graph.attention %arg0, %arg1, %arg2, %{{.*}} scale = 1.000000e+00 : tensor
func.func @wrapped(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x130x8xf32>, %v: tensor<2x4x130x8xf32>) -> tensor<2x4x3x8xf32> {
  %scores = graph.matmul %q, %k {transpose_rhs} : tensor<2x4x3x8xf32>, tensor<2x4x130x8xf32>
  %key = graph.iota axis = 1 : tensor<3x130xi8>
  %query = graph.iota axis = 0 : tensor<3x130xi8>
  %hides = graph.compare gt %key, %query : tensor<3x130xi8>
  %zero = graph.constant dense<0.0> : tensor<3x130xf32>
  %infinite = graph.constant dense<0xFF800000> : tensor<3x130xf32>
  %added = graph.select %hides, %infinite, %zero : tensor<3x130xf32>
  %all = graph.broadcast %added, [2, 3] : tensor<3x130xf32> to tensor<2x4x3x130xf32>
  %masked = graph.add %scores, %all : tensor<2x4x3x130xf32>
  %1 = graph.softmax %masked axis = 3 : tensor<2x4x3x130xf32>
  %2 = graph.matmul %1, %v : tensor<2x4x3x130xf32>, tensor<2x4x130x8xf32>
  return %2 : tensor<2x4x3x8xf32>
}
