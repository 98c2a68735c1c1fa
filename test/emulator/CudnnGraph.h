// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an operation graph of the emulated cuDNN on the host: slowly, in doubles that are rounded to
// the type of each tensor.
#pragma once

#include "test/emulator/CudnnObjects.h"

#include <functional>

namespace pcc::test::dnn {

/// Addresses of a graph's tensors, by tensor number.
using Addresses = std::map<int64_t, void *>;

/// Returns the tensors of a graph that are in memory, without host scalars.
std::vector<const Object *> memoryTensors(const Object &graph);
/// Returns the host scalars of a graph.
std::vector<const Object *> hostTensors(const Object &graph);

/// Returns true if this library has all kinds of operations of the graph, the sizes of their
/// tensors fit, and each tensor is made by one operation.
bool isKnown(const Object &graph);

/// Returns the work of a graph on these tensors. Host scalars are read now. `rounds`: f32 values in
/// memory are read with 10 bits of mantissa.
std::function<void()> workOf(const Object &graph, const Addresses &addresses, bool rounds);

} // namespace pcc::test::dnn
