// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives over the ranks of a group. Roots and results are counted in positions of the group.
#ifndef PCC_DIALECTS_DIST_DISTCOLLECTIVES_TD
#define PCC_DIALECTS_DIST_DISTCOLLECTIVES_TD

include "dialects/dist/DistBase.td"

defvar Dist_Group = OptionalAttr<Dist_GroupAttr>;

def Dist_AllReduceOp : Dist_CollectiveOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "combines the values of all ranks; every rank gets the result";
  let arguments = (ins Dist_ReduceKindAttr:$kind, Dist_NumberTensor:$input, Dist_Group:$group);
  let results = (outs Dist_NumberTensor:$result);
  let assemblyFormat = "$kind $input (`over` $group^)? attr-dict `:` type($result)";
}

def Dist_AllGatherOp : Dist_CollectiveOp<"all_gather"> {
  let summary = "the values of all ranks one after the other along `axis`, in group order";
  let arguments = (ins Dist_Tensor:$input, I64Attr:$axis, Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `axis` `=` $axis (`over` $group^)? attr-dict `:` type($input) `to` type($result)
  }];
}

def Dist_ReduceScatterOp : Dist_CollectiveOp<"reduce_scatter"> {
  let summary = "combines the values of all ranks; each gets its block along `axis`";
  let arguments = (ins Dist_ReduceKindAttr:$kind, Dist_NumberTensor:$input, I64Attr:$axis,
                       Dist_Group:$group);
  let results = (outs Dist_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `axis` `=` $axis (`over` $group^)? attr-dict
    `:` type($input) `to` type($result)
  }];
}

def Dist_BroadcastOp : Dist_CollectiveOp<"broadcast", [SameOperandsAndResultType]> {
  let summary = "every rank gets the value of the rank at position `root` of the group";
  let arguments = (ins Dist_Tensor:$input, I64Attr:$root, Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$input `root` `=` $root (`over` $group^)? attr-dict `:` type($result)";
}

def Dist_ReduceOp : Dist_CollectiveOp<"reduce", [SameOperandsAndResultType]> {
  let summary = "combines the values of all ranks at position `root`; the others get zero";
  let arguments = (ins Dist_ReduceKindAttr:$kind, Dist_NumberTensor:$input, I64Attr:$root,
                       Dist_Group:$group);
  let results = (outs Dist_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `root` `=` $root (`over` $group^)? attr-dict `:` type($result)
  }];
}

def Dist_AllToAllOp : Dist_CollectiveOp<"all_to_all"> {
  let summary = "sends block i along `split_axis` to position i and joins the received blocks";
  let description = [{
    The received blocks are joined along `concat_axis` in group order.
  }];
  let arguments = (ins Dist_Tensor:$input, I64Attr:$split_axis, I64Attr:$concat_axis,
                       Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `split` `=` $split_axis `concat` `=` $concat_axis (`over` $group^)? attr-dict
    `:` type($input) `to` type($result)
  }];
}

def Dist_MirrorOp : Dist_CollectiveOp<"mirror", [SameOperandsAndResultType]> {
  let summary = "the value itself; its gradient is reduced over the ranks";
  let description = [{
    Annotates one value of which every rank of the group holds a replica, usually a parameter. Each
    replica has its own gradient, and the gradient of the value is their sum: the derivative is an
    `all_reduce`, divided by the group's size if `mean` is set. The op itself does nothing; the
    partition drops it.
  }];
  let arguments = (ins Dist_Tensor:$input, UnitAttr:$mean, Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$input (`mean` $mean^)? (`over` $group^)? attr-dict `:` type($result)";
}

def Dist_BarrierOp : Dist_Op<"barrier", [Dist_CollectiveOpInterface]> {
  let summary = "no rank of the group continues before all have arrived";
  let arguments = (ins Dist_Group:$group);
  let assemblyFormat = "(`over` $group^)? attr-dict";
  let hasVerifier = 1;
}

def Dist_RankOp : Dist_CollectiveOp<"rank"> {
  let summary = "this rank's position in the group";
  let arguments = (ins Dist_Group:$group);
  let results = (outs Dist_IndexScalar:$result);
  let assemblyFormat = "(`over` $group^)? attr-dict";
}

def Dist_GroupSizeOp : Dist_CollectiveOp<"group_size"> {
  let summary = "the number of ranks in this rank's group";
  let arguments = (ins Dist_Group:$group);
  let results = (outs Dist_IndexScalar:$result);
  let assemblyFormat = "(`over` $group^)? attr-dict";
}

#endif // PCC_DIALECTS_DIST_DISTCOLLECTIVES_TD
