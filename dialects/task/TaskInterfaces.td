// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_TASK_TASKINTERFACES_TD
#define PCC_DIALECTS_TASK_TASKINTERFACES_TD

include "mlir/IR/OpBase.td"

def Task_InstructionInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::pcc::task";
  let description = "An instruction of a section, with its stream and events.";
  let methods = [
    InterfaceMethod<"The queue it runs in.", "::pcc::task::StreamKind", "getStream">,
    InterfaceMethod<"Events it waits for.", "::llvm::ArrayRef<int32_t>", "getWaits">,
    InterfaceMethod<"Events it signals.", "::llvm::ArrayRef<int32_t>", "getSignals">,
  ];
}

#endif // PCC_DIALECTS_TASK_TASKINTERFACES_TD
