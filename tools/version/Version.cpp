// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CMake defines PCC_VERSION from the project's version.
#include "tools/version/Version.h"

const char *pcc::tools::version() { return PCC_VERSION; }
