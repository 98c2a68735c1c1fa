// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags are parsed by hand, files by LLVM's YAML parser. Both end in the same check,
// Sharding::verify. Unknown keys of a file are skipped.
#include "tools/pcc/subcommands/ReshardPairs.h"

#include "compiler/import/files/Nesting.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Diagnostics.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace pcc;
using namespace pcc::cli;
using dist::AxisList;
using dist::Mesh;
using dist::Sharding;
namespace yaml = llvm::yaml;

/// Parses `x=2,y=4`. Returns an empty string, or an error message.
static std::string parseMesh(llvm::StringRef text, Mesh &mesh) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SmallVector<dist::MeshAxis, 4> axes;
  text.split(parts, ',', -1, /*KeepEmpty=*/!text.empty());
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.split('=');
    dist::MeshAxis &axis = axes.emplace_back();
    axis.name = name.trim().str();
    if (size.trim().getAsInteger(10, axis.size))
      return ("expected AXIS=SIZE, got '" + part + "'").str();
  }
  mesh = Mesh(axes);
  return mesh.verify();
}

/// Parses the extents of a tensor, `64x64`; an empty text is a scalar.
static std::string parseShape(llvm::StringRef text, llvm::SmallVector<int64_t, 4> &shape) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x', -1, /*KeepEmpty=*/!text.empty());
  for (llvm::StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return ("expected sizes joined by 'x', got '" + text + "'").str();
  return "";
}

static std::string parseSharding(llvm::StringRef text, mlir::MLIRContext &context,
                                 Sharding &sharding) {
  std::string error;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (error.empty())
      error = diagnostic.str();
    return mlir::success();
  });
  mlir::FailureOr<Sharding> parsed = dist::parseSharding(text, &context);
  if (mlir::failed(parsed))
    return error + ", in '" + text.str() + "'";
  sharding = *parsed;
  return "";
}

ExitCode pcc::cli::readPair(const ReshardTexts &texts, mlir::MLIRContext &context,
                            ReshardPair &pair) {
  auto report = [](const char *flag, const std::string &error) {
    return error.empty() ? Success : fail(BadUsage, "'--" + llvm::Twine(flag) + "': " + error);
  };
  if (ExitCode code = report("mesh", parseMesh(texts.mesh, pair.mesh)))
    return code;
  if (ExitCode code = report("shape", parseShape(texts.shape, pair.shape)))
    return code;
  if (ExitCode code = report("from", parseSharding(texts.from, context, pair.from)))
    return code;
  if (ExitCode code = report("to", parseSharding(texts.to, context, pair.to)))
    return code;
  if (ExitCode code = report("from", pair.from.verify(pair.shape, pair.mesh)))
    return code;
  return report("to", pair.to.verify(pair.shape, pair.mesh));
}

namespace {

/// Reads a file by LLVM's YAML parser, because JSON is a subset of YAML. Unlike a JSON object, the
/// parser keeps the order of the mesh's axes.
class PairReader {
public:
  PairReader(llvm::StringRef text, llvm::StringRef path, mlir::MLIRContext &context)
      : stream(llvm::MemoryBufferRef(text, path), sources), context(context) {}

  ExitCode read(std::vector<ReshardPair> &pairs) {
    yaml::Node *root = stream.begin()->getRoot();
    auto *list = llvm::dyn_cast_or_null<yaml::SequenceNode>(root);
    if (!list && root)
      fail(root, "expected a list of pairs");
    if (list)
      for (yaml::Node &entry : *list) {
        readPair(entry, pairs.emplace_back());
        if (failed)
          break;
      }
    return failed || stream.failed() || !list ? BadInput : Success;
  }

private:
  void fail(yaml::Node *node, const llvm::Twine &message) {
    if (!failed)
      stream.printError(node, message);
    failed = true;
  }

