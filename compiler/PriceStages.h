// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prices of pipeline stages by which the road puts their slots in order.
#pragma once

#include "compiler/Pipeline.h"
#include "passes/schedule/Passes.h"

namespace pcc {

/// On the machine that the options name, and in its memory. Null if they name none: the order is
/// then the same on all machines, that of stages which take equally long.
schedule::StagePricer makeStagePricer(const PipelineOptions &options);

} // namespace pcc
