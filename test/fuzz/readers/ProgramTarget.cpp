// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and proves a program. An input is the message of a `.pcx` without its header, because
// bytes with a wrong fingerprint end at the header. An input with a header is read as it is.
#include "runtime/abi/files/Executable.h"
#include "runtime/check/Check.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/Target.h"

#include <string>

/// Returns the content of a `.pcx` with this message.
static std::string addHeader(std::string_view message) {
  uint32_t version = pcc::abi::executableVersion, zero = 0;
  uint64_t size = message.size(), fingerprint = pcc::abi::fingerprintOf(message);
  std::string content = "pcc.pcx\n";
  auto append = [&](const auto &number) {
    content.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  append(version), append(zero), append(size), append(fingerprint);
  return content.append(message);
}

static void proveProgram(std::string_view bytes) {
  bool hasHeader = bytes.starts_with("pcc.pcx\n");
  auto executable = pcc::abi::parseExecutable(hasHeader ? std::string(bytes) : addHeader(bytes));
  pcc::abi::Executable instructions;
  bool isProgram = bool(executable);
  if (isProgram)
    instructions = std::move(*executable);
  else if (hasHeader || !instructions.ParseFromArray(bytes.data(), int(bytes.size())) ||
           !pcc::abi::validate(instructions, /*hasCode=*/false).ok())
    return;
  (void)pcc::check::prove(instructions);
  (void)pcc::check::peakBytes(instructions);
}

PCC_FUZZ_TARGET(program, proveProgram)
PCC_FUZZ_MESSAGE(pcc::abi::Executable)