  void readPair(yaml::Node &node, ReshardPair &pair) {
    auto *map = llvm::dyn_cast<yaml::MappingNode>(&node);
    if (!map)
      return fail(&node, "expected an object with \"mesh\", \"shape\", \"frm\" and \"to\"");
    unsigned found = 0;
    for (yaml::KeyValueNode &entry : *map) {
      std::string key = scalar(entry.getKey());
      yaml::Node *value = entry.getValue();
      if (key == "mesh")
        pair.mesh = readMesh(value), found |= 1;
      else if (key == "shape")
        readShape(value, pair.shape), found |= 2;
      else if (key == "frm")
        pair.from = readSharding(value), found |= 4;
      else if (key == "to")
        pair.to = readSharding(value), found |= 8;
      else if (key == "bound")
        pair.bound = integer(value);
      else if (key == "xla")
        pair.xla = integer(value);
      else if (value)
        value->skip();
      else
        fail(&node, "expected a value of \"" + key + "\"");
      if (failed)
        return;
    }
    if (found != 15)
      return fail(&node, "expected \"mesh\", \"shape\", \"frm\" and \"to\"");
    for (const Sharding *sharding : {&pair.from, &pair.to})
      if (std::string error = sharding->verify(pair.shape, pair.mesh); !error.empty())
        return fail(&node, error);
  }

  std::string scalar(yaml::Node *node) {
    llvm::SmallString<32> storage;
    if (auto *text = llvm::dyn_cast_or_null<yaml::ScalarNode>(node))
      return text->getValue(storage).str();
    fail(node, "expected a word");
    return "";
  }

  int64_t integer(yaml::Node *node) {
    int64_t value = 0;
    if (llvm::StringRef(scalar(node)).getAsInteger(10, value))
      fail(node, "expected an integer");
    return value;
  }

  Mesh readMesh(yaml::Node *node) {
    llvm::SmallVector<dist::MeshAxis, 4> axes;
    auto *map = llvm::dyn_cast_or_null<yaml::MappingNode>(node);
    if (!map)
      fail(node, "expected an object of axes and their sizes");
    else
      for (yaml::KeyValueNode &entry : *map) {
        std::string name = scalar(entry.getKey());
        axes.push_back({name, integer(entry.getValue())});
      }
    Mesh mesh(axes);
    if (std::string error = mesh.verify(); !failed && !error.empty())
      fail(node, error);
    return mesh;
  }

  void readShape(yaml::Node *node, llvm::SmallVector<int64_t, 4> &shape) {
    auto *list = llvm::dyn_cast_or_null<yaml::SequenceNode>(node);
    if (!list)
      return fail(node, "expected a list of sizes");
    for (yaml::Node &size : *list) {
      shape.push_back(integer(&size));
      if (shape.back() < 0)
        fail(&size, "expected a size of at least 0");
    }
  }

  Sharding readSharding(yaml::Node *node) {
    Sharding sharding;
    auto *dims = llvm::dyn_cast_or_null<yaml::SequenceNode>(node);
    if (!dims) {
      if (std::string error = parseSharding(scalar(node), context, sharding); !error.empty())
        fail(node, error);
      return sharding;
    }
    llvm::SmallVector<AxisList, 4> lists;
    for (yaml::Node &dim : *dims) {
      AxisList &axes = lists.emplace_back();
      auto *names = llvm::dyn_cast<yaml::SequenceNode>(&dim);
      if (!names)
        fail(&dim, "expected a list of axes");
      else
        for (yaml::Node &name : *names)
          axes.push_back(scalar(&name));
    }
    return Sharding(lists);
  }

  llvm::SourceMgr sources;
  yaml::Stream stream;
  mlir::MLIRContext &context;
  bool failed = false;
};

} // namespace

ExitCode pcc::cli::readPairs(llvm::StringRef path, mlir::MLIRContext &context,
                             std::vector<ReshardPair> &pairs) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail(BadInput, "'" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (std::optional<import::BracketPlace> deep = import::findDeepNesting(text))
    return fail(BadInput, path + ":" + llvm::Twine(deep->line) + ":" + llvm::Twine(deep->column) +
                              ": " + import::nestingError);
  return PairReader(text, path, context).read(pairs);
}
