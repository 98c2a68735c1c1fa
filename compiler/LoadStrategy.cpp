// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a strategy checkpoint into constraints. The reader first compares the file's fingerprint
// and parameters with the model and the options. The strategy pass later checks whether each entry
// is legal.
#include "compiler/PipelineShape.h"
#include "compiler/StrategyCheckpoint.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ThreadDiagnostics.h"
#include "passes/analysis/names/OpNames.h"
#include "runtime/abi/files/StrategyFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::Sharding;

namespace {

/// Returns a shape as text, such as `16x8`; `scalar` for an empty shape.
template <typename Shape> std::string shapeText(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), "x");
}

/// Returns counts as text, such as `(2,1)`.
template <typename Counts> std::string tupleText(const Counts &counts) {
  return "(" +
         llvm::join(llvm::map_range(counts, [](int64_t n) { return std::to_string(n); }), ",") +
         ")";
}

/// Turns one file into constraints of one module.
class StrategyReader {
public:
  StrategyReader(ModuleOp module, const abi::Strategy &strategy, const abi::ParallelConfig &config)
      : module(module), strategy(strategy), path(config.strategy_ckpt_load_file()),
        numStages(getPipelineShape(config).devices),
        reusesPart(config.strategy_reuse() == abi::REUSE_PARTIAL) {
    if (auto given = module->getAttrOfType<ArrayAttr>(dist::constraintsAttrName))
      constraints.assign(given.begin(), given.end());
  }

  LogicalResult run(abi::StrategyFingerprint &wanted) {
    if (std::string wrong = getMesh().verify(); !wrong.empty())
      return module.emitError() << describeSource() << ": " << wrong;
    if (failed(compareRanks(wanted)) || failed(compareOptions(wanted)) ||
        failed(compareParameters()) || failed(compareModel(wanted)))
      return failure();
    if (isSameMesh)
      setMesh(wanted);
    for (const abi::ParameterStrategy &parameter : strategy.parameter())
      addParameter(parameter);
    for (const abi::InputStrategy &input : strategy.input())
      if (input.fed().counts_size()) // a scalar has none
        addTensor("input", input.name(), input.fed());
    for (const abi::OpStrategy &op : strategy.op())
      addOp(op);
    module->setAttr(dist::constraintsAttrName, ArrayAttr::get(module.getContext(), constraints));
    return success();
  }

private:
  std::string describeSource() const {
    return path.empty() ? "strategy of the plan" : "strategy file '" + path + "'";
  }

  /// Reports an entry that does not fit: a remark if partial reuse is allowed, else an error.
  LogicalResult report(const Twine &what) {
    if (!reusesPart)
      return module.emitError() << describeSource() << ": " << what
                                << (path.empty() ? "; 'pcc plan' makes a new one"
                                                 : "; '--strategy-reuse=partial' keeps what fits");
    remark::missed(module.getLoc(), remark::RemarkOpts::name("reuse").category("strategy"))
        << remark::metric("file", path) << remark::reason("{0}", what.str());
    return success();
  }

  LogicalResult compareRanks(const abi::StrategyFingerprint &wanted) {
    const abi::StrategyFingerprint &saved = strategy.fingerprint();
    isSameMesh = false;
    if (saved.device_num() != wanted.device_num())
      return report("expected " + Twine(saved.device_num()) +
                    " ranks, for which it was saved, got " + Twine(wanted.device_num()));
    std::string mesh = getMesh().str();
    int64_t numRanks = wanted.device_num() / numStages;
    if (getMesh().getNumRanks() != numRanks)
      return report("expected " + Twine(getMesh().getNumRanks()) +
                    " ranks in a pipeline stage, for which it was saved, got " + Twine(numRanks));
    isSameMesh = wanted.mesh().empty() || wanted.mesh() == saved.mesh() || wanted.mesh() == mesh;
    if (isSameMesh)
      return success();
    const std::string &named = saved.mesh().empty() ? mesh : saved.mesh();
    return report("expected mesh \"" + named + "\", for which it was saved, got \"" +
                  wanted.mesh() + "\"");
  }

  LogicalResult compareOptions(const abi::StrategyFingerprint &wanted) {
    if (strategy.fingerprint().options() == wanted.options())
      return success();
    return report("expected options \"" + strategy.fingerprint().options() + "\", got \"" +
                  wanted.options() + "\"");
  }

