// RUN: pcc-opt %s --split-input-file --strategy-semi-auto=device-num=4 | FileCheck %s
// RUN: pcc-opt %s --split-input-file --strategy-semi-auto=device-num=4 --remark-format=emitRemark --remarks-filter-missed=strategy -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// A restored constraint refers to one of several ops that share a name. `in` and `out` together define how its
// factors are split. A broadcast can thus be constrained, and the matmul's sum stays partial for its readers.

// CHECK-LABEL: func.func @exact(
// CHECK: graph.matmul %arg0, %arg1 {{.+}}dist.out = [#dist.sharding<[_, _]>]
// CHECK: graph.matmul {{.+}}dist.in = [#dist.sharding<[_, tp]>, #dist.sharding<[tp, _]>], dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
// CHECK: graph.broadcast {{.+}}dist.in = [#dist.sharding<[_]>], dist.out = [#dist.sharding<[tp, _]>]
module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "exact:matmul#0", in = "[_, _], [_, _]", out = "[_, _]", restored},
    {op_exact = "exact:matmul#1", in = "[_, tp], [tp, _]", out = "[_, _]", restored},
    {op_exact = "exact:broadcast#0", in = "[_]", out = "[tp, _]", restored}]} {
  func.func @exact(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
    %0 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = graph.tanh %0 : tensor<8x8xf32>
    %2 = graph.matmul %1, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %3 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<8x8xf32>
    %4 = graph.tanh %2 : tensor<8x8xf32>
    %5 = graph.mul %4, %3 : tensor<8x8xf32>
    return %5 : tensor<8x8xf32>
  }
}

// -----

// A constraint of the user takes precedence. An optional constraint that does not fit is ignored with a remark.

// CHECK-LABEL: func.func @own(
// CHECK: graph.tanh {{.+}}dist.out = [#dist.sharding<[_, tp]>]
// REMARK: reuse {{.*}}expected a count that divides 6 (1, 2, 3, 6), got 4{{.*}}entry=own:exp#0
// REMARK: reuse {{.*}}matches no op{{.*}}entry=own:log#0
module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "own:tanh#0", in = "[tp, _]", out = "[tp, _]", restored},
    {op_exact = "own:exp#0", in = "[tp]", out = "[tp]", restored, optional},
    {op_exact = "own:log#0", in = "[tp]", out = "[tp]", restored, optional},
    {op_name = "tanh", in = "[_, tp]"}]} {
  func.func @own(%x: tensor<8x8xf32>, %y: tensor<6xf32>) -> (tensor<8x8xf32>, tensor<6xf32>) {
    %0 = graph.tanh %x : tensor<8x8xf32>
    %1 = graph.exp %y : tensor<6xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<6xf32>
  }
}

// -----

// The entry of a copy of a parameter precedes that of its owner, in any order. A copy without an entry, as of the
// second parameter, has the sharding of its owner.

// CHECK-LABEL: func.func @copies(
// CHECK-SAME: #dist.sharding<[tp, _]>, graph.role = #graph.role<parameter "w">}
// CHECK-SAME: #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "w.chunk1">}
// CHECK-SAME: #dist.sharding<[_, _]>, graph.role = #graph.role<parameter "w.chunk2">}
// CHECK-SAME: #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "v">}
// CHECK-SAME: #dist.sharding<[_, tp]>, graph.role = #graph.role<parameter "v.chunk1">}
module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {parameter = "w\\.chunk1", sharding = "[_, tp]", restored},
    {parameter = "w", sharding = "[tp, _]", restored},
    {parameter = "w\\.chunk2", sharding = "[_, _]", restored},
    {parameter = "v", sharding = "[_, tp]", restored}]} {
  graph.parameter @w : tensor<8x8xf32> init(#graph.init<zeros>)
  graph.parameter @w.chunk1 : tensor<8x8xf32> init(#graph.init<zeros>) {pipe.copy_of = "w"}
  graph.parameter @w.chunk2 : tensor<8x8xf32> init(#graph.init<zeros>) {pipe.copy_of = "w"}
  graph.parameter @v : tensor<8x8xf32> init(#graph.init<zeros>)
  graph.parameter @v.chunk1 : tensor<8x8xf32> init(#graph.init<zeros>) {pipe.copy_of = "v"}
  func.func @copies(%w: tensor<8x8xf32> {graph.role = #graph.role<parameter "w">},
                    %w1: tensor<8x8xf32> {graph.role = #graph.role<parameter "w.chunk1">},
                    %w2: tensor<8x8xf32> {graph.role = #graph.role<parameter "w.chunk2">},
                    %v: tensor<8x8xf32> {graph.role = #graph.role<parameter "v">},
                    %v1: tensor<8x8xf32> {graph.role = #graph.role<parameter "v.chunk1">})
      -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = graph.add %w, %w1 : tensor<8x8xf32>
    %1 = graph.add %0, %w2 : tensor<8x8xf32>
    %2 = graph.add %v, %v1 : tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}

// -----

// An op that took partial sums takes them again, although it is not told by its neighbors.

// CHECK-LABEL: func.func @carried(
// CHECK: graph.broadcast {{.+}}dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
// CHECK: graph.add {{.+}}dist.in = [#dist.sharding<[_, _] partial(sum: tp)>, #dist.sharding<[_, _] partial(sum: tp)>], dist.out = [#dist.sharding<[_, _] partial(sum: tp)>]
module attributes {dist.mesh = #dist.mesh<tp=4>, dist.constraints = [
    {op_exact = "carried:matmul#0", in = "[_, tp], [tp, _]", out = "[_, _]", restored},
    {op_exact = "carried:broadcast#0", in = "[_]", out = "[_, _]", restored, carried = "[_] partial(sum: tp)"},
    {op_exact = "carried:add#0", in = "[_, _], [_, _]", out = "[_, _]", restored,
     carried = "[_, _] partial(sum: tp), [_, _] partial(sum: tp)"}]} {
  func.func @carried(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
    %0 = graph.matmul %x, %w : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = graph.broadcast %b, [1] : tensor<8xf32> to tensor<8x8xf32>
    %2 = graph.add %0, %1 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
