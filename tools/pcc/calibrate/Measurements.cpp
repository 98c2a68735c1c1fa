// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/calibrate/Measurements.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace pcc::cli {

/// Builds `count` matmuls of one shape, each on its own matrices: as in a step, little of a
/// matmul's data is still in a core's cache. There are at most 16 matmuls, with at most 32 MiB if
/// several.
static TimedProgram makeMatmuls(const machine::MatmulSize &matmul, StringRef type, int &count) {
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
static std::vector<int64_t> sizesFor(const RunTimer &timer, bool quick, ArrayRef<int64_t> host,
                                     ArrayRef<int64_t> gpu) {
  if (quick)
    return {host.front(), host.back()};
  return (timer.isGpu() ? gpu : host).vec();
}

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
static FailureOr<machine::LineFit>
fitOver(RunTimer &timer, ArrayRef<int64_t> elements, int arguments,
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

static std::string vectorType(int64_t elements) {
  return llvm::formatv("tensor<{0}xf32>", elements);
}

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
static constexpr int64_t width = 256;

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
static TimedProgram makeAllReduce(const RunTimer &timer, bool quick, int64_t elements) {
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

} // namespace pcc::cli
