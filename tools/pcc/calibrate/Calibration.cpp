// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes small programs as text for each kind of work and times them in several sizes. Fits a line
// or a matmul model to the times (runtime/machine). A line gives a rate and a start-up time. Only
// f32 is measured, except matmuls on GPUs.
#include "tools/pcc/calibrate/Calibration.h"

#include "runtime/device/cuda/driver/Gpu.h"
#include "runtime/machine/BuiltIn.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/Fit.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir;

namespace pcc::cli {
namespace {

/// Builds `count` matmuls of one shape, each on its own matrices: as in a step, little of a
/// matmul's data is still in a core's cache. There are at most 16 matmuls, with at most 32 MiB if
/// several.
TimedProgram makeMatmuls(const machine::MatmulSize &matmul, StringRef type, int &count) {
  auto matrix = [&](double rows, double columns) {
    return llvm::formatv("tensor<{0}x{1}x{2}>", int64_t(rows), int64_t(columns), type).str();
  };
  double bytes = 4 * (matmul.rows * matmul.depth + matmul.depth * matmul.columns +
                      matmul.rows * matmul.columns);
  count = int(std::clamp(double(1 << 25) / bytes, 1.0, 16.0));
  std::string lhs = matrix(matmul.rows, matmul.depth), rhs = matrix(matmul.depth, matmul.columns);
  TimedProgram program;
  for (int i = 0; i < count; ++i) {
    program.arguments.insert(program.arguments.end(), {lhs, rhs});
    program.ops += llvm::formatv("%y{0} = graph.matmul %{1}, %{2} : {3}, {4}\n", i, 2 * i,
                                 2 * i + 1, lhs, rhs);
    program.results.push_back(matrix(matmul.rows, matmul.columns));
  }
  return program;
}

/// Chooses the sizes of the programs, in elements: `host`, or the larger `gpu`, because a GPU has
/// more to keep busy. With `quick`, only the smallest and largest of `host`.
std::vector<int64_t> sizesFor(const RunTimer &timer, bool quick, ArrayRef<int64_t> host,
                              ArrayRef<int64_t> gpu) {
  if (quick)
    return {host.front(), host.back()};
  return (timer.isGpu() ? gpu : host).vec();
}

/// Measures matmuls of an element type, from small ones to some that no cache holds; with `quick`
/// only few and small ones.
FailureOr<machine::MatmulFit> measureMatmuls(RunTimer &timer, StringRef type, bool quick) {
  std::vector<double> sizes = quick           ? std::vector<double>{16, 96}
                              : timer.isGpu() ? std::vector<double>{128, 1024, 4096}
                                              : std::vector<double>{16, 128, 1024};
  std::vector<machine::MatmulTime> times;
  std::vector<TimedProgram> programs;
  std::vector<int> counts;
  for (double rows : sizes)
    for (double columns : sizes)
      for (double depth : sizes) {
        times.push_back({{1, rows, columns, depth}, 0});
        programs.push_back(makeMatmuls(times.back().matmul, type, counts.emplace_back()));
      }
  FailureOr<std::vector<double>> seconds = timer.timeInTurns(programs, timer.getRounds());
  if (failed(seconds))
    return failure();
  for (auto [time, own, count] : llvm::zip_equal(times, *seconds, counts))
    time.seconds = own / count;
  return machine::fitMatmuls(times);
}

/// Times `ops` on one tensor for each number of elements, and fits a line through the amounts that
/// `amountOf` counts.
FailureOr<machine::LineFit> fitOver(RunTimer &timer, ArrayRef<int64_t> elements, int arguments,
                                    function_ref<std::string(int64_t elements, StringRef type)> ops,
                                    function_ref<std::string(int64_t elements)> result,
                                    function_ref<double(int64_t elements)> amountOf) {
  std::vector<TimedProgram> programs;
  for (int64_t count : elements) {
    std::string type = llvm::formatv("tensor<{0}xf32>", count);
    programs.push_back(
        {std::vector<std::string>(arguments, type), ops(count, type), {result(count)}});
  }
  FailureOr<std::vector<double>> seconds = timer.timeInTurns(programs, timer.getRounds());
  if (failed(seconds))
    return failure();
  std::vector<machine::AmountTime> times;
  for (auto [count, own] : llvm::zip_equal(elements, *seconds))
    times.push_back({amountOf(count), own});
  return machine::fitLine(times);
}

std::string vectorType(int64_t elements) { return llvm::formatv("tensor<{0}xf32>", elements); }

/// Measures elementwise operations in cache, every fourth a tanh: flops per second, and the launch
/// time.
FailureOr<machine::LineFit> measureElements(RunTimer &timer, bool quick) {
  constexpr int repeats = 4, perRepeat = 4;
  auto ops = [](int64_t, StringRef type) {
    std::string text, last = "0";
    for (int i = 0; i < repeats; ++i) {
      std::string next = i + 1 == repeats ? "y0" : llvm::formatv("d{0}", i).str();
      text += llvm::formatv("%a{0} = graph.mul %{1}, %1 : {2}\n%b{0} = graph.add %a{0}, %1 : {2}\n"
                            "%c{0} = graph.tanh %b{0} : {2}\n%{3} = graph.add %c{0}, %1 : {2}\n",
                            i, last, type, next);
      last = next;
    }
    return text;
  };
  std::vector<int64_t> sizes =
      sizesFor(timer, quick, {256, 1024, 4096, 16384}, {1 << 16, 1 << 18, 1 << 20, 1 << 22});
  return fitOver(timer, sizes, 2, ops, vectorType,
                 [](int64_t elements) { return double(elements * repeats * perRepeat); });
}

/// Width of the rows that are summed.
constexpr int64_t width = 256;

/// Measures sums of rows in cache: flops per second.
FailureOr<machine::LineFit> measureSums(RunTimer &timer, bool quick) {
  auto ops = [](int64_t elements, StringRef type) {
    return llvm::formatv("%m = graph.reshape %0 : {0} to tensor<{1}x{2}xf32>\n"
                         "%y0 = graph.reduce sum %m, [1] : tensor<{1}x{2}xf32>",
                         type, elements / width, width)
        .str();
  };
  std::vector<int64_t> sizes =
      sizesFor(timer, quick, {1024, 4096, 16384, 65536}, {1 << 16, 1 << 18, 1 << 20, 1 << 22});
  return fitOver(
      timer, sizes, 1, ops, [](int64_t elements) { return vectorType(elements / width); },
      [](int64_t elements) { return double(elements); });
}

/// Measures sums of two arrays that no cache holds: bytes per second, read and written.
FailureOr<machine::LineFit> measureMemory(RunTimer &timer, bool quick) {
  auto ops = [](int64_t, StringRef type) {
    return llvm::formatv("%y0 = graph.add %0, %1 : {0}", type).str();
  };
  std::vector<int64_t> sizes =
      sizesFor(timer, quick, {1 << 21, 1 << 22, 1 << 23}, {1 << 24, 1 << 25, 1 << 26});
  return fitOver(timer, sizes, 2, ops, vectorType,
                 [](int64_t elements) { return 12.0 * double(elements); });
}

/// Builds an all-reduce. On a GPU it follows a matmul that takes longer than the host needs to
/// start it.
TimedProgram makeAllReduce(const RunTimer &timer, bool quick, int64_t elements) {
  std::string vector = vectorType(elements);
  std::string collective = llvm::formatv("%y0 = dist.all_reduce sum %0 : {0}\n", vector);
  if (!timer.isGpu())
    return {{vector}, collective, {vector}};
  std::string matrix = llvm::formatv("tensor<{0}x{0}xf32>", quick ? 128 : 2048);
  return {{vector, matrix, matrix},
          llvm::formatv("%y1 = graph.matmul %1, %2 : {0}, {0}\n", matrix).str() + collective,
          {vector, matrix},
          /*isConcurrent=*/false,
          /*timesCollective=*/true};
}

/// Measures all-reduces over all ranks, at least two: bytes of one rank's operand per second.
FailureOr<machine::LineFit> measureAllReduce(RunTimer &timer, bool quick) {
  std::vector<int64_t> sizes = {256, 16384, 1 << 18};
  if (!quick && timer.isGpu())
    sizes = {256, 16384, 1 << 20, 1 << 23, 1 << 26};
  else if (!quick)
    sizes.insert(sizes.end(), {1 << 20, 1 << 22});
  std::vector<TimedProgram> programs;
  for (int64_t elements : sizes)
    programs.push_back(makeAllReduce(timer, quick, elements));
  FailureOr<std::vector<double>> seconds = timer.timeInTurns(programs, timer.getRounds());
  if (failed(seconds))
    return failure();
  std::vector<machine::AmountTime> times;
  for (auto [elements, own] : llvm::zip_equal(sizes, *seconds))
    times.push_back({4.0 * double(elements), own});
  return machine::fitLine(times);
}

/// Measures how much an all-reduce slows down a concurrent matmul, as a share of the time in which
/// both run. The share is 0 if both take no longer than the longer one alone, and 1 if they take as
/// long as one after the other. Noise may put it outside this range. The all-reduce takes half as
/// long as the matmul, by the rate in `allReduce`.
FailureOr<double> measureShare(RunTimer &timer, const machine::LineFit &allReduce, bool quick) {
  int64_t side = quick ? 512 : timer.isGpu() ? 4096 : 1024;
  std::string matrix = llvm::formatv("tensor<{0}x{0}xf32>", side);
  std::string matmul = llvm::formatv("graph.matmul %0, %1 : {0}, {0}\n", matrix);
  TimedProgram computes{{matrix, matrix}, "%y0 = " + matmul, {matrix}};
  FailureOr<double> seconds = timer.time(computes);
  if (failed(seconds))
    return failure();
  double bytes = (*seconds / 2 - allReduce.start) * allReduce.rate;
  std::string vector = vectorType(int64_t(std::clamp(bytes, 1e3, timer.isGpu() ? 1e8 : 1e7)) / 4);
  std::string collective = llvm::formatv("dist.all_reduce sum %2 : {0}\n", vector);
  std::vector<std::string> arguments = {matrix, matrix, vector};
  TimedProgram moves{arguments, "%y0 = " + collective, {vector}};
  TimedProgram both{arguments,
                    "%y0 = " + collective + "%y1 = " + matmul,
                    {vector, matrix},
                    /*isConcurrent=*/true};
  auto times = timer.timeInTurns({computes, moves, both}, 3 * timer.getRounds());
  if (failed(times))
    return failure();
  double computing = (*times)[0], moving = (*times)[1], together = (*times)[2];
  return 1 - (computing + moving - together) / std::min(computing, moving);
}

abi::Figure measured(double value) { return machine::makeFigure(value, abi::MEASURED); }

double physicalBytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class Calibration {
public:
  Calibration(RunTimer &timer, bool quick) : timer(timer), quick(quick) {}

  FailureOr<abi::Cluster> run() {
    abi::Cluster cluster;
    if (timer.isGpu() && failed(findGpu()))
      return failure();
    cluster.set_form(std::to_string(timer.getRanks()) + "x" + deviceName);
    if (failed(measureDevice(*cluster.mutable_device())) ||
        (timer.getRanks() > 1 && failed(measureCollectives(cluster))))
      return failure();
    return cluster;
  }

private:
  /// Finds the device to measure. A GPU that pcc knows by name gets that name, and so its built-in
  /// figures where nothing is measured.
  LogicalResult findGpu() {
    const auto &driver = runtime::cuda::Driver::get();
    auto facts = driver ? runtime::cuda::propertiesOf(*driver, 0) : driver.status();
    if (!facts) {
      fail(Unavailable, facts.status().describe());
      return failure();
    }
    memoryBytes = double(facts->bytes);
    for (const machine::BuiltInDevice &device : machine::builtInDevices())
      if (llvm::StringRef(facts->name).contains(device.name))
        deviceName = device.name;
    return success();
  }

  /// Measures matmuls of each type that the device is used with. The last type also gives the
  /// losses of small matmuls.
  LogicalResult measureMatmulsOf(abi::DeviceFigures &device) {
    using Types = std::vector<std::pair<llvm::StringRef, abi::ElementType>>;
    Types types = timer.isGpu() ? Types{{"f32", abi::F32}, {"f16", abi::F16}, {"bf16", abi::BF16}}
                                : Types{{"f32", abi::F32}};
    for (auto [name, type] : types) {
      auto matmuls = measureMatmuls(timer, name, quick);
      if (failed(matmuls))
        return failure();
      report(types.size() == 1 ? "matmuls" : ("matmuls " + name).str(),
             matmuls->flopsPerSecond / 1e9, "Gflop/s", matmuls->residual);
      addRate(device, abi::CONTRACTION, type, matmuls->flopsPerSecond);
      device.clear_matmul();
      addLosses(*matmuls, *device.mutable_matmul());
    }
    return success();
  }

  static void addLosses(const machine::MatmulFit &fit, abi::MatmulFigures &matmul) {
    auto set = [](abi::Figure *figure, double value) { *figure = measured(value); };
    if (fit.lostRows > 0)
      set(matmul.mutable_lost_rows(), fit.lostRows);
    if (fit.lostColumns > 0)
      set(matmul.mutable_lost_columns(), fit.lostColumns);
    if (fit.lostDepth > 0)
      set(matmul.mutable_lost_depth(), fit.lostDepth);
  }

  LogicalResult measureDevice(abi::DeviceFigures &device) {
    LogicalResult matmuls = measureMatmulsOf(device);
    auto elements = measureElements(timer, quick);
    auto sums = measureSums(timer, quick);
    auto memory = measureMemory(timer, quick);
    if (failed(matmuls) || failed(elements) || failed(sums) || failed(memory))
      return failure();
    report("elementwise", elements->rate / 1e9, "Gflop/s", elements->residual);
    report("reductions", sums->rate / 1e9, "Gflop/s", sums->residual);
    report("memory", memory->rate / 1e9, "GB/s", memory->residual);
    addRate(device, abi::ELEMENTWISE, abi::F32, elements->rate);
    addRate(device, abi::REDUCTION, abi::F32, sums->rate);
    *device.mutable_memory_bytes_per_second() = measured(memory->rate);
    *device.mutable_memory_bytes() = measured(memoryBytes / double(timer.getRanks()));
    *device.mutable_launch_seconds() = measured(std::max(elements->start, 1e-9));
    return success();
  }

  LogicalResult measureCollectives(abi::Cluster &cluster) {
    auto allReduce = measureAllReduce(timer, quick);
    if (failed(allReduce))
      return failure();
    describeLink(*allReduce, cluster);
    auto share = measureShare(timer, *allReduce, quick);
    if (failed(share))
      return failure();
    llvm::errs() << llvm::formatv("share of a concurrent matmul lost to an all-reduce: {0:f2}\n",
                                  *share);
    if (*share > 0)
      *cluster.mutable_device()->mutable_collective_share() = measured(std::min(*share, 1.0));
    return success();
  }

  /// Derives the link: a two-shot all-reduce moves 2 (n - 1) / n of its bytes over it.
  void describeLink(const machine::LineFit &allReduce, abi::Cluster &cluster) const {
    double n = static_cast<double>(timer.getRanks());
    double rate = allReduce.rate * 2 * (n - 1) / n;
    double launch = cluster.device().launch_seconds().value();
    double latency = std::max(allReduce.start - launch, 1e-9);
    report("all-reduce", rate / 1e9, "GB/s", allReduce.residual);
    abi::TopologyLevel &level = *cluster.add_level();
    level.set_count(timer.getRanks());
    abi::LinkFigures &figures = *level.mutable_figures();
    *figures.mutable_latency_seconds() = measured(latency);
    *figures.mutable_bytes_per_second() = measured(rate);
    *figures.mutable_gap_seconds() = machine::makeFigure(latency / 10, abi::ASSUMED);
    figures.add_algorithm(abi::ONE_SHOT);
  }

  static void addRate(abi::DeviceFigures &device, abi::ComputeClass computeClass,
                      abi::ElementType type, double flops) {
    abi::ComputeRate &rate = *device.add_rate();
    rate.set_compute_class(computeClass);
    rate.set_type(type);
    *rate.mutable_flops_per_second() = measured(flops);
  }

  static void report(llvm::StringRef what, double value, llvm::StringRef unit, double residual) {
    llvm::errs() << llvm::formatv("{0,-12} {1,9:f2} {2}, residual {3:f1} %\n", what, value, unit,
                                  residual * 100);
  }

  RunTimer &timer;
  const bool quick;
  std::string deviceName = "cpu";
  /// Memory that the ranks share.
  double memoryBytes = physicalBytes();
};

} // namespace

FailureOr<abi::Cluster> calibrate(RunTimer &timer, bool quick) {
  return Calibration(timer, quick).run();
}

} // namespace pcc::cli
