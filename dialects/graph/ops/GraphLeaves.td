// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves: ops without tensor operands, and counter-based random numbers.
#ifndef PCC_DIALECTS_GRAPH_GRAPHLEAVES_TD
#define PCC_DIALECTS_GRAPH_GRAPHLEAVES_TD

include "dialects/graph/ops/GraphAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

def Graph_ParameterOp : Op<Graph_Dialect, "parameter", [Symbol]> {
  let summary = "declares a parameter or an optimizer state of the model";
  let description = [{
    A module-level symbol. Functions take its value as an argument whose `graph.role` is
    `parameter "NAME"`. `value` holds the initial value if the initializer is `file`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type,
                       Graph_InitAttr:$init, OptionalAttr<ElementsAttr>:$value,
                       DefaultValuedAttr<BoolAttr, "true">:$trainable,
                       UnitAttr:$layerwise_parallel,
                       DefaultValuedAttr<BoolAttr, "true">:$parallel_optimizer);
  let assemblyFormat = "$sym_name `:` $type `init` `(` $init `)` attr-dict";
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
  }];
  let hasVerifier = 1;
}

def Graph_ConstantOp : Graph_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor: a splat, a short list or a resource";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let builders = [
    // Fills the tensor with `value`, rounded to the element type.
    OpBuilder<(ins "::mlir::RankedTensorType":$type, "double":$value)>,
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_Op<"iota"> {
  let summary = "the index along one dimension: result[…, i, …] = i";
  let arguments = (ins Graph_I64Attr:$axis);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "`axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_RngUniformOp : Graph_Op<"rng_uniform"> {
  let summary = "counter-based random numbers, uniform in [0, 1)";
  let description = [{
    Elementwise over global element indices: result = hash(seed, index). A global element gets the
    same number under every sharding. The hash is SplitMix64; its upper 24 bits are multiplied by
    2^-24. dialects/graph/CounterRng.h is its definition.
  }];
  let arguments = (ins Graph_I64Tensor:$index, Graph_IndexScalar:$seed);
  let results = (outs Graph_F32Tensor:$result);
  let assemblyFormat = "$index `,` $seed attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_GRAPH_GRAPHLEAVES_TD
