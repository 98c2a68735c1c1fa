// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communication between ranks. `groups` cuts all ranks into lists of equal length; each rank takes
// part in the list that holds it. The source may be the destination if their sizes agree.
#ifndef PCC_DIALECTS_TASK_TASKCOLLECTIVES_TD
#define PCC_DIALECTS_TASK_TASKCOLLECTIVES_TD

include "dialects/task/TaskInstructions.td"

class Task_Collective<string mnemonic, string what, dag extra = (ins)>
    : Task_Instruction<mnemonic, !con((ins Task_Buffer:$source, Task_Buffer:$destination,
                                      I64ElementsAttr:$groups), extra), "Communication"> {
  let summary = what;
  let assemblyFormat = [{
    $source `into` $destination `groups` `=` $groups attr-dict `:` type($source) `,`
    type($destination)
  }];
}

// `fused`: fused with the collective before it, which is alike except for shape and axis.
def Task_AllReduceOp : Task_Collective<"all_reduce", "reduce of every member's source",
                                       (ins Task_ReduceOpAttr:$reduction, UnitAttr:$fused)>;
def Task_AllGatherOp : Task_Collective<"all_gather", "the sources concatenated along `axis`",
                                       (ins I64Attr:$axis, UnitAttr:$fused)>;
def Task_ReduceScatterOp : Task_Collective<"reduce_scatter",
    "block number p of the reduced source along `axis`, p the position in the group",
    (ins Task_ReduceOpAttr:$reduction, I64Attr:$axis, UnitAttr:$fused)>;
def Task_BroadcastOp : Task_Collective<"broadcast", "source of the member at position `root`",
                                       (ins Task_RankAttr:$root)>;
def Task_ReduceToOp : Task_Collective<"reduce", "all_reduce for `root`; the others get zero",
                                      (ins Task_ReduceOpAttr:$reduction, Task_RankAttr:$root)>;
def Task_AllToAllOp : Task_Collective<"all_to_all",
    "block p along `axis` goes to position p; what arrives is concatenated along `concat_axis`",
    (ins I64Attr:$axis, I64Attr:$concat_axis)>;
def Task_CollectivePermuteOp : Task_Collective<"collective_permute",
    "for each pair the source of the first becomes the destination of the second, else zero",
    (ins I64ElementsAttr:$pairs)>;
def Task_BlockExchangeOp : Task_Collective<"block_exchange", "each rank gets exactly what it lacks",
    (ins I64ElementsAttr:$moves, OptionalAttr<Task_ReduceOpAttr>:$reduction)> {
  let description = [{
    Each row of `moves`: source rank, target rank, then the starts in the source, the sizes and the
    starts in the target, each per dimension. Elements that no move writes keep their value; with a
    reduction the destination becomes zero first and moves are added in order.
  }];
}

def Task_SendOp : Task_Instruction<"send", (ins Task_Buffer:$source, Task_RankAttr:$peer, I64Attr:$tag),
                              "Communication"> {
  let summary = "sends to the rank `peer`; negative: no peer, nothing is done";
  let assemblyFormat = "$source `to` $peer `tag` `=` $tag attr-dict `:` type($source)";
}
def Task_RecvOp : Task_Instruction<"recv", (ins Task_Buffer:$destination, Task_RankAttr:$peer,
                                           I64Attr:$tag), "Communication"> {
  let summary = "receives from the rank `peer`; negative: no peer, nothing is done";
  let assemblyFormat = "$destination `from` $peer `tag` `=` $tag attr-dict `:` type($destination)";
}
def Task_BarrierOp : Task_Instruction<"barrier", (ins I64ElementsAttr:$groups), "Communication"> {
  let summary = "no rank leaves before all have arrived";
  let assemblyFormat = "`groups` `=` $groups attr-dict";
}

#endif // PCC_DIALECTS_TASK_TASKCOLLECTIVES_TD
