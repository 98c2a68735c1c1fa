// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_DIST_DISTINTERFACES_TD
#define PCC_DIALECTS_DIST_DISTINTERFACES_TD

include "mlir/IR/OpBase.td"

def Dist_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::pcc::dist";
  let description = "An op in which all ranks of a group take part.";
  let methods = [
    InterfaceMethod<"The group, null for all ranks.", "::pcc::dist::GroupAttr", "getGroupAttr">,
  ];
}

#endif // PCC_DIALECTS_DIST_DISTINTERFACES_TD
