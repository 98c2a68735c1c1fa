// RUN: pcc-opt %s --fold-constants | FileCheck %s

// A division by zero has no value; it stays for the program to fail at.
// CHECK-LABEL: func.func @division
// CHECK: graph.div
func.func @division(%x: tensor<2xi64> {graph.role = #graph.role<input "x">}) -> tensor<2xi64> {
  %a = graph.constant dense<[4, 5]> : tensor<2xi64>
  %b = graph.constant dense<[2, 0]> : tensor<2xi64>
  %0 = graph.div %a, %b : tensor<2xi64>
  %1 = graph.add %x, %0 : tensor<2xi64>
  return %1 : tensor<2xi64>
}
