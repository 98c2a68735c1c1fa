// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Pins.h"

#include "dialects/dist/Dist.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;

namespace pcc::import {
namespace {

/// The mesh written `text`, null if it is none.
Attribute parseMesh(const std::string &text, MLIRContext *context) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return parseAttribute("#dist.mesh<" + text + ">", context);
}

DictionaryAttr toAttribute(const abi::Pin &pin, const std::string &place, MLIRContext *context) {
  NamedAttrList entry;
  auto set = [&](StringRef key, const std::string &text) {
    if (!text.empty())
      entry.set(key, StringAttr::get(context, text));
  };
  set("op", pin.op());
  set("op_name", pin.op_name());
  set("module", pin.module());
  set("parameter", pin.parameter());
  set("input", pin.input());
  set("in", llvm::join(pin.in(), ", "));
  set("out", llvm::join(pin.out(), ", "));
  set("sharding", pin.sharding());
  set("place", place);
  return entry.getDictionary(context);
}

} // namespace

LogicalResult attachPins(ModuleOp module, const abi::Pins &pins,
                         function_ref<std::string(int index)> getPlace) {
  MLIRContext *context = module.getContext();
  if (!pins.mesh().empty() && !module->hasAttr(dist::meshAttrName)) {
    Attribute mesh = parseMesh(pins.mesh(), context);
    if (!mesh)
      return module.emitError() << "expected a mesh such as \"dp=2, tp=4\", got \"" << pins.mesh()
                                << "\"";
    module->setAttr(dist::meshAttrName, mesh);
  }
  SmallVector<Attribute> entries;
  if (auto given = module->getAttrOfType<ArrayAttr>(dist::pinsAttrName))
    entries.assign(given.begin(), given.end());
  for (int index = 0; index < pins.pin_size(); ++index)
    entries.push_back(toAttribute(pins.pin(index), getPlace(index), context));
  module->setAttr(dist::pinsAttrName, ArrayAttr::get(context, entries));
  return success();
}

} // namespace pcc::import
