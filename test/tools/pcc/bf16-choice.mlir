// A choice between two numbers of bf16: LLVM makes calls of libgcc of it where it sees the type, and kernels link no libgcc.
// RUN: pcc verify %s | FileCheck %s
// CHECK: verify: {{[1-9][0-9]*}} passed, 0 failed, 0 skipped
func.func @forward(%x: tensor<5x8xbf16> {graph.role = #graph.role<input "x">},
                   %y: tensor<5x8xbf16> {graph.role = #graph.role<input "y">})
    -> (tensor<5x8xbf16> {graph.role = #graph.role<output "z">}) {
  %zero = graph.constant dense<0.0> : tensor<5x8xbf16>
  %p = graph.compare gt %x, %zero : tensor<5x8xbf16>
  %z = graph.select %p, %x, %y : tensor<5x8xbf16>
  return %z : tensor<5x8xbf16>
}
