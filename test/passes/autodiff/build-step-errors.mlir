// RUN: pcc-opt %s --split-input-file --verify-diagnostics --autodiff-build-step

// expected-error @below {{expected a function 'forward_backward'; run --autodiff-differentiate first}}
module {
}

// -----

// expected-error @below {{expected a function 'update'; run --autodiff-build-update first}}
module {
  func.func @forward_backward() {
    return
  }
}

// -----

// expected-error @below {{the module has a 'train' already}}
func.func @train() {
  return
}
