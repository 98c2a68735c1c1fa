// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides a matmul's flops, raised by the losses of small extents, by the rate that the best tile
// reaches. The time of the stores is added on devices that cannot multiply meanwhile.

#include "runtime/machine/Roofline.h"

#include "runtime/abi/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pcc::machine {

double reached(const abi::Figure &peak, const abi::Figure &share) {
  bool isPeak = peak.source() == abi::DATASHEET && share.has_value();
  return peak.value() * (isPeak ? share.value() : 1);
}

double memoryRate(const abi::DeviceFigures &device) {
  return reached(device.memory_bytes_per_second(), device.memory_reached_share());
}

double linkRate(const abi::LinkFigures &link) {
  return reached(link.bytes_per_second(), link.reached_share());
}

static const abi::Figure *findRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                                   abi::ElementType type) {
  const abi::Figure *ofF32 = nullptr;
  for (const abi::ComputeRate &rate : device.rate()) {
    if (rate.compute_class() != computeClass)
      continue;
    if (rate.type() == type)
      return &rate.flops_per_second();
    if (rate.type() == abi::F32)
      ofF32 = &rate.flops_per_second();
  }
  return ofF32;
}

double computeRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                   abi::ElementType type) {
  return findRate(device, computeClass, type)->value();
}

bool hasRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
             abi::ElementType type) {
  return std::ranges::any_of(device.rate(), [&](const abi::ComputeRate &rate) {
    return rate.compute_class() == computeClass && rate.type() == type;
  });
}

double peakSeconds(const abi::DeviceFigures &device, int64_t devices,
                   const google::protobuf::RepeatedPtrField<abi::ModelFlops> &work) {
  double seconds = 0;
  for (const abi::ModelFlops &entry : work)
    seconds += entry.flops() / computeRate(device, abi::CONTRACTION, entry.type());
  return seconds / double(devices);
}

/// Returns the useful fraction of the time that the units spend on tiles; 1 on devices without
/// units.
static double tileEfficiency(const abi::MatmulFigures &figures, const MatmulSize &matmul) {
  if (figures.units() == 0)
    return 1;
  double best = 0, units = static_cast<double>(figures.units());
  for (const abi::Tile &tile : figures.tile()) {
    double tiles = std::ceil(matmul.rows / tile.rows()) *
                   std::ceil(matmul.columns / tile.columns()) * matmul.batch;
    double rounds = std::ceil(tiles / units);
    double elements = rounds * units * tile.rows() * tile.columns();
    best = std::max(best, matmul.batch * matmul.rows * matmul.columns / elements);
  }
  return best;
}

double matmulRate(const abi::DeviceFigures &device, abi::ElementType type) {
  return reached(*findRate(device, abi::CONTRACTION, type), device.matmul().reached_share());
}

double matmulSeconds(const abi::DeviceFigures &device, abi::ElementType type,
                     const MatmulSize &matmul) {
  const abi::MatmulFigures &figures = device.matmul();
  double lost = figures.lost_rows().value() / matmul.rows +
                figures.lost_columns().value() / matmul.columns +
                figures.lost_depth().value() / matmul.depth;
  double storing = 0;
  if (figures.stores_apart())
    storing = matmul.batch * matmul.rows * matmul.columns *
              static_cast<double>(abi::elementBytes(type)) / memoryRate(device);
  return matmul.flops() * (1 + lost) /
             (matmulRate(device, type) * tileEfficiency(figures, matmul)) +
         storing;
}

double moveSeconds(const abi::DeviceFigures &device, double bytes) {
  return device.launch_seconds().value() + bytes / memoryRate(device);
}

double computeSeconds(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                      abi::ElementType type, double flops, double bytes) {
  double computing = flops / computeRate(device, computeClass, type);
  return std::max(device.launch_seconds().value() + computing, moveSeconds(device, bytes));
}

} // namespace pcc::machine