  LogicalResult compareParameters() {
    SymbolTable symbols(module);
    for (const abi::ParameterStrategy &saved : strategy.parameter()) {
      // Phase grad makes the copies of a parameter, so the model has only their owner.
      const std::string &name = saved.copy_of().empty() ? saved.name() : saved.copy_of();
      auto parameter = symbols.lookup<graph::ParameterOp>(name);
      if (!parameter && symbols.lookup(graph::getWholeName(name)))
        continue; // a part of a fused parameter, which phase graph splits
      if (!parameter) {
        if (failed(report("parameter \"" + Twine(name) + "\" is not in the model")))
          return failure();
        continue;
      }
      ArrayRef<int64_t> shape = parameter.getTensorType().getShape();
      if (!llvm::equal(shape, saved.shape()) &&
          failed(report("parameter \"" + Twine(name) + "\": expected shape " +
                        shapeText(saved.shape()) + ", got " + shapeText(shape))))
        return failure();
    }
    return success();
  }

  /// Names the first op of @forward that the model does not have. An op that a pass makes of
  /// several ops has the name of one of them.
  LogicalResult compareModel(const abi::StrategyFingerprint &wanted) {
    if (strategy.fingerprint().model() == wanted.model())
      return success();
    llvm::StringSet<> names;
    module.walk([&](Operation *op) {
      for (StringRef name : analysis::getNames(op))
        names.insert(name);
    });
    for (const abi::OpStrategy &op : strategy.op())
      if (op.section() == "forward" && !names.contains(op.name()))
        return report("op \"" + Twine(op.name()) + "\" is not in the model");
    return report(
        "the model differs from the one that was saved, in its ops, their names or their shapes");
  }

  dist::Mesh getMesh() const {
    SmallVector<dist::MeshAxis> axes;
    for (const abi::MeshAxis &axis : strategy.mesh().axes())
      axes.push_back({axis.name(), axis.size()});
    return dist::Mesh(axes);
  }

  void setMesh(abi::StrategyFingerprint &wanted) {
    if (wanted.mesh().empty())
      wanted.set_mesh(strategy.fingerprint().mesh());
    if (module->hasAttr(dist::meshAttrName))
      renameAxes(dist::getMesh(module));
    module->setAttr(dist::meshAttrName, dist::MeshAttr::get(module.getContext(), getMesh()));
  }

  /// Writes the user's constraints, which name axes of `given`, with those into which the file's
  /// mesh splits them.
  void renameAxes(const dist::Mesh &given) {
    const dist::Mesh mesh = getMesh();
    ArrayRef<dist::MeshAxis> axes = mesh.getAxes();
    llvm::StringMap<std::string> pieces;
    for (const dist::MeshAxis &axis : given.getAxes()) {
      int64_t size = 1;
      SmallVector<StringRef> names;
      while (!axes.empty() && (size < axis.size || axes.front().name == axis.name)) {
        size *= axes.front().size;
        names.push_back(axes.front().name);
        axes = axes.drop_front();
      }
      if (size != axis.size)
        return;
      pieces[axis.name] = names.empty() ? axis.name : llvm::join(names, ".");
    }
    for (Attribute &constraint : constraints) {
      NamedAttrList entries(cast<DictionaryAttr>(constraint));
      for (StringRef side : {"in", "out", "sharding"})
        if (auto text = dyn_cast_or_null<StringAttr>(entries.get(side)))
          entries.set(side,
                      StringAttr::get(module.getContext(), replaceNames(text.getValue(), pieces)));
      constraint = entries.getDictionary(module.getContext());
    }
  }

  /// Replaces the names in `text` that `pieces` has.
  static std::string replaceNames(StringRef text, const llvm::StringMap<std::string> &pieces) {
    auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    std::string replaced;
    while (!text.empty()) {
      StringRef name = text.take_while(isOfName);
      auto known = pieces.find(name);
      replaced += known == pieces.end() ? name.str() : known->second;
      text = text.drop_front(name.size());
      replaced += text.take_until(isOfName);
      text = text.drop_until(isOfName);
    }
    return replaced;
  }

