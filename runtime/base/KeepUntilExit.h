// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that outlives an aborted run on purpose.

#pragma once

#include <memory>

namespace pcc::runtime {

/// Keeps `memory` until the process ends. For what another process or a library may still read or
/// write after the run was aborted: nothing tells when they are done.
void keepUntilExit(std::shared_ptr<const void> memory);

} // namespace pcc::runtime
