// RUN: pcc-opt %s --graph-decompose=ops=softmax,matmul --verify-diagnostics

// A name that has no decomposition.
// expected-error @+1 {{expected ops with a decomposition in 'ops', got 'matmul'}}
module {
}
