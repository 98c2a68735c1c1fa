// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that choose the order of actions and kernels, the buckets of collectives, and the memory
// places of values. They only annotate.
#ifndef PCC_PASSES_SCHEDULE_PASSES_TD
#define PCC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OrderActions : Pass<"schedule-order-actions", "::mlir::ModuleOp"> {
  let summary = "puts the actions of pipeline stages in the order of a schedule";
  let description = [{
    Moves the actions of each stage's step; actions that run once for all microbatches stay last.
    The remark of the module reports the bubble rate: the fraction of its time that the slowest
    stage waits, by the given times and without other work between the stages. The remark of a stage
    reports its peak number of live microbatches, counted per virtual stage. A microbatch is live
    from the beginning of its forward to the end of its backward pass. Without `times`, the times and
    the limit are those of `pipe.stage_costs`, if the module has this annotation; it is removed.
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

def AnnotateInFlight : Pass<"schedule-annotate-in-flight", "::mlir::ModuleOp"> {
  let summary = "computes until which action each sent message may be in flight";
  let description = [{
    Reads the actions of all stages. Annotates `pipe.in_flight_until` on `pipe.send`: by number of
    action, the last action of the step during which the message may be in flight. Rings get their
    depth from it.
  }];
  let dependentDialects = ["::pcc::pipe::PipeDialect"];
}

def FuseCollectives : Pass<"schedule-fuse-collectives", "::mlir::ModuleOp"> {
  let summary = "decides which collectives of gradients and parameters are fused";
  let description = [{
    Applies the rules in the options, or minimizes the completion time by the machine's cost model.
    Annotates `task.kernel` and `task.forms` anew; members of a fused collective have one number.
    Collectives that a user has numbered (`dist.fusion` on the collective or the parameter) are
    fused by number whatever the options say; those with number 0 are not fused.
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
    Option<"records", "record", "bool", "false",
           "annotate sections with the decisions, as `schedule.fusion`">];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def OverlapReductions : Pass<"schedule-overlap-reductions", "::mlir::ModuleOp"> {
  let summary = "hoists collectives of gradients into the last backward pass to overlap with it";
  let description = [{
    A collective of the update that needs only complete gradients runs in the last action of the
    section that completes them, as soon as they are complete. Annotates `task.hoisted` on the update,
    whose hoisted kernels get the first numbers.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def OrderKernels : Pass<"schedule-order-kernels", "::mlir::ModuleOp"> {
  let summary = "finds an order of kernels in which collectives overlap with computation";
  let description = [{
    List-schedules each section over a stream of computation, one of collectives and one of
    messages, by the machine's cost model. Hoisted kernels (`task.hoisted`) are ordered with the
    section in whose last action they run. A section keeps its order if no faster one is found.
    Annotates `task.kernel`, `task.forms` and `task.hoisted` anew.
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "bytes; the given order stays where another needs more, and it less; 0: any">,
  ];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def PlanMemory : Pass<"schedule-plan-memory", "::mlir::ModuleOp"> {
  let summary = "assigns a memory place to every value that crosses kernels";
  let description = [{
    Annotates `task.place` on ops, arguments, parameters and accumulated results, and `task.bytes`
    on the module. Values share bytes if their live ranges allow it; elementwise kernels, parameter
    updates and collectives write in place if that is legal.
  }];
  let dependentDialects = ["::pcc::task::TaskDialect"];
}

def VerifyMemory : Pass<"schedule-verify-memory", "::mlir::ModuleOp"> {
  let summary = "replays the actions and checks that each kernel finds its operands in place";
  let description = [{
    Tracks the value of each byte. An error names the kernel that reads, the action, the first byte,
    the expected value and the actual value.
  }];
}

#endif // PCC_PASSES_SCHEDULE_PASSES_TD
