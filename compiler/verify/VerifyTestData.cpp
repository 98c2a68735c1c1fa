// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the model again for each data set, because its inputs may have to become constants.
// Outputs are compared with the stored tolerance first; the rounding bound takes several runs, so
// only outputs that differ more need it.
#include "compiler/verify/VerifyModel.h"

#include "compiler/import/TestData.h"
#include "compiler/import/files/Locations.h"
#include "compiler/interpret/compare/Bounds.h"
#include "compiler/interpret/function/Run.h"
#include "compiler/interpret/training/Inputs.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/RuntimeTensors.h"
#include "runtime/abi/CompareNumbers.h"
#include "runtime/execute/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace pcc;
using namespace pcc::verify;
using import::FirstError;
using import::NamedConstant;
using interpret::CaseStatus;
using interpret::NamedTensors;
using interpret::Report;

namespace {

Report single(const llvm::Twine &name, CaseStatus status, std::string reason) {
  return {{{name.str(), status, std::move(reason)}}};
}

/// Compares an output with the stored one. An element may differ by `tolerance` or by `bound`.
interpret::Case compareOutput(const llvm::Twine &name, const values::Tensor &expected,
                              const values::Tensor &actual, const StoredTolerance &tolerance,
                              double bound) {
  interpret::Case result{name.str(), CaseStatus::Passed, "", 0.0, tolerance.relative};
  if (expected.typeString() != actual.typeString()) {
    result.status = CaseStatus::Failed;
    result.reason = "expected " + expected.typeString() + ", got " + actual.typeString();
    return result;
  }
  for (int64_t n = 0; n < expected.size(); ++n) {
    double a = expected.asDouble(n), b = actual.asDouble(n), difference = std::fabs(a - b);
    if (expected.isFloat() ? abi::isSameNumber(a, b) : expected[n].i == actual[n].i)
      continue;
    result.maxError = std::max(result.maxError, difference);
    if (difference <= std::max(bound, tolerance.absolute + tolerance.relative * std::fabs(a)))
      continue;
    result.status = CaseStatus::Failed;
    llvm::raw_string_ostream(result.reason)
        << "element " << n << llvm::format(": expected %.9g, got %.9g", a, b);
    break;
  }
  return result;
}

/// Returns the type of an output that the program does not compute, as it has no elements; null
/// for other outputs.
mlir::Type emptyOutputType(mlir::ModuleOp module, llvm::StringRef output) {
  auto types = module->getAttrOfType<mlir::DictionaryAttr>(import::emptyOutputsAttrName);
  auto type = types ? types.getAs<mlir::TypeAttr>(output) : mlir::TypeAttr();
  return type ? type.getValue() : mlir::Type();
}

/// One data set, run in the interpreter and on the CPU.
class DataSet {
public:
  DataSet(mlir::MLIRContext &context, llvm::StringRef model, std::string name,
          const CompileOptions &options, const StoredTolerance &tolerance,
          const import::ImportOptions &importOptions)
      : context(context), model(model), name(std::move(name)), options(options),
        tolerance(tolerance), importOptions(importOptions) {}

  Report verify(llvm::StringRef folder);

private:
  void runInterpreter(mlir::ModuleOp module);
  void runCpu(mlir::ModuleOp module);
  void compare(llvm::StringRef way, const NamedTensors &actual);
  double findBound(const std::string &key);
  void add(Report other) { report.append(std::move(other)); }