  /// Returns whether `tensor` is a partial sum. Sets `cuts` to its sharding without the partial
  /// axes.
  bool isPartialSum(const abi::TensorStrategy &tensor, std::string &cuts) {
    analysis::ThreadDiagnostics quiet(module.getContext());
    FailureOr<Sharding> sharding = dist::parseSharding(tensor.sharding(), module.getContext());
    // The strategy pass rejects a sharding that cannot be parsed.
    cuts = succeeded(sharding) ? sharding->withoutPartial().str() : tensor.sharding();
    return succeeded(sharding) && sharding->isPartial();
  }

  /// Writes shardings by mesh axes on the file's own mesh, by counts on any other mesh.
  std::string toText(ArrayRef<const abi::TensorStrategy *> tensors) {
    auto hasAxes = [](const abi::TensorStrategy *tensor) { return !tensor->sharding().empty(); };
    bool byAxes = isSameMesh && llvm::all_of(tensors, hasAxes);
    std::string text, cuts;
    for (const abi::TensorStrategy *tensor : tensors) {
      (void)isPartialSum(*tensor, cuts);
      text += (text.empty() ? "" : ", ") + (byAxes ? cuts : tupleText(tensor->counts()));
    }
    return byAxes || tensors.empty() ? text : "(" + text + ")";
  }

  using Tensors = google::protobuf::RepeatedPtrField<abi::TensorStrategy>;
  std::string toText(const Tensors &tensors) {
    SmallVector<const abi::TensorStrategy *> list;
    for (const abi::TensorStrategy &tensor : tensors)
      list.push_back(&tensor);
    return toText(list);
  }

  void add(ArrayRef<std::pair<StringRef, std::string>> entries) {
    Builder builder(module.getContext());
    NamedAttrList constraint;
    for (const auto &[key, text] : entries)
      if (!text.empty())
        constraint.set(key, builder.getStringAttr(text));
    constraint.set("place", builder.getStringAttr(path));
    constraint.set("restored", builder.getUnitAttr());
    if (reusesPart)
      constraint.set("optional", builder.getUnitAttr());
    constraints.push_back(constraint.getDictionary(module.getContext()));
  }

  void addTensor(StringRef kind, StringRef name, const abi::TensorStrategy &tensor) {
    add({{kind, llvm::Regex::escape(name)}, {"sharding", toText({&tensor})}});
  }

  void addParameter(const abi::ParameterStrategy &parameter) {
    abi::TensorStrategy tensor;
    tensor.set_sharding(parameter.sharding());
    for (auto [size, slice] : llvm::zip(parameter.shape(), parameter.slice_shape()))
      tensor.add_counts(slice ? size / slice : 1);
    if (tensor.counts_size())
      addTensor("parameter", parameter.name(), tensor);
  }

  /// On the same mesh, an op takes exactly the partial sums that the file says, and others
  /// complete. On another mesh, an op that takes partial sums follows its operands.
  void addOp(const abi::OpStrategy &op) {
    std::string cuts, carried;
    bool takesSums = llvm::any_of(
        op.input(), [&](const abi::TensorStrategy &input) { return isPartialSum(input, cuts); });
    if (takesSums && !isSameMesh)
      return;
    bool hasAxes = llvm::all_of(
        op.input(), [](const abi::TensorStrategy &input) { return !input.sharding().empty(); });
    if (isSameMesh && hasAxes)
      carried = llvm::join(
          llvm::map_range(op.input(), [](auto &input) { return input.sharding(); }), ", ");
    add({{"op_exact", analysis::makeExactName(op.section(), op.name(), op.number())},
         {"in", toText(op.input())},
         {"out", toText(op.output())},
         {"carried", carried}});
  }

  ModuleOp module;
  const abi::Strategy &strategy;
  std::string path;
  int64_t numStages;
  bool reusesPart, isSameMesh = false;
  SmallVector<Attribute> constraints;
};

} // namespace

LogicalResult pcc::loadStrategy(ModuleOp module, const CompileOptions &options,
                                abi::StrategyFingerprint &fingerprint) {
  const abi::ParallelConfig &config = options.parallel;
  if (config.strategy_ckpt_load_file().empty())
    return options.strategy ? StrategyReader(module, *options.strategy, config).run(fingerprint)
                            : success();
  abi::Expected<abi::Strategy> strategy = abi::readStrategy(config.strategy_ckpt_load_file());
  if (!strategy)
    return module.emitError() << strategy.status().message();
  return StrategyReader(module, *strategy, config).run(fingerprint);
}
