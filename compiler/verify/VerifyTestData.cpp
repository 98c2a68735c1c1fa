// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/verify/VerifyTestData.h"

#include "compiler/import/TestData.h"
#include "compiler/import/files/Locations.h"
#include "compiler/interpret/function/Run.h"
#include "compiler/interpret/training/Inputs.h"
#include "compiler/search/CompileProgram.h"
#include "compiler/verify/RuntimeTensors.h"
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

/// Returns whether the two are as close as ONNX requires; raises `error` to their difference.
bool isNear(double expected, double actual, double &error) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual)))
    return true;
  double difference = std::fabs(expected - actual);
  error = std::max(error, difference);
  return difference <= testAbsolute + testRelative * std::fabs(expected);
}

interpret::Case compareOutput(const llvm::Twine &name, const values::Tensor &expected,
                              const values::Tensor &actual) {
  interpret::Case result{name.str(), CaseStatus::Passed, "", 0.0, testRelative};
  if (expected.typeString() != actual.typeString()) {
    result.status = CaseStatus::Failed;
    result.reason = "expected " + expected.typeString() + ", got " + actual.typeString();
    return result;
  }
  for (int64_t n = 0; n < expected.size(); ++n) {
    if (isNear(expected.asDouble(n), actual.asDouble(n), result.maxError))
      continue;
    result.status = CaseStatus::Failed;
    llvm::raw_string_ostream(result.reason)
        << "element " << n
        << llvm::format(": expected %.9g, got %.9g", expected.asDouble(n), actual.asDouble(n));
    break;
  }
  return result;
}

/// One data set, run in the interpreter and on the CPU.
class DataSet {
public:
  DataSet(mlir::MLIRContext &context, llvm::StringRef model, std::string name,
          const CompileOptions &options)
      : context(context), model(model), name(std::move(name)), options(options) {}

  Report verify(llvm::StringRef folder);

private:
  void runInterpreter(mlir::ModuleOp module);
  void runCpu(mlir::ModuleOp module);
  void compare(llvm::StringRef way, const NamedTensors &actual);
  void add(Report other) { report.append(std::move(other)); }

  mlir::MLIRContext &context;
  llvm::StringRef model;
  std::string name;
  const CompileOptions &options;
  import::TestData data;
  NamedTensors arguments;
  Report report;
};

void DataSet::compare(llvm::StringRef way, const NamedTensors &actual) {
  for (const NamedConstant &output : data.outputs) {
    auto value = actual.find(interpret::bindingKey(graph::RoleKind::Output, output.name));
    std::string what = name + way.str() + ": output " + output.name;
    if (value == actual.end())
      add(single(what, CaseStatus::Failed, "is missing"));
    else
      report.cases.push_back(
          compareOutput(what, import::listElements(output.value), value->second));
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
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    FirstError error(&context);
    auto read = import::readTestData(model, folder, context);
    if (!read)
      return single(name + "data", CaseStatus::Skipped, error.str());
    data = std::move(*read);
    std::set<std::string> known;
    module = import::importForData(model, data, context, known);
    if (!module)
      return single(name + "import", CaseStatus::Skipped, error.str());
    auto made = interpret::forwardArguments(*module, import::listInputs(data, known));
    if (mlir::failed(made))
      return single(name + "arguments", CaseStatus::Skipped, error.str());
    arguments = std::move(*made);
  }
  runInterpreter(*module);
  runCpu(*module);
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
                                   llvm::StringRef folder, const CompileOptions &options) {
  Report report;
  for (const auto &[name, path] : listSets(folder))
    report.append(DataSet(context, model, name, options).verify(path));
  return report;
}
