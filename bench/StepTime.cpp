// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times a training step of the example's network, 784-512-512-10, on 1 and 8 ranks with batches of
// 32 and 4096. Also times what the machine could do: the same matmuls alone by oneDNN's sgemm, and
// a plain copy.
//   step-time [--quick] [--json]

#include "compiler/Register.h"
#include "compiler/import/Import.h"
#include "compiler/search/CompileProgram.h"
#include "runtime/execute/Train.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <oneapi/dnnl/dnnl.h>
#include <thread>

using namespace pcc;
namespace cl = llvm::cl;

namespace {

cl::opt<bool> quick("quick", cl::desc("a tenth of the steps"));
cl::opt<bool> json("json", cl::desc("print rows of JSON"));

// The limits of this machine, measured in the same process. Both are the fastest of repeated calls:
// at least three, for about a second (matmuls) or half a second (copies).

/// One matmul: c[m, n] = a[m, k] · b[k, n].
struct Matmul {
  int64_t m, n, k;
};

using Clock = std::chrono::steady_clock;

/// Returns the least seconds of `work`, called for about `budget` seconds but at least three times.
template <typename Work> double fastest(double budget, Work work) {
  double best = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int call = 0; call < 3 || spent < budget; ++call) {
    Clock::time_point start = Clock::now();
    work();
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

/// Returns the fastest seconds for all matmuls, one after the other, by oneDNN's sgemm on all
/// cores, untransposed: the limit for a program with the same matmuls.
double sgemmSeconds(llvm::ArrayRef<Matmul> matmuls) {
  int64_t most = 0;
  for (const Matmul &p : matmuls)
    most = std::max({most, p.m * p.k, p.k * p.n, p.m * p.n});
  std::vector<float> a(most, 0.5f), b(most, 0.25f), c(most);
  return fastest(1.0, [&] {
    for (const Matmul &p : matmuls)
      dnnl_sgemm('N', 'N', p.m, p.n, p.k, 1.0f, a.data(), p.k, b.data(), p.n, 0.0f, c.data(), p.n);
  });
}

/// Returns the bytes per second of the fastest copy of one large array to another (read plus
/// written), as STREAM counts them. The copy moves 256 MiB, divided evenly among one thread per
/// hardware thread; starting the threads is part of the time.
double copyBytesPerSecond() {
  constexpr size_t bytes = size_t(256) << 20;
  std::vector<char> source(bytes, 1), target(bytes, 2);
  size_t threadCount = std::max(1u, std::thread::hardware_concurrency());
  double seconds = fastest(0.5, [&] {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < threadCount; ++i)
      threads.emplace_back([&, i] {
        size_t begin = bytes * i / threadCount, end = bytes * (i + 1) / threadCount;
        std::memcpy(target.data() + begin, source.data() + begin, end - begin);
      });
  });
  return 2.0 * double(bytes) / seconds;
}

constexpr int64_t widths[] = {784, 512, 512, 10};

/// One line of the table.
struct Row {
  std::string who;
  int64_t devices = 1, batch = 0;
  double medianMs = 0, minMs = 0;
  std::optional<double> compileSeconds;
};

/// Returns every matmul of a step: forward and both gradients, but no gradient of the images.
std::vector<Matmul> matmulsOf(int64_t batch) {
  std::vector<Matmul> matmuls;
  for (size_t i = 0; i + 1 < std::size(widths); ++i) {
    matmuls.push_back({batch, widths[i + 1], widths[i]});
    matmuls.push_back({widths[i], widths[i + 1], batch});
    if (i > 0)
      matmuls.push_back({batch, widths[i], widths[i + 1]});
  }
  return matmuls;
}

CompileOptions optionsFor(int64_t ranks) {
  CompileOptions options;
  options.training.loss = "softmax_cross_entropy";
  options.training.optimizer = "sgd,lr=0.01";
  options.parallel.set_device_num(static_cast<int32_t>(ranks));
  options.parallel.set_parallel_mode(ranks > 1 ? abi::DATA_PARALLEL : abi::STAND_ALONE);
  options.parallel.set_gradients_mean(true);
  options.parallel.set_micro_batches(1);
  options.parallel.set_interleave_num(1);
  return options;
}

mlir::FailureOr<abi::Executable> compileModel(int64_t batch, int64_t ranks) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  import::ImportOptions importOptions;
  importOptions.dims["B"] = batch;
  auto module = import::importModel(PCC_BENCH_MODEL, importOptions, context);
  if (!module)
    return mlir::failure();
  return compile(*module, optionsFor(ranks));
}

runtime::Expected<Row> measure(int64_t batch, int64_t ranks) {
  auto start = std::chrono::steady_clock::now();
  auto program = compileModel(batch, ranks);
  if (mlir::failed(program))
    return runtime::Status::badInput("the model does not compile");
  double compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  auto session = runtime::Session::load(std::move(*program), {.seed = 1});
  if (!session)
    return session.status();
  // The peers take as many steps (bench/peers/common.py): a minimum falls with their number.
  int64_t all = batch < 1000 ? 400 : 40, steps = quick ? std::max<int64_t>(all / 10, 5) : all;
  auto data = runtime::makeSyntheticDataset((*session)->program(), 4 * batch, 1);
  auto report = runtime::train(**session, data, {.steps = steps});
  if (!report)
    return report.status();
  return Row{"pcc",
             ranks,
             batch,
             1e3 * report->step_seconds().median(),
             1e3 * report->step_seconds().min(),
             compileSeconds};
}

void print(llvm::ArrayRef<Row> rows) {
  if (json) {
    llvm::json::Array array;
    for (const Row &row : rows) {
      llvm::json::Object object{{"who", row.who},
                                {"devices", row.devices},
                                {"batch", row.batch},
                                {"median_ms", row.medianMs},
                                {"min_ms", row.minMs}};
      if (row.compileSeconds)
        object["compile_s"] = *row.compileSeconds;
      array.push_back(std::move(object));
    }
    llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array)));
    return;
  }
  for (const Row &row : rows)
    llvm::outs() << llvm::formatv(
        "{0,-20} {1} ranks, batch {2,4}: {3,9:f3} ms a step, fastest {4,9:f3}{5}\n", row.who,
        row.devices, row.batch, row.medianMs, row.minMs,
        row.compileSeconds ? llvm::formatv(", compiled in {0:f2} s", *row.compileSeconds).str()
                           : "");
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "times a training step\n");
  std::vector<Row> rows;
  for (int64_t batch : {32, 4096}) {
    for (int64_t ranks : {1, 8}) {
      auto row = measure(batch, ranks);
      if (!row) {
        llvm::errs() << "step-time: " << row.status().describe() << "\n";
        return 1;
      }
      rows.push_back(*row);
    }
    double seconds = sgemmSeconds(matmulsOf(batch));
    rows.push_back({"oneDNN sgemm alone", 1, batch, 1e3 * seconds, 1e3 * seconds, std::nullopt});
  }
  print(rows);
  llvm::errs() << llvm::formatv("copy: {0:f1} GB/s\n", copyBytesPerSecond() / 1e9);
  return 0;
}
