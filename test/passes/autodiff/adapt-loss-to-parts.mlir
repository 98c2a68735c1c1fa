// Where the mean of the parts' losses is not the loss of the batch, it is made so: the division by what counts moves to
// the update, and sums are multiplied by the number of parts.
// RUN: pcc-opt %s --split-input-file "--autodiff-adapt-loss-to-parts=micro-batches=2 micro-reduction=mean" | FileCheck %s
// RUN: pcc-opt %s --split-input-file --autodiff-adapt-loss-to-parts=copies=2 | FileCheck %s --check-prefix=ADDED

// A mean over labels that count: each part divides by its four positions. A factor behind the loss stays, and a term
// that all parts share is multiplied by the share.
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32> {{.*}}, %[[LABELS:[a-z0-9]+]]: tensor<4xi64>
// CHECK-SAME: tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<parameter "w">}, tensor<f32> {graph.role = #graph.role<gradient "counted_share">})
// CHECK: %[[DECAY:.+]] = graph.reduce sum %{{.+}}, [0] : tensor<3xf32>
// CHECK: %[[LOSS:.+]] = graph.softmax_cross_entropy %{{.+}}, %[[LABELS]] {ignore_index = -100 : i64, pipe.virtual_stage = 0 : i64, reduction = #graph.loss_reduction<sum>} : tensor<4x3xf32>, tensor<4xi64>
// CHECK: %[[IGNORED:.+]] = graph.constant dense<-100> : tensor<4xi64>
// CHECK: %[[COUNTS:.+]] = graph.compare ne %[[LABELS]], %[[IGNORED]] {pipe.virtual_stage = 0 : i64}
// CHECK: %[[ONES:.+]] = graph.cast %[[COUNTS]] {pipe.virtual_stage = 0 : i64} : tensor<4xi1> to tensor<4xf32>
// CHECK: %[[COUNT:.+]] = graph.reduce sum %[[ONES]], [0] {pipe.virtual_stage = 0 : i64}
// CHECK: graph.constant dense<2.500000e-01>
// CHECK: %[[PART:.+]] = graph.mul %[[LOSS]], %{{.+}} {pipe.virtual_stage = 0 : i64} : tensor<f32>
// CHECK: %[[SHARE:.+]] = graph.mul %[[COUNT]], %{{.+}} {pipe.virtual_stage = 0 : i64} : tensor<f32>
// CHECK: %[[SCALED:.+]] = graph.mul %[[PART]], %{{.+}} : tensor<f32>
// CHECK: %[[TERM:.+]] = graph.mul %[[DECAY]], %[[SHARE]] : tensor<f32>
// CHECK: %[[SUM:.+]] = graph.add %[[TERM]], %[[SCALED]] : tensor<f32>
// CHECK: return %[[SUM]], %{{.+}}, %[[SHARE]]
// ADDED-LABEL: func.func @forward_loss(
// ADDED-SAME: gradient "counted_share"
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                        %w: tensor<3xf32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<3xf32> {graph.role = #graph.role<parameter "w">}) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %decay = graph.reduce sum %w, [0] : tensor<3xf32>
  %bias = graph.broadcast %w, [1] : tensor<3xf32> to tensor<4x3xf32>
  %0 = graph.mul %x, %bias : tensor<4x3xf32>
  %1 = graph.softmax_cross_entropy %0, %labels {ignore_index = -100 : i64, pipe.virtual_stage = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  %2 = graph.mul %1, %two : tensor<f32>
  %3 = graph.add %decay, %2 : tensor<f32>
  return %3, %w : tensor<f32>, tensor<3xf32>
}

// -----

// The share follows the loss to another stage, where a term is added.
// CHECK-LABEL: func.func @forward_loss(
// CHECK: graph.mul %{{.+}}, %{{.+}} {pipe.virtual_stage = 0 : i64} : tensor<f32>
// CHECK: %[[SHARE:.+]] = graph.mul %{{.+}}, %{{.+}} {pipe.virtual_stage = 0 : i64} : tensor<f32>
// CHECK: %[[SENT:.+]] = pipe.transfer %{{.+}} from 0 to 1
// CHECK: %[[OTHER:.+]] = pipe.transfer %[[SHARE]] from 0 to 1
// CHECK: %[[TERM:.+]] = graph.mul %{{.+}}, %[[OTHER]] {pipe.virtual_stage = 1 : i64}
// CHECK: %[[SUM:.+]] = graph.add %[[SENT]], %[[TERM]] {pipe.virtual_stage = 1 : i64}
// CHECK: %[[LAST:.+]] = pipe.transfer %[[SHARE]] from 0 to 1
// CHECK: return %[[SUM]], %[[LAST]]
func.func @forward_loss(%x: tensor<4x3xf32> {graph.role = #graph.role<input "x">},
                        %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">},
                        %w: tensor<f32> {graph.role = #graph.role<parameter "w">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64, pipe.virtual_stage = 0 : i64} : tensor<4x3xf32>, tensor<4xi64>
  %1 = pipe.transfer %0 from 0 to 1 : tensor<f32>
  %2 = graph.add %1, %w {pipe.virtual_stage = 1 : i64} : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A loss of the model itself is adapted in a copy of @forward, which is still evaluated. A sum of f16 is added up in f32.
// CHECK-LABEL: func.func @forward(
// CHECK: graph.nll
// CHECK-NOT: reduction
// CHECK-LABEL: func.func @forward_loss(
// CHECK-SAME: tensor<f16> {graph.role = #graph.role<loss>}, tensor<f32> {graph.role = #graph.role<gradient "counted_share">})
// CHECK: graph.cast %{{.+}} : tensor<4x3xf16> to tensor<4x3xf32>
// CHECK: graph.nll {{.+}}reduction = #graph.loss_reduction<sum>{{.*}} : tensor<4x3xf32>, tensor<4xi64>
// CHECK: graph.cast %{{.+}} : tensor<f32> to tensor<f16>
func.func @forward(%x: tensor<4x3xf16> {graph.role = #graph.role<input "x">},
                   %labels: tensor<4xi64> {graph.role = #graph.role<input "labels">})
    -> (tensor<f16> {graph.role = #graph.role<loss>}) {
  %0 = graph.nll %x, %labels {ignore_index = 0 : i64} : tensor<4x3xf16>, tensor<4xi64>
  return %0 : tensor<f16>
}

// -----

// A sum over samples divided by another one, whose terms are the positions. Both become means over the parts. The
// divisor may have one element, too.
// CHECK-LABEL: func.func @forward_loss(
// CHECK: %[[SUM:.+]] = graph.reduce sum %{{.+}}, [0]
// CHECK: %[[TOTAL:.+]] = graph.mul %[[SUM]]
// CHECK: %[[WEIGHTS:.+]] = graph.reduce sum %{{.+}}, [0]
// CHECK: %[[WEIGHT:.+]] = graph.mul %[[WEIGHTS]]
// CHECK: %[[LEAST:.+]] = graph.add %[[WEIGHT]]
// CHECK-NOT: graph.div
// CHECK: graph.reshape {{.+}} : tensor<1xf32> to tensor<f32>
// CHECK: dense<6.250000e-02>
// CHECK: %[[LOSS:.+]] = graph.mul
// CHECK: %[[SHAPED:.+]] = graph.reshape %[[LOSS]] : tensor<f32> to tensor<1xf32>
// CHECK: %[[SHARE:.+]] = graph.mul
// CHECK: %[[FLAT:.+]] = graph.reshape %[[SHAPED]] : tensor<1xf32> to tensor<f32>
// CHECK: return %[[FLAT]], %[[SHARE]]
func.func @forward_loss(%x: tensor<8xf32> {graph.role = #graph.role<input "x">},
                        %weights: tensor<8xf32> {graph.role = #graph.role<input "weights">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %least = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.reduce sum %x, [0] {graph.adds_samples} : tensor<8xf32>
  %1 = graph.reduce sum %weights, [0] {graph.adds_samples} : tensor<8xf32>
  %2 = graph.add %1, %least : tensor<f32>
  %3 = graph.reshape %0 : tensor<f32> to tensor<1xf32>
  %4 = graph.reshape %2 : tensor<f32> to tensor<1xf32>
  %5 = graph.div %3, %4 {graph.divides_sums} : tensor<1xf32>
  %6 = graph.reshape %5 : tensor<1xf32> to tensor<f32>
  return %6 : tensor<f32>
}

// -----

// A sum that also updates a parameter is multiplied for the loss alone.
// CHECK-LABEL: func.func @forward_loss(
// CHECK: %[[SUM:.+]] = graph.reduce sum
// CHECK: %[[TWICE:.+]] = graph.mul %[[SUM]]
// CHECK: %[[SEEN:.+]] = graph.add %{{.+}}, %[[SUM]]
// CHECK: return %[[TWICE]], %[[SEEN]]
func.func @forward_loss(%x: tensor<8xf32> {graph.role = #graph.role<input "x">},
                        %seen: tensor<f32> {graph.role = #graph.role<parameter "seen">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}, tensor<f32> {graph.role = #graph.role<parameter "seen">}) {
  %0 = graph.reduce sum %x, [0] {graph.adds_samples} : tensor<8xf32>
  %1 = graph.add %seen, %0 : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Sums over samples, by a reduction or by a loss op. A mean needs no factor. Parts that are added need none either.
// CHECK-LABEL: func.func @forward_loss(
// CHECK: %[[SUM:.+]] = graph.reduce sum %{{.+}}, [0] {{.*}}: tensor<8xf32>
// CHECK: %[[TWICE:.+]] = graph.mul %[[SUM]], %{{.+}} : tensor<f32>
// CHECK: %[[MSE:.+]] = graph.mse
// CHECK: graph.mul %[[MSE]]
// CHECK: %[[MEAN:.+]] = graph.reduce mean
// CHECK-NOT: graph.mul
// ADDED-LABEL: func.func @forward_loss(%{{.+}}: tensor<8xf32> {graph.role = #graph.role<input "x">}) ->
// ADDED-NOT: graph.mul
// ADDED: return
func.func @forward_loss(%x: tensor<8xf32> {graph.role = #graph.role<input "x">})
    -> (tensor<f32> {graph.role = #graph.role<loss>}) {
  %0 = graph.reduce sum %x, [0] {graph.adds_samples} : tensor<8xf32>
  %1 = graph.mse %x, %x {graph.adds_samples, reduction = #graph.loss_reduction<sum>} : tensor<8xf32>
  %2 = graph.reduce mean %x, [0] : tensor<8xf32>
  %3 = graph.add %0, %1 : tensor<f32>
  %4 = graph.add %3, %2 : tensor<f32>
  return %4 : tensor<f32>
}
