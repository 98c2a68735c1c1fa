// RUN: pcc-opt %s --autodiff-differentiate --autodiff-build-update='optimizer=adamw,lr=0.1' 2>/dev/null | FileCheck %s

// A parameter that the loss does not read keeps its value, although the optimizer decays weights: it has neither a
// gradient nor states. A parameter and its copy on another virtual stage are trained if the loss reads one of them.
// CHECK: graph.parameter @idle : tensor<f32> init(<zeros>) {trainable = false}{{$}}
// CHECK-NOT: @idle.
// CHECK: graph.parameter @shared : tensor<f32> init(<zeros>){{$}}
// CHECK: func.func @update
// CHECK-NOT: "idle"
// CHECK-SAME: <gradient "shared">
graph.parameter @idle : tensor<f32> init(#graph.init<zeros>)
graph.parameter @shared : tensor<f32> init(#graph.init<zeros>)
graph.parameter @copy : tensor<f32> init(#graph.init<zeros>) {pipe.copy_of = "shared", pipe.virtual_stage = 1 : i64}
func.func @forward(%idle: tensor<f32> {graph.role = #graph.role<parameter "idle">},
                   %shared: tensor<f32> {graph.role = #graph.role<parameter "shared">},
                   %copy: tensor<f32> {graph.role = #graph.role<parameter "copy">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  return %copy : tensor<f32>
}
