// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD
#define PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def FactorRuleOpInterface : OpInterface<"FactorRuleOpInterface"> {
  let cppNamespace = "::pcc";
  let description = [{
    An op that states the factors that make up the dimensions of its operands and results, and the
    operands through which a partial value may pass.
  }];
  let methods = [
    InterfaceMethod<"The factor rule for the op's present shapes.",
                    "::pcc::FactorRule", "getFactorRule">,
  ];
}

#endif // PCC_DIALECTS_INTERFACES_FACTORRULEINTERFACE_TD
