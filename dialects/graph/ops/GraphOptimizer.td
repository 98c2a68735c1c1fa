// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer steps: elementwise on parameter, gradient and states, except for LAMB's two norms.
// Scalars are tensors of rank 0.
//
// `scale` multiplies the gradient first: it undoes a scaled loss, and clips by the global norm.
#ifndef PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD
#define PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD

include "dialects/graph/ops/GraphAttrs.td"

// The parameter, the gradient and the states have one shape (C1). Each new value has the type of
// the old one.
class Graph_OptimizerOp<string mnemonic, list<string> states, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat(
          [AllShapesMatch<!listconcat(["parameter", "gradient"], states)>,
           AllTypesMatch<["parameter", "new_parameter"]>],
          !foreach(state, states, AllTypesMatch<[state, "new_" # state]>), traits)> {
  string arithmetic = [{
    The arithmetic is in f64 for a parameter of f64, else in f32; each result is rounded once. In
    the text, the types of gradient and states stand in brackets behind the parameter's where they
    differ from it. With `scale`, the gradient is multiplied by it first. With `zero_skips`, a scale
    of 0 skips the step: every new value is the old one, whatever the gradient holds.
  }];
  let hasVerifier = 1;
}

def Graph_SgdOp : Graph_OptimizerOp<"sgd", []> {
  let summary = "parameter - rate * (gradient + weight_decay * parameter)";
  let description = arithmetic;
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatScalar:$rate, Optional<Graph_FloatScalar>:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$zero_skips);
  let results = (outs Graph_FloatTensor:$new_parameter);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $rate (`scale` $scale^ `:` type($scale))? attr-dict `:`
    custom<StepTypes>(type($parameter), type($gradient)) `,` type($rate)
  }];
}

def Graph_MomentumOp : Graph_OptimizerOp<"momentum", ["velocity"]> {
  let summary = "momentum step";
  let description = [{
    g = gradient + weight_decay * parameter; new_velocity = momentum * velocity + g;
    new_parameter = parameter - rate * new_velocity, or with `nesterov`
    parameter - rate * (g + momentum * new_velocity).
  }] # arithmetic;
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatTensor:$velocity, Graph_FloatScalar:$rate,
                       Optional<Graph_FloatScalar>:$scale, F64Attr:$momentum,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$nesterov,
                       UnitAttr:$zero_skips);
  let results = (outs Graph_FloatTensor:$new_parameter, Graph_FloatTensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $velocity `,` $rate (`scale` $scale^ `:` type($scale))? attr-dict `:`
    custom<StepTypes>(type($parameter), type($gradient), type($velocity)) `,` type($rate)
  }];
}

// Adam and its variants: the first and second moment of the gradient, each corrected for the bias
// of its start from zero.
class Graph_AdamLikeOp<string mnemonic>
    : Graph_OptimizerOp<mnemonic, ["moment1", "moment2"]> {
  string moments = [{
    With t = step + 1 and g the gradient:
    new_moment1 = beta1 * moment1 + (1 - beta1) * g; new_moment2 = beta2 * moment2 + (1 - beta2) * g²;
    direction = (new_moment1 / (1 - beta1^t)) / (sqrt(new_moment2 / (1 - beta2^t)) + epsilon).
  }];
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatTensor:$moment1, Graph_FloatTensor:$moment2,
                       Graph_FloatScalar:$rate, Graph_IndexScalar:$step,
                       Optional<Graph_FloatScalar>:$scale, F64Attr:$beta1, F64Attr:$beta2,
                       F64Attr:$epsilon, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay,
                       UnitAttr:$zero_skips);
  let results = (outs Graph_FloatTensor:$new_parameter, Graph_FloatTensor:$new_moment1,
                      Graph_FloatTensor:$new_moment2);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $moment1 `,` $moment2 `,` $rate `,` $step
    (`scale` $scale^ `:` type($scale))? attr-dict `:`
    custom<StepTypes>(type($parameter), type($gradient), type($moment1), type($moment2)) `,`
    type($rate) `,` type($step)
  }];
}

def Graph_AdamOp : Graph_AdamLikeOp<"adam"> {
  let summary = "Adam step";
  let description = moments # [{
    Here g = gradient + weight_decay * parameter, and new_parameter = parameter - rate * direction
    (Kingma, Ba: Adam, ICLR 2015, algorithm 1).
  }] # arithmetic;
}

def Graph_AdamWeightDecayOp : Graph_AdamLikeOp<"adam_weight_decay"> {
  let summary = "AdamW step: Adam with weight decay decoupled from the gradient";
  let description = moments # [{
    new_parameter = parameter - rate * (direction + weight_decay * parameter) (Loshchilov, Hutter:
    Decoupled weight decay regularization, ICLR 2019, algorithm 2).
  }] # arithmetic;
}

def Graph_LambOp : Graph_AdamLikeOp<"lamb"> {
  let summary = "LAMB step: an AdamW step scaled to the norm of the parameter";
  let description = moments # [{
    update = direction + weight_decay * parameter; new_parameter = parameter - rate * ratio * update,
    ratio = ‖parameter‖ / ‖update‖, or 1 where one of these norms over all elements is 0 (You et al.:
    Large batch optimization for deep learning, ICLR 2020, algorithm 2).
  }] # arithmetic;
}

def Graph_AdagradOp : Graph_OptimizerOp<"adagrad", ["accumulator"]> {
  let summary = "Adagrad step";
  let description = [{
    g = gradient + weight_decay * parameter; new_accumulator = accumulator + g²; new_parameter =
    parameter - rate * g / (sqrt(new_accumulator) + epsilon) (Duchi, Hazan, Singer: Adaptive
    subgradient methods, JMLR 12, 2011, section 1.1 with the diagonal matrix).
  }] # arithmetic;
  let arguments = (ins Graph_FloatTensor:$parameter, Graph_FloatTensor:$gradient,
                       Graph_FloatTensor:$accumulator, Graph_FloatScalar:$rate,
                       Optional<Graph_FloatScalar>:$scale, F64Attr:$epsilon,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$zero_skips);
  let results = (outs Graph_FloatTensor:$new_parameter, Graph_FloatTensor:$new_accumulator);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $accumulator `,` $rate (`scale` $scale^ `:` type($scale))? attr-dict `:`
    custom<StepTypes>(type($parameter), type($gradient), type($accumulator)) `,` type($rate)
  }];
}

#endif // PCC_DIALECTS_GRAPH_GRAPHOPTIMIZER_TD
