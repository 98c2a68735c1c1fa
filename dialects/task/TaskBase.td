// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by all task ops: the dialect, buffers, attributes.
#ifndef PCC_DIALECTS_TASK_TASKBASE_TD
#define PCC_DIALECTS_TASK_TASKBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Task_Dialect : Dialect {
  let name = "task";
  let cppNamespace = "::pcc::task";
  let summary = "how a rank runs a program";
  let description = [{
    Buffers at fixed offsets, and flat lists of instructions on them: kernel launches, library
    calls, collectives, copies. One to one with the messages of `runtime/abi/program.proto`; nothing
    is decided below this level. A number that depends on the rank is a rank expression.

    Before there is a program, the schedule annotates functions; all annotations are discardable:

    | attribute | on | meaning |
    | --- | --- | --- |
    | `task.forms` | function | one form for each of its kernels, in the order in which they run |
    | `task.kernel` | op | the number of its kernel in that list |
    | `task.hoisted` | function | for each of its first, hoisted kernels: the section in whose last action it runs, and the number of the kernel there after which it runs, -1: before all |
    | `task.done` | collective | the number of the kernel before which it is done, as estimated, or the number of kernels, if no kernel of its function reads it |
    | `task.place` | op, argument, `graph.parameter` | place of its value |
    | `task.place` | result of a function | place where it is accumulated |
    | `task.bytes` | module | bytes of each space |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

class Task_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::pcc::task";
  let genSpecializedAttr = 0;
}
class Task_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Task_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}
class Task_Attr<string name, string attrMnemonic> : AttrDef<Task_Dialect, name> {
  let mnemonic = attrMnemonic;
}

/// A buffer of static shape; i1 takes one byte.
def Task_Buffer : StaticShapeMemRefOf<[F32, F16, BF16, F64, I64, I32, I16, I8, UI64, UI32, UI16,
                                       UI8, I1]>;

class Task_Op<string mnemonic, list<Trait> traits = []> : Op<Task_Dialect, mnemonic, traits>;

#endif // PCC_DIALECTS_TASK_TASKBASE_TD
