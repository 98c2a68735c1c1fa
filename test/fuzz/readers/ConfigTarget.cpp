// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of options (`--config`) in each of its formats.
#include "runtime/abi/ConfigFields.h"
#include "runtime/abi/config.pb.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/Target.h"
#include "tools/pcc/flags/OptionsFile.h"

static void readConfig(std::string_view bytes) {
  pcc::fuzz::InputFile file(pcc::fuzz::optionsFileName(bytes), bytes);
  pcc::cli::OptionsFile options;
  if (options.read(file.path()) != pcc::cli::Success)
    return;
  pcc::abi::ParallelConfig config;
  options.fill(config);
  pcc::abi::setDefaults(config, pcc::abi::listParallelFields());
}

PCC_FUZZ_TARGET(config, readConfig)
PCC_FUZZ_MESSAGE_TEXT(pcc::abi::ParallelConfig)
