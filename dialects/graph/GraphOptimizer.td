// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps: elementwise on parameter, gradient and states; scalars are tensors of rank 0.
#ifndef PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD
#define PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD

include "dialects/graph/GraphAttrs.td"

def Graph_SgdOp : Graph_Op<"sgd", [AllTypesMatch<["parameter", "gradient", "new_parameter"]>]> {
  let summary = "parameter - rate * (gradient + weight_decay * parameter)";
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatScalar:$rate, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs Graph_FloatTensor:$new_parameter);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $rate attr-dict `:` type($parameter) `,` type($rate)
  }];
}

def Graph_MomentumOp : Graph_Op<"momentum",
    [AllTypesMatch<["parameter", "gradient", "velocity", "new_parameter", "new_velocity"]>]> {
  let summary = "momentum step";
  let description = [{
    g = gradient + weight_decay * parameter; new_velocity = momentum * velocity + g;
    new_parameter = parameter - rate * new_velocity, or with `nesterov`
    parameter - rate * (g + momentum * new_velocity).
  }];
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatTensor:$velocity, Graph_FloatScalar:$rate, F64Attr:$momentum,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Graph_FloatTensor:$new_parameter, Graph_FloatTensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $velocity `,` $rate attr-dict `:` type($parameter) `,` type($rate)
  }];
}

#endif // PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD
