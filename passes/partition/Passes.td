// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that turn a program with shardings into the program of one rank. They apply annotations;
// only reshard plans and the chunks of matmuls are chosen here, by cost.
#ifndef PCC_PASSES_PARTITION_PASSES_TD
#define PCC_PASSES_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertReshards : Pass<"dist-insert-reshards", "::mlir::ModuleOp"> {
  let summary = "put a reshard wherever a value and its use differ in sharding";
  let description = [{
    Uses are operands (`dist.in`) and results of the function (`dist.sharding`). A value that two
    uses need in the same sharding is resharded once, where it is made. Constants and iotas are made
    again in the required sharding instead. Results with a `dist.gradient_factor` are multiplied by
    it. An argument with `dist.own` is taken as the whole, whatever it is partial over.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def ReshardsToCollectives : Pass<"dist-reshards-to-collectives", "::mlir::ModuleOp"> {
  let summary = "replace each reshard by the cheapest collectives";
  let description = [{
    A reshard becomes to_local, the steps of its plan (passes/analysis/reshard/ReshardPlan.h) on the blocks of
    one rank, and to_global. The cheapest plan receives the fewest elements at the busiest rank;
    in a module with a machine (`pcc.cluster`) it is the fastest plan.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def Localize : Pass<"dist-localize", "::mlir::ModuleOp"> {
  let summary = "turn global shapes into those of one rank";
  let description = [{
    Every op acts on blocks, and ops with a local form of their own get it (LocalForms.h). Pairs of
    to_local and to_global disappear. The remaining shardings are on the boundary of the function,
    which gets `dist.local`. A module without `dist.mesh` stays as it is.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def DecomposeExchanges : Pass<"dist-decompose-exchanges", "::mlir::ModuleOp"> {
  let summary = "replace exchanges by collectives that the runtime has";
  let description = [{
    neighbor_exchange and neighbor_exchange_v2 become block exchanges that add to zeros; several
    tensors of one element type become one. A mirror is replaced by its operand.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def MergeScalarSums : Pass<"dist-merge-scalar-sums", "::mlir::ModuleOp"> {
  let summary = "sum scalars before they are reduced over ranks";
  let description = [{
    The terms of a sum of scalars that are all-reduced over the same group are added on each rank
    first, and reduced once. This changes the order of the additions.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def MergeScaledSums : Pass<"dist-merge-scaled-sums", "::mlir::func::FuncOp"> {
  let summary = "merge the sums over ranks of a value and of its multiple";
  let description = [{
    Where a value is summed over ranks and then scaled by a constant, and elsewhere scaled first and
    then summed, one of the two stays, and ops that become equal are merged. Norms and their
    derivatives do this with means. The order of the two roundings changes.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::pcc::graph::GraphDialect"];
}

def BroadcastParameters : Pass<"dist-broadcast-parameters", "::mlir::ModuleOp"> {
  let summary = "let training start with the parameters of rank 0";
  let description = [{
    Makes the section @start_training: a broadcast of every parameter and state that each rank holds
    whole. Sharded and `layerwise_parallel` ones stay as they are.
  }];
  let dependentDialects = ["::pcc::dist::DistDialect", "::mlir::func::FuncDialect"];
}

#endif // PCC_PASSES_PARTITION_PASSES_TD
