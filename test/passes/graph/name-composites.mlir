// RUN: pcc-opt %s --graph-name-composites --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The sum was raised from nodes of two modules. Its name is that of the module around both. One node,
// and nodes without modules, keep their names.
// CHECK: graph.add {{.*}} loc(fused["h.3.attn/add"("h.3.attn/softmax"("node_Softmax_1"({{.*}}))), "h.3.attn/softmax"({{.*}}), "h.3.attn.proj/matmul"(
// CHECK: graph.mul {{.*}} loc("h.3/mul"(
// CHECK: graph.relu {{.*}} loc(fused["/a/Relu"({{.*}}), "/a/Abs"(
func.func @attention(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.add %x, %x : tensor<2xf32> loc(fused["h.3.attn/softmax"("node_Softmax_1"("m.onnx":1:0)), "h.3.attn.proj/matmul"("node_MatMul_2"("m.onnx":2:0))])
  %1 = graph.mul %0, %0 : tensor<2xf32> loc("h.3/mul"("node_Mul_3"("m.onnx":3:0)))
  %2 = graph.relu %1 : tensor<2xf32> loc(fused["/a/Relu"("m.onnx":4:0), "/a/Abs"("m.onnx":5:0)])
  return %2 : tensor<2xf32>
}
