// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a strategy in its formats, and applies it to a small model as a whole and in part. Bytes
// that are a message get their checksum, because a wrong one ends the reader.
#include "compiler/StrategyCheckpoint.h"
#include "mlir/Parser/Parser.h"
#include "runtime/abi/files/StrategyFile.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/ModuleContext.h"
#include "test/fuzz/readers/SmallModel.h"
#include "test/fuzz/readers/Target.h"

/// Loads the strategy in the file `path` for a small model.
static void load(const std::string &path, pcc::abi::StrategyReuse reuse) {
  pcc::CompileOptions options;
  options.parallel.set_strategy_ckpt_load_file(path);
  options.parallel.set_strategy_reuse(reuse);
  pcc::abi::StrategyFingerprint fingerprint;
  fingerprint.set_device_num(2);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(pcc::fuzz::smallModel, &pcc::fuzz::getContext());
  (void)pcc::loadStrategy(*module, options, fingerprint);
}

static void readStrategyFile(std::string_view bytes) {
  pcc::fuzz::InputFile file(bytes.starts_with("{") ? "strategy.json" : "strategy.textproto", bytes);
  load(file.path(), pcc::abi::REUSE_PARTIAL);
  load(file.path(), pcc::abi::REUSE_NONE);
  auto strategy = pcc::abi::readStrategy(file.path());
  std::string binary = pcc::fuzz::InputFile::folder() + "/strategy.ckpt";
  if (strategy && pcc::abi::writeStrategy(*strategy, binary).ok())
    (void)pcc::abi::readStrategy(binary);
}

PCC_FUZZ_TARGET(strategy, readStrategyFile)
PCC_FUZZ_MESSAGE_TEXT(pcc::abi::Strategy)
