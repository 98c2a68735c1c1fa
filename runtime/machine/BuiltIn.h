// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and links that pcc knows by name. Every figure says where it comes from.

#ifndef PCC_RUNTIME_MACHINE_BUILTIN_H
#define PCC_RUNTIME_MACHINE_BUILTIN_H

#include "runtime/abi/cluster.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace pcc::machine {

/// A device, and the links by which such devices are joined: in one box, and boxes with each other.
struct BuiltInDevice {
  std::string name;
  std::string innerLink, outerLink;
  abi::DeviceFigures figures;
  /// Flops per second of products of f32 whose factors are rounded to TF32; absent: as of others.
  abi::Figure tf32Products;
};

struct BuiltInLink {
  std::string name;
  abi::LinkFigures figures;
};

abi::Figure makeFigure(double value, abi::FigureSource source);

const std::vector<BuiltInDevice> &builtInDevices();
const std::vector<BuiltInLink> &builtInLinks();

/// The device called `name`, in any case; null if there is none.
const BuiltInDevice *findDevice(std::string_view name);
/// The link called `name`; null if there is none.
const BuiltInLink *findLink(std::string_view name);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_BUILTIN_H
