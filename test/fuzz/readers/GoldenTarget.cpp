// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads golden results. An input is the message without the header of the file.
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/GoldenFile.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/Target.h"

static void readGolden(std::string_view bytes) {
  uint64_t fingerprint = pcc::abi::fingerprintOf(bytes);
  std::string content = "pcc.exp\n";
  content.append(reinterpret_cast<const char *>(&fingerprint), sizeof fingerprint).append(bytes);
  pcc::fuzz::InputFile file("golden.expected", content);
  (void)pcc::abi::readGoldenResults(file.path());
}

PCC_FUZZ_TARGET(golden, readGolden)
PCC_FUZZ_MESSAGE(pcc::abi::GoldenResults)
