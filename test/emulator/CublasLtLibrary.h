// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of tests to the emulated matmul library.
#pragma once

#include <cstdint>

/// Returns the number of matmuls done.
extern "C" int64_t pcc_emulated_products();
/// Returns the number of matmuls that were allowed to round factors to TF32.
extern "C" int64_t pcc_emulated_rounded_products();
