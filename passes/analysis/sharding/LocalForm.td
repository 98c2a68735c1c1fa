// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_PASSES_ANALYSIS_LOCALFORM_TD
#define PCC_PASSES_ANALYSIS_LOCALFORM_TD

include "mlir/IR/OpBase.td"

def LocalFormOpInterface : OpInterface<"LocalFormOpInterface"> {
  let cppNamespace = "::pcc::analysis";
  let description = [{
    Interface of ops whose program on one rank is more than the same op on local shapes. External
    models attach it to graph ops in passes/partition, which sees both graph and dist.
  }];
  let methods = [
    InterfaceMethod<"True if a factor that the rule calls whole may be split all the same.",
                    "bool", "canSplitWhole", (ins "unsigned":$factor)>,
    InterfaceMethod<"True if splitting this whole factor leaves a partial sum.",
                    "bool", "leavesPartial", (ins "unsigned":$factor)>,
    InterfaceMethod<[{
      Builds the op's local form and returns its results, whose types are `resultTypes`. Null values
      mean that the same op on local shapes will do.
    }], "::llvm::SmallVector<::mlir::Value>", "buildLocal",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
             "::mlir::TypeRange":$resultTypes)>,
  ];
}

#endif // PCC_PASSES_ANALYSIS_LOCALFORM_TD
