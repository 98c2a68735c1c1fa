// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and decomposes the fused location of a node, recognized by its tag. Other locations print
// as a source position: names and call sites by their child or callee, fused locations by their
// first part.
#include "compiler/import/files/Locations.h"

#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "passes/analysis/names/FileNodes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pcc::import {
namespace {

constexpr llvm::StringLiteral stackTraceKey = "pkg.torch.onnx.stack_trace";

/// A line of a stack trace in Python's form: `  File "train.py", line 53, in forward`.
struct Frame {
  llvm::StringRef file;
  unsigned line = 0;
};

std::optional<Frame> parseFrame(llvm::StringRef text) {
  Frame frame;
  text = text.ltrim();
  if (!text.consume_front("File \""))
    return std::nullopt;
  std::tie(frame.file, text) = text.split('"');
  if (!text.consume_front(", line ") || text.consumeInteger(10, frame.line))
    return std::nullopt;
  return frame;
}

/// Whether a file belongs to an installed torch.
bool isOfTorch(llvm::StringRef file) {
  return file.contains("-packages/torch/") || file.contains("/torch/nn/");
}

/// Returns the innermost frame outside torch: the line of the model's own code. Models of libraries
/// are reported by their own lines, too, since one line of the user's program calls them whole.
std::optional<Frame> findUserFrame(llvm::StringRef trace) {
  std::optional<Frame> user;
  while (!trace.empty()) {
    llvm::StringRef line;
    std::tie(line, trace) = trace.split('\n');
    std::optional<Frame> frame = parseFrame(line);
    if (frame && (!user || !isOfTorch(frame->file)))
      user = frame;
  }
  return user;
}

/// Parts of an ONNX node's location.
struct NodeParts {
  llvm::StringRef file, name;
  unsigned index;
  FileLineColLoc source; // may be null
};

std::optional<NodeParts> splitNodeLocation(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto mark = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  if (!mark || mark.getValue() != analysis::nodeLocationTag)
    return std::nullopt;
  auto name = dyn_cast<NameLoc>(fused.getLocations().front());
  auto inner = name ? dyn_cast<NameLoc>(name.getChildLoc()) : NameLoc(); // under a module's name
  auto position =
      name ? dyn_cast<FileLineColLoc>((inner ? inner : name).getChildLoc()) : FileLineColLoc();
  if (!position)
    return std::nullopt;
  NodeParts parts{position.getFilename(), name.getName(), position.getLine(), {}};
  if (fused.getLocations().size() > 1)
    parts.source = dyn_cast<FileLineColLoc>(fused.getLocations()[1]);
  return parts;
}

void printNode(llvm::raw_ostream &os, const NodeParts &parts) {
  os << parts.file << ":node " << parts.index << " '" << parts.name << "'";
  if (parts.source)
    os << " (" << parts.source.getFilename().getValue() << ":" << parts.source.getLine() << ")";
}

llvm::StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("every severity is listed");
}

void printDiagnostic(llvm::raw_ostream &os, Diagnostic &diagnostic) {
  std::string place;
  llvm::raw_string_ostream placeStream(place);
  printLocation(placeStream, diagnostic.getLocation());
  if (!place.empty())
    os << place << ": ";
  os << severityName(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    printDiagnostic(os, note);
}

} // namespace

Location fileLocation(llvm::StringRef file, MLIRContext &context) {
  return FileLineColLoc::get(&context, file, 0, 0);
}

Location nodeLocation(llvm::StringRef file, int64_t index, const onnx::NodeProto &node,
                      MLIRContext &context, llvm::StringRef moduleName) {
  llvm::StringRef name = node.name();
  if (name.empty() && node.output_size() > 0)
    name = node.output(0);
  Location position = FileLineColLoc::get(&context, file, static_cast<unsigned>(index), 0);
  Location named = NameLoc::get(StringAttr::get(&context, name), position);
  if (!moduleName.empty())
    named = NameLoc::get(StringAttr::get(&context, moduleName), named);
  llvm::SmallVector<Location, 2> parts = {named};
  for (const onnx::StringStringEntryProto &entry : node.metadata_props())
    if (entry.key() == stackTraceKey)
      if (std::optional<Frame> frame = findUserFrame(entry.value()))
        parts.push_back(FileLineColLoc::get(&context, frame->file, frame->line, 0));
  return FusedLoc::get(parts, StringAttr::get(&context, analysis::nodeLocationTag), &context);
}

void printLocation(llvm::raw_ostream &os, Location location) {
  if (std::optional<NodeParts> node = splitNodeLocation(location))
    return printNode(os, *node);
  if (auto position = dyn_cast<FileLineColLoc>(location)) {
    os << position.getFilename().getValue();
    if (position.getLine() > 0)
      os << ":" << position.getLine() << ":" << position.getColumn();
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    printLocation(os, name.getChildLoc());
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    printLocation(os, call.getCallee());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    printLocation(os, fused.getLocations().front());
  }
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, llvm::raw_ostream &os)
    : ScopedDiagnosticHandler(context) {
  setHandler([&os](Diagnostic &diagnostic) { printDiagnostic(os, diagnostic); });
}

FirstError::FirstError(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (text.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          text = diagnostic.str();
      }) {}

} // namespace pcc::import
