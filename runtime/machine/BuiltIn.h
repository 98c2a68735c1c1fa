// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in devices and links. Every figure states its source.

#pragma once

#include "runtime/abi/cluster.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace pcc::machine {

/// A device, the link between such devices in one box, and the link between boxes.
struct BuiltInDevice {
  std::string name;
  std::string innerLink, outerLink;
  abi::DeviceFigures figures;
  /// Flops per second of f32 matmuls whose operands are rounded to TF32; absent: the device has no
  /// such rate.
  abi::Figure tf32Matmuls;
};

struct BuiltInLink {
  std::string name;
  abi::LinkFigures figures;
};

abi::Figure makeFigure(double value, abi::FigureSource source);

const std::vector<BuiltInDevice> &builtInDevices();
const std::vector<BuiltInLink> &builtInLinks();

/// The device called `name`, ignoring case; null if there is none.
const BuiltInDevice *findDevice(std::string_view name);
/// The link called `name`, ignoring case; null if there is none.
const BuiltInLink *findLink(std::string_view name);

} // namespace pcc::machine
