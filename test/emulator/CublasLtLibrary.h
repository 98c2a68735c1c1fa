// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests ask the emulated library of matrix products.
#pragma once

#include <cstdint>

/// How many products it has done.
extern "C" int64_t pcc_emulated_products();
/// How many of them might round factors to TF32.
extern "C" int64_t pcc_emulated_rounded_products();
