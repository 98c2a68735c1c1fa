// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that decide what runs together, in which order, and where values lie. They only annotate.
#ifndef PCC_PASSES_SCHEDULE_PASSES_TD
#define PCC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignKernels : Pass<"schedule-assign-kernels", "::mlir::func::FuncOp"> {
  let summary = "decides which ops run together as one kernel or library call, and in which order";
  let description = [{
    Annotates: `task.kernel` on ops, `task.forms` on functions. Ops without a kernel are computed
    wherever their value is read.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def SizeMessages : Pass<"schedule-size-messages", "::mlir::ModuleOp"> {
  let summary = "finds how many messages may be under way between stages without a rank that waits to send";
  let description = [{
    From the slots of all stages. Annotates: `pipe.copies` on `pipe.send`, how many copies of the value
    there must be.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def PlanMemory : Pass<"schedule-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every value that crosses kernels its place in memory";
  let description = [{
    Annotates: `task.place` on ops, arguments, parameters and accumulated results, `task.bytes` on
    the module. Values share bytes where their live ranges allow it; elementwise kernels, parameter
    updates and collectives write in place where that is legal.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

#endif // PCC_PASSES_SCHEDULE_PASSES_TD