  mlir::MLIRContext &context;
  llvm::StringRef model;
  std::string name;
  const CompileOptions &options;
  const StoredTolerance &tolerance;
  const import::ImportOptions &importOptions;
  import::TestData data;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  NamedTensors arguments;
  std::optional<interpret::Bounds> bounds; ///< of the outputs, once one is needed
  Report report;
};

/// Returns the rounding bound of an output; 0 if it cannot be computed. The runs that measure it
/// take time, so they wait until an output differs by more than the tolerance.
double DataSet::findBound(const std::string &key) {
  if (!bounds) {
    FirstError ignored(&context);
    auto reference = interpret::makeReference(*module, "forward", arguments);
    bounds = mlir::succeeded(reference)
                 ? interpret::boundsOf(*reference, interpret::compiledFactor(*module))
                 : interpret::Bounds();
  }
  auto bound = bounds->find(key);
  return bound == bounds->end() ? 0.0 : bound->second.tolerance;
}

void DataSet::compare(llvm::StringRef way, const NamedTensors &actual) {
  for (const NamedConstant &output : data.outputs) {
    std::string key = interpret::bindingKey(graph::RoleKind::Output, output.name);
    auto value = actual.find(key);
    std::string what = name + way.str() + ": output " + output.name;
    if (mlir::Type type = emptyOutputType(*module, output.name)) {
      bool isEqual = type == output.value.type;
      std::string text;
      llvm::raw_string_ostream(text) << "expected " << output.value.type << ", got " << type;
      add(single(what, isEqual ? CaseStatus::Passed : CaseStatus::Failed, isEqual ? "" : text));
      continue;
    }
    if (value == actual.end()) {
      add(single(what, CaseStatus::Failed, "is missing"));
      continue;
    }
    values::Tensor expected = import::listElements(output.value);
    interpret::Case result = compareOutput(what, expected, value->second, tolerance, 0.0);
    if (result.status == CaseStatus::Failed && tolerance.allowsRounding)
      result = compareOutput(what, expected, value->second, tolerance, findBound(key));
    report.cases.push_back(std::move(result));
  }
}

void DataSet::runInterpreter(mlir::ModuleOp module) {
  FirstError error(&context);
  auto results = interpret::runFunction(module, "forward", arguments);
  if (mlir::failed(results))
    return add(single(name + "interpreter", CaseStatus::Failed, error.str()));
  compare("interpreter", *results);
}

void DataSet::runCpu(mlir::ModuleOp module) {
  FirstError error(&context);
  auto fail = [&](const std::string &reason) {
    add(single(name + "cpu", CaseStatus::Failed, reason));
  };
  mlir::FailureOr<abi::Executable> program = compile(module, options);
  if (mlir::failed(program))
    return fail(error.str());
  auto session = runtime::Session::load(std::move(*program), {});
  if (!session)
    return fail(session.status().describe());
  auto outputs = (*session)->runForward(withoutPrefix(arguments, "input "));
  if (!outputs)
    return fail(outputs.status().describe());
  NamedTensors actual;
  for (const auto &[output, value] : *outputs)
    actual[interpret::bindingKey(graph::RoleKind::Output, output)] = toInterpreter(value);
  compare("cpu", actual);
}

Report DataSet::verify(llvm::StringRef folder) {
  {
    FirstError error(&context);
    auto read = import::readTestData(model, folder, context);
    if (!read)
      return single(name + "data", CaseStatus::Skipped, error.str());
    data = std::move(*read);
    std::set<std::string> known;
    module = import::importForData(model, data, context, known, importOptions);
    if (!module)
      return single(name + "import", CaseStatus::Skipped, error.str());
    auto made = interpret::forwardArguments(*module, import::listInputs(data, known));
    if (mlir::failed(made))
      return single(name + "arguments", CaseStatus::Skipped, error.str());
    arguments = std::move(*made);
  }
  runInterpreter(*module);
  mlir::OwningOpRef<mlir::ModuleOp> compiled(module->clone()); // the bounds need the model
  runCpu(*compiled);
  return std::move(report);
}

/// Lists the data sets in `folder` by the prefix of their cases: the folder itself, or its
/// subfolders.
std::map<std::string, std::string> listSets(llvm::StringRef folder) {
  std::map<std::string, std::string> sets;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.starts_with("test_data_set_"))
      sets[(name + ": ").str()] = it->path();
  }
  if (sets.empty())
    sets[""] = folder.str();
  return sets;
}

} // namespace

Report pcc::verify::verifyTestData(mlir::MLIRContext &context, llvm::StringRef model,
                                   llvm::StringRef folder, const CompileOptions &options,
                                   const StoredTolerance &tolerance,
                                   const import::ImportOptions &importOptions) {
  Report report;
  for (const auto &[name, path] : listSets(folder))
    report.append(DataSet(context, model, name, options, tolerance, importOptions).verify(path));
  return report;
}
