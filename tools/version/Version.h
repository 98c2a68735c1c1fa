// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace pcc::tools {

/// Returns the project's version, as in "0.1.0".
const char *version();

} // namespace pcc::tools
