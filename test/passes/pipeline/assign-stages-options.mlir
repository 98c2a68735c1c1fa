// RUN: not pcc-opt %s --pipeline-assign-stages="stages=0" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not pcc-opt %s --pipeline-assign-stages="stages=2 virtual-stages=3 placement=vee" 2>&1 | FileCheck %s --check-prefix=VEE

// STAGES: error: expected at least one stage of one chunk, got 0 of 1
// VEE: error: expected two virtual stages in a vee, got 3
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
