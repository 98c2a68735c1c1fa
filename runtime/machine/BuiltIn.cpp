// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/machine/BuiltIn.h"

#include <algorithm>
#include <cctype>

namespace pcc::machine {
namespace {

abi::Figure figure(double value, abi::FigureSource source) {
  abi::Figure result;
  result.set_value(value);
  result.set_source(source);
  return result;
}

/// What a device computes in a second: products by element type, and everything else on f32.
struct Rates {
  std::vector<std::pair<abi::ElementType, double>> products;
  double vectors;
  abi::FigureSource source;
};

void addRate(abi::DeviceFigures &device, abi::ComputeClass computeClass, abi::ElementType type,
             double flops, abi::FigureSource source) {
  abi::ComputeRate &rate = *device.add_rate();
  rate.set_compute_class(computeClass);
  rate.set_type(type);
  *rate.mutable_flops_per_second() = figure(flops, source);
}

abi::DeviceFigures makeDevice(const Rates &rates, abi::Figure memoryBandwidth,
                              abi::Figure memoryBytes, abi::Figure launch) {
  abi::DeviceFigures device;
  for (auto [type, flops] : rates.products)
    addRate(device, abi::CONTRACTION, type, flops, rates.source);
  addRate(device, abi::ELEMENTWISE, abi::F32, rates.vectors, rates.source);
  addRate(device, abi::REDUCTION, abi::F32, rates.vectors, rates.source);
  *device.mutable_memory_bytes_per_second() = memoryBandwidth;
  *device.mutable_memory_bytes() = memoryBytes;
  *device.mutable_launch_seconds() = launch;
  return device;
}

abi::LinkFigures makeLink(abi::Figure latency, abi::Figure gap, abi::Figure bandwidth) {
  abi::LinkFigures link;
  *link.mutable_latency_seconds() = latency;
  *link.mutable_gap_seconds() = gap;
  *link.mutable_bytes_per_second() = bandwidth;
  return link;
}

} // namespace

/// `cpu` is one rank on one core of the development machine (Xeon with AVX-512): sgemm, a fused
/// multiply-add in cache and a sum of two arrays in memory. The GPUs are the SXM forms of NVIDIA's
/// data sheets, dense, without TF32 for f32; their launch is the base latency of a ring in NCCL's
/// tuning tables (src/graph/tuning.cc).
const std::vector<BuiltInDevice> &builtInDevices() {
  using namespace abi;
  const Rates xeonCore = {{{F32, 160e9}}, 33e9, MEASURED};
  const Rates ampere = {
      {{F32, 19.5e12}, {F16, 312e12}, {BF16, 312e12}, {I8, 624e12}}, 19.5e12, DATASHEET};
  const Rates hopper = {
      {{F32, 67e12}, {F16, 989.4e12}, {BF16, 989.4e12}, {I8, 1978.9e12}}, 67e12, DATASHEET};
  const Figure gpuLaunch = figure(6.6e-6, PUBLISHED);
  static const std::vector<BuiltInDevice> devices = {
      {"cpu", "shared-memory", "ethernet-10g",
       makeDevice(xeonCore, figure(14e9, MEASURED), figure(4e9, ASSUMED), figure(1e-6, ASSUMED))},
      {"A100", "nvlink3", "infiniband-hdr",
       makeDevice(ampere, figure(2.039e12, DATASHEET), figure(80e9, DATASHEET), gpuLaunch)},
      {"H100", "nvlink4", "infiniband-ndr",
       makeDevice(hopper, figure(3.35e12, DATASHEET), figure(80e9, DATASHEET), gpuLaunch)},
      {"H200", "nvlink4", "infiniband-ndr",
       makeDevice(hopper, figure(4.8e12, DATASHEET), figure(141e9, DATASHEET), gpuLaunch)},
  };
  return devices;
}

/// Shared memory: pcc's own communicator, two ranks on two cores, 64 MB. NVLink and InfiniBand:
/// bandwidth of one GPU and one adapter, one way, from the data sheets; latencies of the LL128
/// protocol in NCCL's tuning tables, those between messages by the order of its LL protocol.
const std::vector<BuiltInLink> &builtInLinks() {
  using namespace abi;
  static const std::vector<BuiltInLink> links = {
      {"shared-memory",
       makeLink(figure(1.3e-6, MEASURED), figure(0.2e-6, ASSUMED), figure(6.5e9, MEASURED))},
      {"nvlink3",
       makeLink(figure(1.9e-6, PUBLISHED), figure(0.6e-6, PUBLISHED), figure(300e9, DATASHEET))},
      {"nvlink4",
       makeLink(figure(1.9e-6, PUBLISHED), figure(0.6e-6, PUBLISHED), figure(450e9, DATASHEET))},
      {"infiniband-hdr",
       makeLink(figure(4e-6, PUBLISHED), figure(2.7e-6, PUBLISHED), figure(25e9, DATASHEET))},
      {"infiniband-ndr",
       makeLink(figure(4e-6, PUBLISHED), figure(2.7e-6, PUBLISHED), figure(50e9, DATASHEET))},
      {"ethernet-10g",
       makeLink(figure(30e-6, ASSUMED), figure(5e-6, ASSUMED), figure(1.25e9, DATASHEET))},
  };
  return links;
}

static bool equalInAnyCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

const BuiltInDevice *findDevice(std::string_view name) {
  for (const BuiltInDevice &device : builtInDevices())
    if (equalInAnyCase(device.name, name))
      return &device;
  return nullptr;
}

const BuiltInLink *findLink(std::string_view name) {
  for (const BuiltInLink &link : builtInLinks())
    if (equalInAnyCase(link.name, name))
      return &link;
  return nullptr;
}

} // namespace pcc::machine
