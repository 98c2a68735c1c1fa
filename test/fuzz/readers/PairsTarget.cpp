// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of pairs of shardings for `pcc plan-reshard`.
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/Target.h"
#include "tools/pcc/subcommands/ReshardPairs.h"

static void readPairFile(std::string_view bytes) {
  pcc::fuzz::InputFile file("pairs.json", bytes);
  std::vector<pcc::cli::ReshardPair> pairs;
  (void)pcc::cli::readPairs(file.path(), pcc::fuzz::getContext(), pairs);
}

PCC_FUZZ_TARGET(pairs, readPairFile)
