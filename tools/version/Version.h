// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_TOOLS_VERSION_VERSION_H
#define PCC_TOOLS_VERSION_VERSION_H

namespace pcc::tools {

/// Returns the project's version, as in "0.1.0".
const char *version();

} // namespace pcc::tools

#endif // PCC_TOOLS_VERSION_VERSION_H
