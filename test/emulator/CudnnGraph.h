// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an operation graph of the emulated cuDNN on the host: slow, and in doubles between where
// tensors have a type of their own.
#pragma once

#include "test/emulator/CudnnObjects.h"

#include <functional>

namespace pcc::test::dnn {

/// Addresses of a graph's tensors by their numbers.
using Addresses = std::map<int64_t, void *>;

/// Tensors of a graph that are in memory, but for numbers of the host.
std::vector<const Object *> memoryTensors(const Object &graph);
/// Its numbers of the host.
std::vector<const Object *> hostTensors(const Object &graph);

/// Whether all operations are of kinds that this library has, on tensors that have the sizes for
/// them, each made by one operation.
bool isKnown(const Object &graph);

/// The work of a graph on these tensors. Numbers of the host are read now. `rounds`: f32 in memory
/// is read with 10 bits of mantissa.
std::function<void()> workOf(const Object &graph, const Addresses &addresses, bool rounds);

} // namespace pcc::test::dnn
