// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture is DOT text in two walks over each function: first a node per argument and op, then
// an edge per operand. Layout is left to Graphviz.
#include "compiler/DumpPhases.h"

#include "compiler/WriteStream.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GraphWriter.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {

/// Returns the size of a tensor as text, such as "12.5 KiB". Returns "" for a type that is no
/// static tensor of integers or floats.
std::string bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() || !shaped.getElementType().isIntOrFloat())
    return "";
  double bytes =
      double(shaped.getNumElements()) * std::max(8u, shaped.getElementTypeBitWidth()) / 8;
  for (const char *unit : {"B", "KiB", "MiB"}) {
    if (bytes < 1024)
      return llvm::formatv("{0:f1} {1}", bytes, unit);
    bytes /= 1024;
  }
  return llvm::formatv("{0:f1} GiB", bytes);
}

std::string textOf(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return llvm::DOT::EscapeString(text);
}

class Drawing {
public:
  explicit Drawing(llvm::raw_ostream &os) : os(os) {}

  void draw(FunctionOpInterface function) {
    // Graphviz merges subgraphs of one name, and each stage has functions of the same names.
    auto module = function->getParentOfType<ModuleOp>();
    std::string name = module.getName() ? (*module.getName() + "/" + function.getName()).str()
                                        : function.getName().str();
    name = llvm::DOT::EscapeString(name);
    os << "  subgraph \"cluster_" << name << "\" {\n    label=\"" << name << "\";\n";
    for (BlockArgument argument : function.getArguments())
      drawArgument(function, argument);
    function.getFunctionBody().walk([&](Operation *op) { drawOp(op); });
    os << "  }\n";
    function.getFunctionBody().walk([&](Operation *op) { drawEdges(op); });
  }

private:
  void drawArgument(FunctionOpInterface function, BlockArgument argument) {
    unsigned node = numbers[argument] = next++;
    os << "    n" << node << " [shape=ellipse, label=\"" << typeText(argument);
    if (Attribute role = function.getArgAttr(argument.getArgNumber(), "graph.role"))
      os << "\\n" << textOf([&](llvm::raw_ostream &s) { role.print(s, /*elideType=*/true); });
    os << shardingText(function.getArgAttr(argument.getArgNumber(), pcc::dist::shardingAttrName))
       << "\"];\n";
  }

  void drawOp(Operation *op) {
    unsigned node = next++;
    operations[op] = node;
    for (Value result : op->getResults())
      numbers[result] = node;
    bool communicates = op->getName().getDialectNamespace() == "dist";
    os << "    n" << node << " [shape=box" << (communicates ? ", style=filled" : "") << ", label=\""
       << op->getName();
    for (Value result : op->getResults())
      os << "\\n" << typeText(result);
    os << shardingText(op->getAttr(pcc::dist::outAttrName)) << "\"];\n";
  }

  void drawEdges(Operation *op) {
    for (Value operand : op->getOperands()) {
      auto source = numbers.find(operand);
      if (source != numbers.end())
        os << "  n" << source->second << " -> n" << operations[op] << " [label=\""
           << bytesOf(operand.getType()) << "\"];\n";
    }
  }

  static std::string typeText(Value value) {
    return textOf([&](llvm::raw_ostream &s) { value.getType().print(s); });
  }
  static std::string shardingText(Attribute sharding) {
    if (!sharding)
      return "";
    return "\\n" + textOf([&](llvm::raw_ostream &s) { sharding.print(s, /*elideType=*/true); });
  }

  llvm::raw_ostream &os;
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::DenseMap<Operation *, unsigned> operations;
  unsigned next = 0;
};

} // namespace

/// Draws `module` in the DOT language of Graphviz. A function is a box; an op is a node with its
/// name, type and sharding; collectives are filled. Each edge shows the bytes of its value.
static void drawModule(ModuleOp module, llvm::raw_ostream &os) {
  os << "digraph module {\n";
  Drawing drawing(os);
  module.walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      drawing.draw(function);
  });
  os << "}\n";
}

static LogicalResult writeFile(ModuleOp module, const llvm::Twine &path,
                               llvm::function_ref<void(llvm::raw_ostream &)> write) {
  pcc::abi::Status status = pcc::writeStream(path.str(), write);
  return status.ok() ? success() : module.emitError(status.message());
}

LogicalResult pcc::DumpPhases::write(CompilePhase phase, ModuleOp module) const {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return module.emitError("'") << folder << "': " << error.message();
  llvm::SmallString<128> stem(folder);
  llvm::sys::path::append(
      stem, llvm::formatv("{0,0+2}_{1}", static_cast<int>(phase) + 1, stringify(phase)).str());
  auto text = [&](llvm::raw_ostream &os) {
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(64).elideLargeResourceString(64);
    module.print(os, flags);
    os << "\n";
  };
  if (failed(writeFile(module, stem + ".mlir", text)))
    return failure();
  if (!pictures)
    return success();
  return writeFile(module, stem + ".dot", [&](llvm::raw_ostream &os) { drawModule(module, os); });
}
