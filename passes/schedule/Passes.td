// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that decide what runs together, in which order, and where values lie. They only annotate.
#ifndef PCC_PASSES_SCHEDULE_PASSES_TD
#define PCC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseEpilogues : Pass<"schedule-fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "marks what a GPU's products do besides: bias, relu, gelu, gelu's gradient, sums";
  let description = [{
    Ops behind a product, or beside it, that its record does as well get its mark `task.product`; a
    product with gelu or its gradient gets `task.activation`. Ops stay as they are, but pieces that
    others read too are there twice.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def FuseHeadTransposes : Pass<"schedule-fuse-head-transposes", "::mlir::ModuleOp"> {
  let summary = "marks the transposes around attentions whose records read and write through them";
  let description = [{
    Where heads are exchanged with positions before an attention, or its gradient, and back behind
    it, the transposes and the attention get one mark `task.attention`: its record then has the
    positions first. Transposes that others read as well are there twice.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def AssignKernels : Pass<"schedule-assign-kernels", "::mlir::func::FuncOp"> {
  let summary = "decides which ops run together as one kernel or library call, and in which order";
  let description = [{
    Annotates: `task.kernel` on ops, `task.forms` on functions. Ops without a kernel are computed
    wherever their value is read.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def RecomputePointwise : Pass<"schedule-recompute-pointwise", "::mlir::func::FuncOp"> {
  let summary = "computes large values again in the kernels that read them, where that moves fewer bytes";
  let description = [{
    Cheap ops on what lies in memory anyway or is smaller, such as the normalised values that the
    derivative of a layer norm reads. They get the numbers of the kernels that read them.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def OrderSlots : Pass<"schedule-order-slots", "::mlir::ModuleOp"> {
  let summary = "puts the slots of pipeline stages in the order of a schedule";
  let description = [{
    Moves the slots of each stage's step; those that run once for all microbatches stay last. The
    remark of the module says how much of its time the slowest stage waits, by the times that are given,
    without any other work between the stages; that of a stage how many microbatches, times its chunks,
    are at most between the beginning of their forward and the end of their backward pass.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "\"1f1b\"", "a name of `pcc simulate --schedule`">,
    ListOption<"times", "times", "double",
               "F,B,W of all chunks, or of each in the order of the data; default 1,1,1">,
    Option<"latency", "latency", "double", "0.0", "of a message between stages, in the unit of times">,
    Option<"liveLimit", "live-limit", "int64_t", "0",
           "under auto: how many chunks of microbatches a stage may have live; 0: as many as all "
           "stages have chunks">];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def SizeMessages : Pass<"schedule-size-messages", "::mlir::ModuleOp"> {
  let summary = "finds how many messages may be under way between stages without a rank that waits to send";
  let description = [{
    From the slots of all stages. Annotates: `pipe.in_flight_until` on `pipe.send`, by
    microbatch the last slot of the step during which the message may be in flight.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def FuseCollectives : Pass<"schedule-fuse-collectives", "::mlir::ModuleOp"> {
  let summary = "decides which collectives of gradients and parameters share a message";
  let description = [{
    By the options, or what is through first by the prices of the machine. Annotates: `task.kernel`
    and `task.forms` anew; collectives of one message have one number. Those that a user has numbered
    (`dist.fusion` on the collective or the parameter) share one whatever the options say, or none
    where the number is 0.
  }];
  let options = [
    Option<"commFusion", "comm-fusion", "std::string", "\"auto\"",
           "auto, off, all, size:MB, index:N:M, or by kind: all_reduce=size:32, all_gather=off">,
    Option<"allReduceConfig", "all-reduce-config", "std::string", "\"\"",
           "[20,35]: of the all-reduces so many share a message">,
    Option<"byReference", "by-reference", "bool", "false",
           "size:MB counts as MindSpore does: whole parameters in the order of their first use">,
    Option<"limit", "limit", "int64_t", "0",
           "bytes of a message that several share under auto; 0: any">,
    Option<"hides", "hides", "bool", "true",
           "reductions of gradients do not wait for the update">,
    Option<"cluster", "cluster", "std::string", "\"\"",
           "`2x8xH100`, or the message of docs/spec/machine.md as text">];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def OverlapReductions : Pass<"schedule-overlap-reductions", "::mlir::ModuleOp"> {
  let summary = "lets collectives of gradients run beside the last backward pass, not behind it";
  let description = [{
    A collective of the update that needs nothing but gradients that are complete runs in the last slot
    of the section that completes them, as soon as they are. Annotates: `task.early` on the update,
    whose kernels that run elsewhere get the first numbers.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def OrderKernels : Pass<"schedule-order-kernels", "::mlir::ModuleOp"> {
  let summary = "finds an order of kernels in which collectives hide under computation";
  let description = [{
    A list schedule of each section over a lane that computes, one of collectives and one of
    messages, by the prices of the machine. What runs early (`task.early`) is put in order with the section
    in whose last slot it does. The section keeps its order where none is found that takes less. Annotates:
    `task.kernel`, `task.forms` and `task.early` anew.
  }];
  let options = [
    Option<"cluster", "cluster", "std::string", /*default=*/"",
           "`2x8xH100`, or the message of docs/spec/machine.md as text">,
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "bytes; the given order stays where another needs more, and it less; 0: any">,
  ];
  let dependentDialects = ["::pcc::task::TaskDialect"];
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

def VerifyMemory : Pass<"schedule-verify-memory", "::mlir::ModuleOp"> {
  let summary = "goes through the slots and checks that each kernel finds what it reads where the plan says";
  let description = [{
    Follows what each byte holds. An error names the kernel that reads, the slot, the first byte, what
    was to lie there and what does.
  }];
}

#endif // PCC_PASSES_SCHEDULE_PASSES_TD
