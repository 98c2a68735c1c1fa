// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// onnx-graphs: makes random valid ONNX graphs of all operators that pcc imports, and judges them by
// the interpreter and the CPU. Prints a line with a reduced graph for each failure, then the
// counts.
#include "compiler/Register.h"
#include "mlir/IR/Dialect.h"
#include "test/fuzz/onnx/Entries.h"
#include "test/fuzz/onnx/Isolate.h"
#include "test/fuzz/onnx/Judge.h"
#include "test/fuzz/onnx/Reduce.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include <map>

using namespace pcc;
using namespace pcc::fuzz;
namespace cl = llvm::cl;

static cl::opt<uint64_t> firstSeed("first", cl::init(1), cl::desc("seed of the first graph"));
static cl::opt<uint64_t> oneSeed("seed", cl::desc("judge the graph of this seed alone"));
static cl::opt<int64_t> graphCount("count", cl::init(150), cl::desc("number of graphs"));
static cl::opt<unsigned> jobs("jobs", cl::init(1), cl::desc("processes at a time"));
static cl::opt<std::string> folder("write",
                                   cl::desc("write each graph and its data below this folder"));
static cl::opt<bool> reduces("reduce", cl::init(true), cl::desc("make graphs that fail smaller"));
static cl::opt<bool> printsGraphs("print", cl::desc("print each graph"));
static cl::opt<bool> printsTraining("training",
                                    cl::desc("print why graphs are not trained, with counts"));

static constexpr unsigned timeLimit = 120;

/// Makes a context without threads, because its process forks.
static std::unique_ptr<mlir::MLIRContext> makeContext() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static std::string folderOf(uint64_t seed) {
  return (folder.empty() ? "/tmp/onnx-graphs-" + std::to_string(getpid()) : folder.getValue()) +
         "/graph-" + std::to_string(seed);
}

/// Writes and judges one graph in this process.
static Verdict judgeHere(const Graph &graph, const std::string &path) {
  if (!writeGraph(graph, path))
    return {"write", "cannot write to '" + path + "'", ""};
  return judge(graph, path, *makeContext());
}

/// Judges a graph in a child process.
static Verdict judgeApart(const Graph &graph, const std::string &path) {
  Outcome outcome = runIsolated([&] { return judgeHere(graph, path).str(); }, timeLimit);
  return outcome.fault.empty() ? Verdict::parse(outcome.text) : Verdict{"crash", outcome.fault, ""};
}

static Graph make(uint64_t seed, std::string &error) {
  auto context = makeContext();
  return makeGraph(seed, *context, error);
}

/// Makes and judges the graph of `seed`.
static Verdict run(uint64_t seed, const std::string &path) {
  Outcome outcome = runIsolated(
      [&] {
        std::string error;
        Graph graph = make(seed, error);
        if (!error.empty())
          return Verdict{"import", error, ""}.str();
        if (printsGraphs)
          llvm::outs() << "seed " << seed << ": " << graph.str() << "\n";
        llvm::outs().flush();
        return judgeHere(graph, path).str();
      },
      timeLimit);
  return outcome.fault.empty() ? Verdict::parse(outcome.text) : Verdict{"crash", outcome.fault, ""};
}

/// Returns the text of the smallest graph found that fails in the same way, and writes the graph to
/// `path`.
static std::string reduce(uint64_t seed, const Verdict &verdict, const std::string &path) {
  Outcome outcome = runIsolated(
      [&] {
        std::string error;
        Graph graph = make(seed, error);
        if (!error.empty())
          return std::string();
        Graph small = reduceGraph(graph, [&](const Graph &candidate) {
          return judgeApart(candidate, path).way == verdict.way;
        });
        Verdict last = judgeApart(small, path);
        return small.str() + "\n  " + last.way + ": " + last.reason;
      },
      20 * timeLimit);
  return outcome.fault.empty() ? outcome.text : "not made smaller: " + outcome.fault;
}

/// Counts of one process: `passed`, `trained`, and untrained graphs by reason.
using Counts = std::map<std::string, int64_t>;

static void runSeed(uint64_t seed, Counts &counts) {
  std::string path = folderOf(seed);
  Verdict verdict = run(seed, path);
  ++counts[verdict.passed() ? "passed" : "failed"];
  if (!verdict.training.empty())
    ++counts[verdict.training == "trained" ? "trained" : "not trained: " + verdict.training];
  if (!verdict.passed()) {
    std::string text =
        "FAILED seed " + std::to_string(seed) + ": " + verdict.way + ": " + verdict.reason + "\n";
    if (reduces)
      text += "  smaller: " + reduce(seed, verdict, folderOf(seed) + "-small") + "\n";
    llvm::outs() << text;
    llvm::outs().flush();
  }
  if (folder.empty()) {
    llvm::sys::fs::remove_directories(folderOf(seed) + "-small");
    llvm::sys::fs::remove_directories(path);
  }
}

/// Runs every `jobs`-th seed from the `number`-th on; returns the counts as lines.
static std::string runShare(unsigned number, uint64_t first, int64_t count) {
  Counts counts;
  for (auto n = static_cast<int64_t>(number); n < count; n += jobs)
    runSeed(first + static_cast<uint64_t>(n), counts);
  if (folder.empty())
    llvm::sys::fs::remove_directories("/tmp/onnx-graphs-" + std::to_string(getpid()));
  std::string text;
  for (const auto &[name, value] : counts)
    text += std::to_string(value) + " " + name + "\n";
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "judges random ONNX graphs\n");
  bool isOne = oneSeed.getNumOccurrences() > 0;
  uint64_t first = isOne ? oneSeed : firstSeed;
  int64_t count = isOne ? 1 : graphCount.getValue();
  Counts totals;
  bool isComplete = true;
  for (const Outcome &outcome :
       runTogether(jobs, [&](unsigned number) { return runShare(number, first, count); })) {
    isComplete &= outcome.fault.empty();
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(outcome.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines) {
      auto [number, name] = line.split(' ');
      totals[name.str()] += std::stoll(number.str());
    }
  }
  if (printsTraining)
    for (const auto &[name, value] : totals)
      if (llvm::StringRef(name).starts_with("not trained"))
        llvm::outs() << value << " " << name << "\n";
  llvm::outs() << totals["passed"] << " of " << count << " graphs agree, " << totals["trained"]
               << " trained, seeds from " << first << "\n";
  return isComplete && totals["passed"] == count ? 0 : 1;
}
