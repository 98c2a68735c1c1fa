// RUN: pcc-opt %s --graph-name-composites --mlir-print-debuginfo --split-input-file | FileCheck %s

// The attention was raised from nodes of two modules. Its name is that of the module around both.
// CHECK-LABEL: func.func @attention
// CHECK: graph.add {{.*}} loc(#[[ADD:loc[0-9]*]])
// CHECK: graph.mul {{.*}} loc(#[[MUL:loc[0-9]*]])
// CHECK: graph.relu {{.*}} loc(#[[RELU:loc[0-9]*]])
// CHECK-DAG: #[[ADD]] = loc(fused[#[[NAME:loc[0-9]*]], {{.*}}])
// CHECK-DAG: #[[NAME]] = loc("h.3.attn/add"(
// CHECK-DAG: #[[MUL]] = loc("h.3/mul"(
// CHECK-DAG: #[[RELU]] = loc(fused["/a/Relu"{{.*}}, "/a/Abs"
func.func @attention(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.add %x, %x : tensor<2xf32> loc(fused["h.3.attn/softmax"("node_Softmax_1"("m.onnx":1:0)), "h.3.attn.proj/matmul"("node_MatMul_2"("m.onnx":2:0))])
  %1 = graph.mul %0, %0 : tensor<2xf32> loc("h.3/mul"("node_Mul_3"("m.onnx":3:0)))
  %2 = graph.relu %1 : tensor<2xf32> loc(fused["/a/Relu"("m.onnx":4:0), "/a/Abs"("m.onnx":5:0)])
  return %2 : tensor<2xf32>
}
