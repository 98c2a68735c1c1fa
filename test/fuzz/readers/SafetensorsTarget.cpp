// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of weights, and the same bytes as an index of such files.
#include "compiler/import/files/Safetensors.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"

static void readWeights(std::string_view bytes) {
  bool isIndex = bytes.starts_with("{");
  pcc::fuzz::InputFile file(isIndex ? "weights.safetensors.index.json" : "weights.safetensors",
                            bytes);
  (void)pcc::import::readSafetensors(file.path(), pcc::fuzz::getContext());
}

PCC_FUZZ_TARGET(safetensors, readWeights)
