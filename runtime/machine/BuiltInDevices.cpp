// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists one row per device. Rates are in flops or bytes per second, memory in bytes, a launch in
// seconds. A data sheet's peak rate has a second figure: the fraction that large operations reach.
// Comments at each list name the sources.

#include "runtime/machine/BuiltIn.h"

namespace pcc::machine {
namespace {

using namespace abi;

struct Row {
  const char *name, *innerLink, *outerLink;
  /// Flops per second of matmuls by element type. `vectors` is the rate of all other arithmetic on
  /// f32.
  std::vector<std::pair<ElementType, double>> matmuls;
  FigureSource matmulsFrom;
  Figure vectors;
  Figure memoryBandwidth, memoryBytes, launch;
  /// Reached fractions of the data sheet's rates; absent: 1.
  Figure matmulsReached = {}, memoryReached = {};
  /// Number of units that compute matmul tiles, and the available tiles.
  int64_t units = 0;
  std::vector<std::pair<int64_t, int64_t>> tiles = {};
  /// Steps of the contracted dimension that each tile loses until its first operands arrive, as
  /// `lost_depth` of MatmulFigures.
  double lostDepth = 0;
  bool storesApart = false;
  /// Number of units that a collective occupies.
  int64_t collectiveUnits = 0;
  /// Flops per second of f32 matmuls with operands rounded to TF32; absent: the device has no such
  /// rate.
  Figure tf32Matmuls = {};
};

DeviceFigures makeFigures(const Row &row) {
  DeviceFigures device;
  auto addRate = [&](ComputeClass computeClass, ElementType type, const Figure &flops) {
    ComputeRate &rate = *device.add_rate();
    rate.set_compute_class(computeClass);
    rate.set_type(type);
    *rate.mutable_flops_per_second() = flops;
  };
  for (auto [type, flops] : row.matmuls)
    addRate(CONTRACTION, type, makeFigure(flops, row.matmulsFrom));
  addRate(ELEMENTWISE, F32, row.vectors);
  addRate(REDUCTION, F32, row.vectors);
  *device.mutable_memory_bytes_per_second() = row.memoryBandwidth;
  *device.mutable_memory_bytes() = row.memoryBytes;
  *device.mutable_launch_seconds() = row.launch;
  if (row.memoryReached.has_value())
    *device.mutable_memory_reached_share() = row.memoryReached;
  if (row.matmulsReached.has_value())
    *device.mutable_matmul()->mutable_reached_share() = row.matmulsReached;
  if (row.units == 0)
    return device;
  device.mutable_matmul()->set_units(row.units);
  for (auto [rows, columns] : row.tiles) {
    Tile &tile = *device.mutable_matmul()->add_tile();
    tile.set_rows(rows);
    tile.set_columns(columns);
  }
  *device.mutable_matmul()->mutable_lost_depth() = makeFigure(row.lostDepth, ASSUMED);
  device.mutable_matmul()->set_stores_apart(row.storesApart);
  if (row.collectiveUnits > 0)
    *device.mutable_collective_share() = makeFigure(
        static_cast<double>(row.collectiveUnits) / static_cast<double>(row.units), PUBLISHED);
  return device;
}

Figure sheet(double value) { return makeFigure(value, DATASHEET); }
Figure published(double value) { return makeFigure(value, PUBLISHED); }
Figure assumed(double value) { return makeFigure(value, ASSUMED); }
Figure measured(double value) { return makeFigure(value, MEASURED); }

/// Describes `cpu`: one rank on one core of the development machine (Xeon with AVX-512). Measured
/// with sgemm, a fused multiply-add in cache and a sum of two arrays in memory.
Row describeCpu() {
  return {.name = "cpu",
          .innerLink = "shared-memory",
          .outerLink = "ethernet-10g",
          .matmuls = {{F32, 160e9}},
          .matmulsFrom = MEASURED,
          .vectors = measured(33e9),
          .memoryBandwidth = measured(14e9),
          .memoryBytes = assumed(4e9),
          .launch = assumed(1e-6)};
}

/// Lists GPUs: the SXM variants of NVIDIA's data sheets, at dense rates. f32 matmuls with TF32 are
/// separate.
///
/// Launch: the base latency of a ring in NCCL's tuning tables (src/graph/tuning.cc). It stands for
/// kernels and library calls, too.
///
/// Units and tiles: white papers; NVIDIA, "Matrix Multiplication Background", 2023, section 2.3. A
/// tile loses the multiplications that its unit could do until the first operands arrive, about 0.7
/// us. Up to A100 a tile takes all registers of its unit, so the unit stores the tile before it
/// begins the next one; Hopper's kernels do both at once. A collective occupies one unit for each
/// of NCCL's 24 channels (NCCL's log for eight GPUs in a box).
///
/// Reached matmul rates, on random numbers, which draw full power. V100: Markidis et al., "NVIDIA
/// tensor core programmability", IPDPSW 2018. A100: He, "Strangely, matrix multiplications on GPUs
/// run faster when given predictable data", 2024: 257 T at 8192 cubed, of 264 T without the losses
/// of tiles and stores there. H100 and H200: Bekman, "Machine learning engineering", maximum
/// sustainable matmul: 700 T on eight busy H200, whose multiprocessors and power limit are the
/// H100's.
///
/// Reached memory bandwidths. V100: Jia et al., "Dissecting the NVIDIA Volta GPU architecture",
/// 2018. A100: NVIDIA's developer forum, topic 339083. H100 and H200: one value, rounded up, for
/// copies at 3.0 T.
std::vector<Row> listGpus() {
  const std::vector<std::pair<int64_t, int64_t>> gpuTiles = {
      {256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}};
  const std::vector<std::pair<ElementType, double>> hopper = {
      {F32, 67e12}, {F16, 989.4e12}, {BF16, 989.4e12}, {I8, 1978.9e12}};
  const Figure hopperTf32 = sheet(494.7e12);
  const Figure gpuLaunch = published(6.6e-6);
  return {
      {.name = "V100",
       .innerLink = "nvlink2",
       .outerLink = "infiniband-edr",
       .matmuls = {{F32, 15.7e12}, {F16, 125e12}, {I8, 62.8e12}},
       .matmulsFrom = DATASHEET,
       .vectors = sheet(15.7e12),
       .memoryBandwidth = sheet(900e9),
       .memoryBytes = sheet(32e9),
       .launch = gpuLaunch,
       .matmulsReached = published(0.74),
       .memoryReached = published(0.83),
       .units = 80,
       .tiles = gpuTiles,
       .lostDepth = 32,
       .storesApart = true,
       .collectiveUnits = 24},
      {.name = "A100",
       .innerLink = "nvlink3",
       .outerLink = "infiniband-hdr",
       .matmuls = {{F32, 19.5e12}, {F16, 312e12}, {BF16, 312e12}, {I8, 624e12}},
       .matmulsFrom = DATASHEET,
       .vectors = sheet(19.5e12),
       .memoryBandwidth = sheet(2.039e12),
       .memoryBytes = sheet(80e9),
       .launch = gpuLaunch,
       .matmulsReached = published(0.845),
       .memoryReached = published(0.88),
       .units = 108,
       .tiles = gpuTiles,
       .lostDepth = 32,
       .storesApart = true,
       .collectiveUnits = 24,
       .tf32Matmuls = sheet(156e12)},
      {.name = "H100",
       .innerLink = "nvlink4",
       .outerLink = "infiniband-ndr",
       .matmuls = hopper,
       .matmulsFrom = DATASHEET,
       .vectors = sheet(67e12),
       .memoryBandwidth = sheet(3.35e12),
       .memoryBytes = sheet(80e9),
       .launch = gpuLaunch,
       .matmulsReached = published(0.71),
       .memoryReached = published(0.9),
       .units = 132,
       .tiles = gpuTiles,
       .lostDepth = 64,
       .collectiveUnits = 24,
       .tf32Matmuls = hopperTf32},
      {.name = "H200",
       .innerLink = "nvlink4",
       .outerLink = "infiniband-ndr",
       .matmuls = hopper,
       .matmulsFrom = DATASHEET,
       .vectors = sheet(67e12),
       .memoryBandwidth = sheet(4.8e12),
       .memoryBytes = sheet(141e9),
       .launch = gpuLaunch,
       .matmulsReached = published(0.71),
       .memoryReached = published(0.9),
       .units = 132,
       .tiles = gpuTiles,
       .lostDepth = 64,
       .collectiveUnits = 24,
       .tf32Matmuls = hopperTf32},
  };
}

/// Lists TPUs: Jouppi et al., "TPU v4", ISCA 2023; Google Cloud, "System architecture" of v5e and
/// v5p. A chip has matrix units of 128x128, which multiply f32 as bf16. A tile is assumed to lose
/// 128 steps, in which the unit fills.
std::vector<Row> listTpus() {
  return {
      {.name = "TPUv4",
       .innerLink = "ici-v4",
       .outerLink = "ici-v4",
       .matmuls = {{F32, 275e12}, {BF16, 275e12}, {I8, 275e12}},
       .matmulsFrom = DATASHEET,
       .vectors = assumed(4.3e12),
       .memoryBandwidth = sheet(1.2e12),
       .memoryBytes = sheet(34.4e9),
       .launch = assumed(1e-6),
       .matmulsReached = assumed(0.8),
       .memoryReached = assumed(0.9),
       .units = 8,
       .tiles = {{128, 128}},
       .lostDepth = 128},
      {.name = "TPUv5e",
       .innerLink = "ici-v5e",
       .outerLink = "ici-v5e",
       .matmuls = {{F32, 197e12}, {BF16, 197e12}, {I8, 393e12}},
       .matmulsFrom = DATASHEET,
       .vectors = assumed(3.1e12),
       .memoryBandwidth = sheet(819e9),
       .memoryBytes = sheet(17.2e9),
       .launch = assumed(1e-6),
       .matmulsReached = assumed(0.8),
       .memoryReached = assumed(0.9),
       .units = 4,
       .tiles = {{128, 128}},
       .lostDepth = 128},
      {.name = "TPUv5p",
       .innerLink = "ici-v5p",
       .outerLink = "ici-v5p",
       .matmuls = {{F32, 459e12}, {BF16, 459e12}, {I8, 918e12}},
       .matmulsFrom = DATASHEET,
       .vectors = assumed(7.2e12),
       .memoryBandwidth = sheet(2.765e12),
       .memoryBytes = sheet(102e9),
       .launch = assumed(1e-6),
       .matmulsReached = assumed(0.8),
       .memoryReached = assumed(0.9),
       .units = 8,
       .tiles = {{128, 128}},
       .lostDepth = 128},
  };
}

} // namespace

const std::vector<BuiltInDevice> &builtInDevices() {
  static const std::vector<BuiltInDevice> devices = [] {
    std::vector<BuiltInDevice> result;
    for (const std::vector<Row> &rows : {std::vector<Row>{describeCpu()}, listGpus(), listTpus()})
      for (const Row &row : rows)
        result.push_back(
            {row.name, row.innerLink, row.outerLink, makeFigures(row), row.tf32Matmuls});
    return result;
  }();
  return devices;
}

} // namespace pcc::machine
