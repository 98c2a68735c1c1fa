// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the dialect's discardable attributes: annotations of the schedule on functions, matmuls
// and attentions.
#include "dialects/task/EpilogueAttrs.h"
#include "dialects/task/Task.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pcc::task;

/// Verifies T10: a number in the list of the function around the op.
static LogicalResult verifyKernel(Operation *op, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto forms = function ? function->getAttrOfType<ArrayAttr>(formsAttrName) : ArrayAttr();
  int64_t count = forms ? forms.size() : 0;
  if (!number || !number.getType().isInteger(64) || number.getInt() < 0 || number.getInt() >= count)
    return op->emitOpError() << "expected \"task.kernel\" to be the number of one of the " << count
                             << " kernels in \"task.forms\", got " << value;
  return success();
}

/// Verifies T11.
static LogicalResult verifyForms(Operation *op, Attribute value) {
  auto forms = dyn_cast<ArrayAttr>(value);
  if (!forms || !llvm::all_of(forms, llvm::IsaPred<FormAttr>))
    return op->emitOpError() << "expected \"task.forms\" to be a list of forms, got " << value;
  return success();
}

/// Verifies T16: for each of the first kernels a section and the number of a kernel there, or -1.
static LogicalResult verifyHoisted(Operation *op, Attribute value) {
  auto isHoisted = [](Attribute entry) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    auto behind = pair && pair.size() == 2 ? dyn_cast<IntegerAttr>(pair[1]) : IntegerAttr();
    return behind && isa<FlatSymbolRefAttr>(pair[0]) && behind.getType().isInteger(64) &&
           behind.getInt() >= -1;
  };
  auto list = dyn_cast<ArrayAttr>(value);
  auto forms = op->getAttrOfType<ArrayAttr>(formsAttrName);
  size_t most = forms ? forms.size() : 0;
  if (!list || list.size() > most || !llvm::all_of(list, isHoisted))
    return op->emitOpError() << "expected \"task.hoisted\" to be a list of sections and kernels in "
                                "them, for at most the "
                             << most << " kernels in \"task.forms\", got " << value;
  return success();
}

/// Verifies T21: the number of a later kernel in the list of the function around the op, or the
/// length of the list.
static LogicalResult verifyDone(Operation *op, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  auto own = op->getAttrOfType<IntegerAttr>(kernelAttrName);
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto forms = function ? function->getAttrOfType<ArrayAttr>(formsAttrName) : ArrayAttr();
  if (!number || !own || !forms || !number.getType().isInteger(64) ||
      number.getInt() <= own.getInt() || number.getInt() > int64_t(forms.size()))
    return op->emitOpError() << "expected \"task.done\" to be the number of a kernel behind the "
                                "op's own in \"task.forms\", got "
                             << value;
  return success();
}

/// Verifies T20: a number of 0 or more.
static LogicalResult verifyNumber(Operation *op, NamedAttribute attribute, StringRef what) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
    return op->emitOpError() << "expected " << attribute.getName() << " to be the number of "
                             << what << ", got " << attribute.getValue();
  return success();
}

/// Verifies T20: gelu or its gradient. A ReLU is annotated by its own `task.matmul_group` instead.
static LogicalResult verifyActivation(Operation *op, Attribute value) {
  auto activation = dyn_cast<ActivationAttr>(value);
  if (!activation || (activation.getValue() != Activation::Gelu &&
                      activation.getValue() != Activation::GeluGradient))
    return op->emitOpError() << "expected \"task.activation\" to be gelu or its gradient, got "
                             << value;
  if (!op->hasAttr(matmulGroupAttrName))
    return op->emitOpError("expected \"task.activation\" beside \"task.matmul_group\"");
  return success();
}

/// Returns whether `value` is a list with a place for each result of an op that has several.
static bool isListOfPlaces(Operation *op, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && list.size() > 1 && list.size() == op->getNumResults() &&
         llvm::all_of(list, llvm::IsaPred<PlaceAttr>);
}

/// Verifies T12; `where` is empty for the op itself.
static LogicalResult verifyPlace(Operation *op, NamedAttribute attribute, const Twine &where) {
  bool isPlace = isa<PlaceAttr>(attribute.getValue()) ||
                 (where.isTriviallyEmpty() && isListOfPlaces(op, attribute.getValue()));
  if (attribute.getName() == placeAttrName && !isPlace)
    return op->emitOpError() << "expected \"task.place\"" << where << " to be a place, got "
                             << attribute.getValue();
  return success();
}

LogicalResult TaskDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kernelAttrName)
    return verifyKernel(op, attribute.getValue());
  if (name == doneAttrName)
    return verifyDone(op, attribute.getValue());
  if (name == formsAttrName)
    return verifyForms(op, attribute.getValue());
  if (name == hoistedAttrName)
    return verifyHoisted(op, attribute.getValue());
  if (name == bytesAttrName && !isa<BytesAttr>(attribute.getValue())) // T12
    return op->emitOpError() << "expected \"task.bytes\" to be bytes of each space, got "
                             << attribute.getValue();
  if (name == matmulGroupAttrName)
    return verifyNumber(op, attribute, "a matmul");
  if (name == attentionAttrName)
    return verifyNumber(op, attribute, "an attention");
  if (name == activationAttrName)
    return verifyActivation(op, attribute.getValue());
  if (name == tf32AttrName && (!isa<ModuleOp>(op) || !isa<UnitAttr>(attribute.getValue()))) // T20
    return op->emitOpError("expected \"task.tf32\" without a value, on a module");
  return verifyPlace(op, attribute, "");
}

LogicalResult TaskDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attribute) {
  return verifyPlace(op, attribute, " of argument " + Twine(index));
}

LogicalResult TaskDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  return verifyPlace(op, attribute, " of result " + Twine(index));
}
