// RUN: pcc-opt %s --strategy-data-parallel=device-num=2 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-opt %t.mlir --dist-insert-reshards --dist-reshards-to-collectives --dist-localize | FileCheck %s --check-prefix=LOCAL

// A reduction over the batch stays local: no partial result, no collective, and a mean is over the
// rank's own samples. Without the annotation it is over all samples.
// CHECK: graph.reduce mean %{{.+}}, [0] {cross_batch, dist.in = [#dist.sharding<[dp, _]>], dist.out = [#dist.sharding<[_]>]}
// CHECK: graph.reduce mean %{{.+}}, [0] {dist.in = [#dist.sharding<[dp, _]>], dist.out = [#dist.sharding<[_] partial(sum: dp)>]}
// LOCAL-LABEL: func.func @forward
// LOCAL: %[[OWN:.+]] = graph.reduce mean %arg0, [0] {cross_batch} : tensor<4x6xf32>
// LOCAL: %[[PART:.+]] = graph.reduce mean %arg0, [0] : tensor<4x6xf32>
// LOCAL: %[[SCALED:.+]] = graph.mul %[[PART]]
// LOCAL: %[[ALL:.+]] = dist.all_reduce sum %[[SCALED]]
// LOCAL: return %[[OWN]], %[[ALL]]
func.func @forward(%x: tensor<8x6xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<6xf32> {graph.role = #graph.role<output "own">}, tensor<6xf32> {graph.role = #graph.role<output "all">}) {
  %own = graph.reduce mean %x, [0] {cross_batch} : tensor<8x6xf32>
  %all = graph.reduce mean %x, [0] : tensor<8x6xf32>
  return %own, %all : tensor<6xf32>, tensor<6xf32>
}
