// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/version/Version.h"

const char *pcc::tools::version() { return PCC_VERSION; }
