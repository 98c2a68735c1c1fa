// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/calibrate/Calibration.h"

#include "runtime/device/cuda/driver/Gpu.h"
#include "runtime/machine/BuiltIn.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/calibrate/Measurements.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace pcc::cli {
namespace {

abi::Figure measured(double value) { return machine::makeFigure(value, abi::MEASURED); }

double physicalBytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class Calibration {
public:
  Calibration(RunTimer &timer, bool quick) : timer(timer), quick(quick) {}

  mlir::FailureOr<abi::Cluster> run() {
    abi::Cluster cluster;
    if (timer.isGpu() && mlir::failed(findGpu()))
      return mlir::failure();
    cluster.set_form(std::to_string(timer.getRanks()) + "x" + deviceName);
    if (mlir::failed(measureDevice(*cluster.mutable_device())) ||
        (timer.getRanks() > 1 && mlir::failed(measureCollectives(cluster))))
      return mlir::failure();
    return cluster;
  }

private:
  /// Finds the device to measure. A GPU that pcc knows by name gets that name, and so its built-in
  /// figures where nothing is measured.
  mlir::LogicalResult findGpu() {
    const auto &driver = runtime::cuda::Driver::get();
    auto facts = driver ? runtime::cuda::propertiesOf(*driver, 0) : driver.status();
    if (!facts) {
      fail(Unavailable, facts.status().describe());
      return mlir::failure();
    }
    memoryBytes = double(facts->bytes);
    for (const machine::BuiltInDevice &device : machine::builtInDevices())
      if (llvm::StringRef(facts->name).contains(device.name))
        deviceName = device.name;
    return mlir::success();
  }

  /// Measures matmuls of each type that the device is used with. The last type also gives the
  /// losses of small matmuls.
  mlir::LogicalResult measureMatmulsOf(abi::DeviceFigures &device) {
    using Types = std::vector<std::pair<llvm::StringRef, abi::ElementType>>;
    Types types = timer.isGpu() ? Types{{"f32", abi::F32}, {"f16", abi::F16}, {"bf16", abi::BF16}}
                                : Types{{"f32", abi::F32}};
    for (auto [name, type] : types) {
      auto matmuls = measureMatmuls(timer, name, quick);
      if (mlir::failed(matmuls))
        return mlir::failure();
      report(types.size() == 1 ? "matmuls" : ("matmuls " + name).str(),
             matmuls->flopsPerSecond / 1e9, "Gflop/s", matmuls->residual);
      addRate(device, abi::CONTRACTION, type, matmuls->flopsPerSecond);
      device.clear_matmul();
      addLosses(*matmuls, *device.mutable_matmul());
    }
    return mlir::success();
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

  mlir::LogicalResult measureDevice(abi::DeviceFigures &device) {
    mlir::LogicalResult matmuls = measureMatmulsOf(device);
    auto elements = measureElements(timer, quick);
    auto sums = measureSums(timer, quick);
    auto memory = measureMemory(timer, quick);
    if (mlir::failed(matmuls) || mlir::failed(elements) || mlir::failed(sums) ||
        mlir::failed(memory))
      return mlir::failure();
    report("elementwise", elements->rate / 1e9, "Gflop/s", elements->residual);
    report("reductions", sums->rate / 1e9, "Gflop/s", sums->residual);
    report("memory", memory->rate / 1e9, "GB/s", memory->residual);
    addRate(device, abi::ELEMENTWISE, abi::F32, elements->rate);
    addRate(device, abi::REDUCTION, abi::F32, sums->rate);
    *device.mutable_memory_bytes_per_second() = measured(memory->rate);
    *device.mutable_memory_bytes() = measured(memoryBytes / double(timer.getRanks()));
    *device.mutable_launch_seconds() = measured(std::max(elements->start, 1e-9));
    return mlir::success();
  }

  mlir::LogicalResult measureCollectives(abi::Cluster &cluster) {
    auto allReduce = measureAllReduce(timer, quick);
    if (mlir::failed(allReduce))
      return mlir::failure();
    describeLink(*allReduce, cluster);
    auto share = measureShare(timer, *allReduce, quick);
    if (mlir::failed(share))
      return mlir::failure();
    llvm::errs() << llvm::formatv("share of a concurrent matmul lost to an all-reduce: {0:f2}\n",
                                  *share);
    if (*share > 0)
      *cluster.mutable_device()->mutable_collective_share() = measured(std::min(*share, 1.0));
    return mlir::success();
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

mlir::FailureOr<abi::Cluster> calibrate(RunTimer &timer, bool quick) {
  return Calibration(timer, quick).run();
}

} // namespace pcc::cli
