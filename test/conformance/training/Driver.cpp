// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Driver.h"

#include "compiler/Register.h"
#include "mlir/IR/Dialect.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace pcc::conformance {
namespace cl = llvm::cl;

static cl::list<std::string> files(cl::Positional, cl::desc("FILE…"), cl::OneOrMore);
static cl::opt<bool> listAll("all", cl::desc("print the cases that are the same as well"));
static cl::list<std::string> onlyKinds("kind", cl::desc("judge these kinds alone"));

namespace {
struct Count {
  int64_t same = 0, differs = 0, failed = 0, notJudged = 0;
};
} // namespace

static void judge(const Case &question, llvm::ArrayRef<Kind> kinds, mlir::MLIRContext &context,
                  Count &count) {
  if (!onlyKinds.empty() && !llvm::is_contained(onlyKinds, question.kind)) {
    ++count.notJudged;
    return;
  }
  const Kind *kind = llvm::find_if(kinds, [&](const Kind &k) { return k.name == question.kind; });
  if (kind == kinds.end()) {
    ++count.notJudged;
    return;
  }
  Judgement judgement = kind->judge(question, context);
  switch (judgement.verdict) {
  case Verdict::Same:
    ++count.same;
    if (listAll)
      llvm::outs() << "same " << question.id << ": " << judgement.text << "\n";
    return;
  case Verdict::Differs:
    ++count.differs;
    llvm::outs() << "differs " << question.id << ": " << judgement.text << "\n";
    return;
  case Verdict::Failed:
    ++count.failed;
    llvm::outs() << "FAILED " << question.id << ": " << judgement.text << "\n";
    return;
  case Verdict::Skipped:
    ++count.notJudged;
    llvm::outs() << "skipped " << question.id << ": " << judgement.text << "\n";
    return;
  }
}

/// Judges the cases of one file; returns false if it cannot be read.
static bool judgeFile(llvm::StringRef path, llvm::ArrayRef<Kind> kinds, mlir::MLIRContext &context,
                      std::map<std::string, Count> &counts) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << path << ": " << buffer.getError().message() << "\n";
    return false;
  }
  llvm::Expected<llvm::json::Value> cases = llvm::json::parse((*buffer)->getBuffer());
  if (!cases || !cases->getAsArray()) {
    llvm::errs() << path << ": expected an array of cases"
                 << (cases ? std::string() : ", " + llvm::toString(cases.takeError())) << "\n";
    return false;
  }
  for (const llvm::json::Value &value : *cases->getAsArray()) {
    llvm::Expected<Case> question = Case::read(value);
    if (!question) {
      llvm::errs() << path << ": " << llvm::toString(question.takeError()) << "\n";
      return false;
    }
    judge(*question, kinds, context, counts[question->kind]);
  }
  return true;
}

int judgeCases(int argc, char **argv, llvm::StringRef overview, llvm::ArrayRef<Kind> kinds) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, overview);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::map<std::string, Count> counts;
  for (const std::string &file : files)
    if (!judgeFile(file, kinds, context, counts))
      return 1;
  int64_t failed = 0;
  for (const auto &[kind, count] : counts) {
    llvm::outs() << kind << ": " << count.same << " same, " << count.differs
                 << " differ on purpose, " << count.failed << " failed";
    if (count.notJudged)
      llvm::outs() << ", " << count.notJudged << " not judged";
    llvm::outs() << "\n";
    failed += count.failed;
  }
  return failed == 0 ? 0 : 1;
}

} // namespace pcc::conformance
