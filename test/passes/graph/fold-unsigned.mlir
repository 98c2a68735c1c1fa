// RUN: pcc-opt %s --canonicalize | FileCheck %s

// Folds read types without a sign as such, and leave out what has no number in the type.

// CHECK-LABEL: func.func @fold
func.func @fold() -> (tensor<2xui8>, tensor<2xi8>, tensor<2xf64>, tensor<2xui64>, tensor<2xi64>) {
  %x = graph.constant dense<200> : tensor<2xui8>
  %two = graph.constant dense<2> : tensor<2xui8>
  %a = graph.constant dense<-56> : tensor<2xi8>
  %b = graph.constant dense<2> : tensor<2xi8>
  %big = graph.constant dense<18446744073709551615> : tensor<2xui64>
  // CHECK-DAG: graph.constant dense<100> : tensor<2xui8>
  %0 = graph.div %x, %two : tensor<2xui8>
  // CHECK-DAG: graph.constant dense<-28> : tensor<2xi8>
  %1 = graph.div %a, %b : tensor<2xi8>
  // CHECK-DAG: graph.constant dense<1.8446744073709552E+19> : tensor<2xf64>
  %2 = graph.cast %big : tensor<2xui64> to tensor<2xf64>
  // CHECK-DAG: graph.constant dense<200> : tensor<2xui64>
  %3 = graph.cast %x : tensor<2xui8> to tensor<2xui64>
  // CHECK-DAG: graph.constant dense<-1> : tensor<2xi64>
  %4 = graph.cast %big : tensor<2xui64> to tensor<2xi64>
  return %0, %1, %2, %3, %4 : tensor<2xui8>, tensor<2xi8>, tensor<2xf64>, tensor<2xui64>, tensor<2xi64>
}

// A negative float has no number in ui8.
// CHECK-LABEL: func.func @undefined
func.func @undefined() -> tensor<2xui8> {
  %x = graph.constant dense<-1.0> : tensor<2xf32>
  // CHECK: graph.cast
  %0 = graph.cast %x : tensor<2xf32> to tensor<2xui8>
  return %0 : tensor<2xui8>
}
