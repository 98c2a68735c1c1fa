// A select between two bf16 numbers: with the bf16 type LLVM would call libgcc, which kernels do not link.
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
