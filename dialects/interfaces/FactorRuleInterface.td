// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD
#define PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def FactorRuleOpInterface : OpInterface<"FactorRuleOpInterface"> {
  let cppNamespace = "::pcc";
  let description = [{
    An op that says which factors the dimensions of its operands and results are made of, and
    through which operands a partial value may pass.
  }];
  let methods = [
    InterfaceMethod<"The factor rule for the op's present shapes.",
                    "::pcc::FactorRule", "getFactorRule">,
  ];
}

#endif // PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD
