// RUN: split-file %s %t
// RUN: pcc-opt %t/model.mlir --strategy-apply-file-shardings=device-num=4 | FileCheck %s
// RUN: pcc-opt %t/model.mlir --strategy-apply-file-shardings=device-num=4 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: pcc-opt %t/model.mlir --strategy-apply-file-shardings="device-num=4 mode=data_parallel" 2>&1 | FileCheck %s --check-prefix=IGNORED
// RUN: pcc-opt %t/own-mesh.mlir --strategy-apply-file-shardings=device-num=4 2>/dev/null | FileCheck %s --check-prefix=MESH
// RUN: not pcc-opt %t/model.mlir --strategy-apply-file-shardings=device-num=8 2>&1 | FileCheck %s --check-prefix=RANKS
// RUN: not pcc-opt %t/model.mlir --strategy-apply-file-shardings="device-num=4 stages=2" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not pcc-opt %t/disobeyed.mlir --strategy-apply-file-shardings=device-num=4 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not pcc-opt %t/other-mesh.mlir --strategy-apply-file-shardings=device-num=4 2>&1 | FileCheck %s --check-prefix=NO-MESH

// The shardings of a node become a constraint on its op; what they leave open is whole or follows later. The user's
// constraint stays in front. The module gets the mesh of the file and loses the nodes.
// CHECK: dist.constraints = [{in = "[_, _]", op_name = "user", place = "c.textproto:1"},
// CHECK-SAME: {in = "[x, _], [_, y]", op_exact = "forward:fc#0", out = "[x, y]", place = "model.onnx:node 0", restored}
// CHECK-SAME: dist.mesh = #dist.mesh<x=2, y=2>
// CHECK-NOT: dist.file_nodes
// REMARK: remark: device configuration 'pcc' shards tensors of 1 nodes over 4 devices
// IGNORED: remark: device configuration 'pcc' shards tensors of nodes; shardings are obeyed in parallel modes semi_auto_parallel and auto_parallel, got mode data_parallel
// IGNORED-NOT: dist.constraints = {{.*}}op_exact

// On the mesh that the module has, the same blocks have the names of its axes.
// MESH: {in = "[a, _], [_, b]", op_exact = "forward:fc#0", out = "[a, b]"
// MESH-SAME: dist.mesh = #dist.mesh<a=2, b=2>

// RANKS: error: device configuration 'pcc' shards tensors over 4 devices in 1 pipeline stage: expected '--device-num=4', got 8 in 1; '--device-config=none' ignores the configuration
// STAGES: error: device configuration 'pcc' shards tensors over 4 devices in 1 pipeline stage: expected '--device-num=4', got 4 in 2
// RULE: error: sharding of input 1 of "fc" in device configuration 'pcc': expected one that 'graph.matmul' can obey together with its other inputs, such as [y, _], got [x, _]
// NO-MESH: error: node 0: the sharding [x, _] of 'x' on the mesh "x=2, y=2" of the file cannot be expressed on the program's mesh "a=4"

//--- model.mlir
module attributes {
  dist.constraints = [{in = "[_, _]", op_name = "user", place = "c.textproto:1"}],
  dist.file_nodes = {file = "model.onnx", nodes = [{in = ["x", "w"], out = ["y"]}],
    shapes = {x = array<i64: 8, 4>, w = array<i64: 4, 6>, y = array<i64: 8, 6>}, views = {},
    configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2, y=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, _]>},
                 {node = 0 : i64, tensor = "w", sharding = #dist.sharding<[_, y]>},
                 {node = 0 : i64, tensor = "y", sharding = #dist.sharding<[x, y]>}]}} {
  func.func @forward(%x: tensor<8x4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<4x6xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8x6xf32> {
    %y = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x6xf32> loc(fused<"onnx.node">["fc"("model.onnx":0:0)])
    return %y : tensor<8x6xf32>
  }
}

//--- own-mesh.mlir
module attributes {dist.mesh = #dist.mesh<a=2, b=2>,
  dist.file_nodes = {file = "model.onnx", nodes = [{in = ["x", "w"], out = ["y"]}],
    shapes = {x = array<i64: 8, 4>, w = array<i64: 4, 6>, y = array<i64: 8, 6>}, views = {},
    configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2, y=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, _]>},
                 {node = 0 : i64, tensor = "w", sharding = #dist.sharding<[_, y]>}]}} {
  func.func @forward(%x: tensor<8x4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<4x6xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8x6xf32> {
    %y = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x6xf32> loc(fused<"onnx.node">["fc"("model.onnx":0:0)])
    %z = graph.relu %y : tensor<8x6xf32>
    return %z : tensor<8x6xf32>
  }
}

//--- disobeyed.mlir
module attributes {
  dist.file_nodes = {file = "model.onnx", nodes = [{in = ["x", "w"], out = ["y"]}],
    shapes = {x = array<i64: 8, 4>, w = array<i64: 4, 6>, y = array<i64: 8, 6>}, views = {},
    configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2, y=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, y]>},
                 {node = 0 : i64, tensor = "w", sharding = #dist.sharding<[x, _]>}]}} {
  func.func @forward(%x: tensor<8x4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<4x6xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8x6xf32> {
    %y = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x6xf32> loc(fused<"onnx.node">["fc"("model.onnx":0:0)])
    return %y : tensor<8x6xf32>
  }
}

//--- other-mesh.mlir
module attributes {dist.mesh = #dist.mesh<a=4>,
  dist.file_nodes = {file = "model.onnx", nodes = [{in = ["x", "w"], out = ["y"]}],
    shapes = {x = array<i64: 8, 4>, w = array<i64: 4, 6>, y = array<i64: 8, 6>}, views = {},
    configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2, y=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, _]>}]}} {
  func.func @forward(%x: tensor<8x4xf32> {graph.role = #graph.role<input "x">},
                     %w: tensor<4x6xf32> {graph.role = #graph.role<parameter "w">}) -> tensor<8x6xf32> {
    %y = graph.matmul %x, %w : tensor<8x4xf32>, tensor<4x6xf32> loc(fused<"onnx.node">["fc"("model.onnx":0:0)])
    return %y : tensor<8x6xf32>
  }
}
