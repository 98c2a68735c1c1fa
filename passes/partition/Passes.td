// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that turn a program with shardings into the program of one rank. They obey; nothing is chosen
// here.
#ifndef PCC_PASSES_PARTITION_PASSES_TD
#define PCC_PASSES_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertReshards : Pass<"dist-insert-reshards", "::mlir::ModuleOp"> {
  let summary = "puts a reshard wherever a value and its use differ in sharding";
  let description = [{
    Uses are operands (`dist.in`) and results of the function (`dist.sharding`). A value that two uses
    want in the same way is resharded once, where it is made. Constants and iotas are made anew instead
    in the sharding that is wanted. Results with a `dist.gradient_factor` are multiplied by it. An
    argument with `dist.own` is taken as the whole, whatever it is partial over.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def ReshardsToCollectives : Pass<"dist-reshards-to-collectives", "::mlir::ModuleOp"> {
  let summary = "replaces each reshard by the cheapest collectives";
  let description = [{
    A reshard becomes to_local, the steps of its plan (passes/facts/ReshardPlan.h) on the blocks of one
    rank, and to_global. The cheapest plan is the one that receives the fewest elements at the busiest
    rank, or with a cluster the fastest one.
  }];
  let options = [
    Option<"cluster", "cluster", "std::string", /*default=*/"",
           "a machine that decides by time: `2x8xH100`, or the message of docs/spec/machine.md as text">,
  ];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def Localise : Pass<"dist-localise", "::mlir::ModuleOp"> {
  let summary = "turns global shapes into those of one rank";
  let description = [{
    Every op acts on blocks, ops with a local form of their own get it (LocalForms.h), and pairs of
    to_local and to_global disappear. What is left of the shardings stands on the boundary of the
    function, which is marked `dist.local`. A module without `dist.mesh` stays as it is.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def DecomposeExchanges : Pass<"dist-decompose-exchanges", "::mlir::ModuleOp"> {
  let summary = "leaves only collectives that the runtime has";
  let description = [{
    neighbor_exchange and neighbor_exchange_v2 become block exchanges that add to zeros, several
    tensors of one element type as one; a mirror is replaced by its operand.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def ChunkProducts : Pass<"dist-chunk-products", "::mlir::ModuleOp"> {
  let summary = "cuts products in chunks that are summed over ranks one behind the other";
  let description = [{
    A product of two matrices of which an all_reduce is the only reader becomes products of some of
    its rows, each with an all_reduce of its own, where that is through earlier by the prices of the
    machine: one chunk is summed while the next is computed.
  }];
  let options = [
    Option<"chunks", "chunks", "int64_t", "4", "as many at most">,
    Option<"cluster", "cluster", "std::string", "\"\"",
           "`2x8xH100`, or the message of docs/spec/machine.md as text">];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def BroadcastParameters : Pass<"dist-broadcast-parameters", "::mlir::ModuleOp"> {
  let summary = "lets training start with the parameters of rank 0";
  let description = [{
    Makes the section @start_training, a broadcast of every parameter and state that each rank holds whole.
    Sharded and `layerwise_parallel` ones stay as they are.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::mlir::func::FuncDialect"];
}

#endif // PCC_PASSES_PARTITION_PASSES_TD
