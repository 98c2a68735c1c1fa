// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that change the sharding of a value. They stand between the strategy and the collectives.
#ifndef PCC_DIALECTS_DIST_DISTSHARDINGS_TD
#define PCC_DIALECTS_DIST_DISTSHARDINGS_TD

include "dialects/dist/DistBase.td"

def Dist_ReshardOp : Dist_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "the same global value under another sharding";
  let arguments = (ins Dist_Tensor:$input, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `from` custom<BareSharding>($from) `to` custom<BareSharding>($to) attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dist_ToLocalOp : Dist_Op<"to_local", [Pure]> {
  let summary = "each rank's block of a global value";
  let description = [{
    Of a partial sum, the ranks at coordinate 0 of the partial axes keep the value and the others
    hold zero. For max, min and prod the others hold the neutral element.
  }];
  let arguments = (ins Dist_Tensor:$input, Dist_ShardingAttr:$sharding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input custom<BareSharding>($sharding) attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dist_ToGlobalOp : Dist_Op<"to_global", [Pure]> {
  let summary = "the global value of which each rank holds a block";
  let arguments = (ins Dist_Tensor:$input, Dist_ShardingAttr:$sharding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input custom<BareSharding>($sharding) attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_DIST_DISTSHARDINGS_TD
