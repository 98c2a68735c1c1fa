// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// init C1: each initializer has its number of arguments.
// expected-error @+1 {{expected 2 numbers after 'uniform', got 1}}
graph.parameter @w : tensor<2xf32> init(<uniform, 1.0>)

// -----

// init C2: infinite numbers are refused.
// expected-error @+1 {{expected finite numbers after 'constant'}}
graph.parameter @w : tensor<2xf32> init(<constant, 0x7FF0000000000000>)

// -----

// init C3
// expected-error @+1 {{expected the low end of 'uniform' not above the high end, got}}
graph.parameter @w : tensor<2xf32> init(<uniform, 1.0, -1.0>)

// -----

// init C4
// expected-error @+1 {{expected a standard deviation of at least 0, got}}
graph.parameter @w : tensor<2xf32> init(<normal, 0.0, -1.0>)

// -----

// role C1
// expected-error @+1 {{expected the name of a parameter after 'gradient'}}
func.func private @f(tensor<2xf32> {graph.role = #graph.role<gradient>})

// -----

// role C1, on a residual
// expected-error @+1 {{expected a name after 'saved'}}
func.func private @f(tensor<2xf32> {graph.role = #graph.role<saved>})

// -----

// role C2, on an argument
// expected-error @+1 {{expected a '#graph.role' as 'graph.role' of argument #0, got '"input"'}}
func.func private @f(tensor<2xf32> {graph.role = "input"})

// -----

// role C2, on a result
// expected-error @+1 {{expected a '#graph.role' as 'graph.role' of result #0, got '1 : i64'}}
func.func private @f() -> (tensor<2xf32> {graph.role = 1})
