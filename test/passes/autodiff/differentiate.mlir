// RUN: pcc-opt %s --split-input-file --autodiff-differentiate --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// A layer: the loss comes first, then the gradients in f32. The weight's gradient is a matmul with a
// name of its own. No gradient of the data is built. The mask of relu is computed from its result.

// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: %[[X:.+]]: tensor<4x2xf32> {graph.role = #graph.role<input "x">}
// CHECK-SAME: %[[W:.+]]: tensor<2x3xf32> {graph.role = #graph.role<parameter "w">}
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<2x3xf32> {graph.role = #graph.role<gradient "w">})
// CHECK: graph.matmul %[[X]], %[[W]]
// CHECK: %[[Y:.+]] = graph.relu
// CHECK: %[[LOSS:.+]] = graph.reduce sum %[[Y]]
// CHECK: %[[G:.+]] = graph.broadcast {{.+}} loc("total.grad"
// CHECK: %[[MASK:.+]] = graph.compare gt %[[Y]], {{.+}} loc("activation.grad.2"
// CHECK: %[[GX:.+]] = graph.select %[[MASK]], %[[G]], {{.+}} loc("activation.grad"
// CHECK: %[[GW:.+]] = graph.matmul %[[X]], %[[GX]] {transpose_lhs} {{.+}} loc("layer.grad_weight"
// CHECK-NOT: graph.matmul
// CHECK: return %[[LOSS]], %[[GW]]
module {
  graph.parameter @w : tensor<2x3xf32> init(#graph.init<zeros>)
  func.func @forward_loss(%x: tensor<4x2xf32> {graph.role = #graph.role<input "x">},
                          %w: tensor<2x3xf32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) {
    %0 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x3xf32> loc("layer")
    %1 = graph.relu %0 : tensor<4x3xf32> loc("activation")
    %2 = graph.reduce sum %1, [0, 1] : tensor<4x3xf32> loc("total")
    return %2 : tensor<f32>
  }
}

// -----

// A model with a loss of its own: @forward keeps its outputs, which the copy does not compute.
// Updated parameters follow the gradients. A value that is used twice sums the gradients of its uses.

// CHECK-LABEL: func.func @forward(
// CHECK: graph.exp
// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<f32> {graph.role = #graph.role<gradient "w">}, tensor<f32> {graph.role = #graph.role<parameter "mean">})
// CHECK-NOT: graph.exp
// CHECK: graph.add {{.+}} loc("w.grad_sum"
module {
  graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
  graph.parameter @mean : tensor<f32> init(#graph.init<zeros>) {trainable = false}
  func.func @forward(%w: tensor<f32> {graph.role = #graph.role<parameter "w">},
                     %mean: tensor<f32> {graph.role = #graph.role<parameter "mean">})
      -> (tensor<f32> {graph.role = #graph.role<output "y">},
          tensor<f32> {graph.role = #graph.role<parameter "mean">},
          tensor<f32> {graph.role = #graph.role<loss>}) {
    %y = graph.exp %w : tensor<f32>
    %next = graph.add %mean, %w : tensor<f32>
    %loss = graph.mul %w, %w : tensor<f32>
    return %y, %next, %loss : tensor<f32>, tensor<f32>, tensor<f32>
  }
}

// -----

// Gradients are returned in f32, whatever the type of the parameter. Ops without a name are named
// after their kind.

// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: tensor<3xf32> {graph.role = #graph.role<gradient "w">}
// CHECK: %[[G:.+]] = graph.broadcast {{.+}} to tensor<3xbf16> loc("reduce.grad"
// CHECK: graph.cast %[[G]] : tensor<3xbf16> to tensor<3xf32>
module {
  graph.parameter @w : tensor<3xbf16> init(#graph.init<zeros>)
  func.func @forward(%w: tensor<3xbf16> {graph.role = #graph.role<parameter "w">})
      -> (tensor<bf16> {graph.role = #graph.role<loss>}) {
    %0 = graph.reduce sum %w, [0] : tensor<3xbf16>
    return %0 : tensor<bf16>
  }
}

// -----

// A gradient is widened where it is made, so the rest of the pass does not wait for its sum.

// CHECK-LABEL: func.func @forward_backward(
// CHECK: %[[OUTER:.+]] = graph.mul %{{.+}}, %{{.+}} : tensor<3xbf16> loc("outer.grad"(
// CHECK-NEXT: %[[WIDE:.+]] = graph.cast %[[OUTER]] : tensor<3xbf16> to tensor<3xf32>
// CHECK: %[[INNER:.+]] = graph.mul %{{.+}}, %{{.+}} : tensor<3xbf16> loc("inner.grad"(
// CHECK-NEXT: %[[WIDE1:.+]] = graph.cast %[[INNER]] : tensor<3xbf16> to tensor<3xf32>
// CHECK: return %{{.+}}, %[[WIDE1]], %[[WIDE]] :
module {
  graph.parameter @v : tensor<3xbf16> init(#graph.init<zeros>)
  graph.parameter @w : tensor<3xbf16> init(#graph.init<zeros>)
  func.func @forward(%x: tensor<3xbf16> {graph.role = #graph.role<input "x">},
                     %v: tensor<3xbf16> {graph.role = #graph.role<parameter "v">},
                     %w: tensor<3xbf16> {graph.role = #graph.role<parameter "w">})
      -> (tensor<bf16> {graph.role = #graph.role<loss>}) {
    %0 = graph.mul %x, %v : tensor<3xbf16> loc("inner")
    %1 = graph.mul %0, %w : tensor<3xbf16> loc("outer")
    %2 = graph.reduce sum %1, [0] : tensor<3xbf16>
    return %2 : tensor<bf16>
  }
}

// -----

// The gradient of w * stop(w) is the stopped factor alone. Nothing else of the op is left.

// CHECK-LABEL: func.func @forward_backward(
// CHECK-SAME: %[[W:.+]]: tensor<f32>
// CHECK-NOT: graph.clamp
// CHECK: %[[LOSS:.+]] = graph.mul %[[W]], %[[W]]
// CHECK: %[[G:.+]] = graph.mul {{.*}}%[[W]]
// CHECK: return %[[LOSS]], %[[G]]
module {
  graph.parameter @w : tensor<f32> init(#graph.init<zeros>)
  func.func @forward_loss(%w: tensor<f32> {graph.role = #graph.role<parameter "w">})
      -> (tensor<f32> {graph.role = #graph.role<loss>}) {
    %0 = graph.clamp %w {low = 0xFFF0000000000000 : f64, high = 0x7FF0000000000000 : f64, graph.stop_gradient} : tensor<f32>
    %1 = graph.mul %w, %0 : tensor<f32>
    return %1 : tensor<f32>
  }
}
