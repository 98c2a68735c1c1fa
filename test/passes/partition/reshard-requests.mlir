// RUN: pcc-opt %s --strategy-semi-auto=device-num=4 --dist-insert-reshards --dist-reshards-to-collectives --remark-format=emitRemark --remarks-filter=partition 2>&1 | FileCheck %s

// Each reshard says who reads the value, and why both sides have their shardings: rules of ops, constraints, and neighbors
// with the decision that they go back to. Several readers share a reshard.

// CHECK: reshard | Category:partition | Function=forward | {{.*}}from="[dp, _]", made_because="constraint "x" at c.textproto:3", reader='fc2', reader_location=model.py:6, readers=1, steps="slice(tp: 1)", to="[dp, tp]", value="input 'x'", wanted_because="split along 'tp': follows parameter 'w2' (constraint "w[12]" at c.textproto:2)"
// CHECK: model.py:6:1: {{.*}} reshard | Category:partition | Function=forward | {{.*}}from="[dp, _] partial(sum: tp)", made_because="partial over 'tp': follows parameter 'w2' (constraint "w[12]" at c.textproto:2)", reader='max', reader_location=model.py:7, readers=2, steps=all_reduce(tp), to="[dp, _]", value='fc2', wanted_because="its factor rule lets no partial sum of operand 0 pass to its result"
// CHECK: reshard | Category:partition | Function=forward | {{.*}}from="[dp, tp]", made_because="split along 'tp': follows parameter 'w3' (constraint "w3" at c.textproto:4)", reader='part', {{.*}}to="[dp, _]", value='fc3', wanted_because="its factor rule keeps dimension 1 whole"
module attributes {dist.mesh = #dist.mesh<dp=2, tp=2>, dist.constraints = [
    {parameter = "w[12]", sharding = "[tp, _]", place = "c.textproto:2"}, {input = "x", sharding = "[dp, _]", place = "c.textproto:3"},
    {parameter = "w3", sharding = "[_, tp]", place = "c.textproto:4"}]} {
  graph.parameter @w2 : tensor<6x8xf32> init(<zeros>)
  graph.parameter @w3 : tensor<8x8xf32> init(<zeros>)
  func.func @forward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">},
                     %w2: tensor<6x8xf32> {graph.role = #graph.role<parameter "w2">},
                     %w3: tensor<8x8xf32> {graph.role = #graph.role<parameter "w3">}) -> tensor<8x8xf32> {
    %z = graph.matmul %x, %w2 : tensor<8x6xf32>, tensor<6x8xf32> loc("fc2"("model.py":6:1))
    %m = graph.relu %z : tensor<8x8xf32> loc("max"("model.py":7:1))
    %e = graph.exp %z : tensor<8x8xf32> loc("exp")
    %s = graph.add %m, %e : tensor<8x8xf32>
    %y = graph.matmul %s, %w3 : tensor<8x8xf32>, tensor<8x8xf32> loc("fc3")
    %p = graph.cumsum %y axis = 1 : tensor<8x8xf32> loc("part")
    return %p : tensor<8x8xf32>
  }
}
