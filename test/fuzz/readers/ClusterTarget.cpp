// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a machine: a short form, links, and a file of `--cluster` in each of its formats.
#include "runtime/machine/Cluster.h"
#include "runtime/machine/UniformLink.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Message.h"
#include "test/fuzz/readers/Target.h"
#include "tools/pcc/flags/MessageFile.h"

#include <string>

static void readMachine(std::string_view bytes) {
  auto cluster = pcc::machine::parseCluster(std::string(bytes), /*ranks=*/2);
  auto link = pcc::machine::parseLink(bytes);
  if (cluster && link)
    pcc::machine::setLinks(*cluster, *link);
  pcc::fuzz::InputFile file(pcc::fuzz::optionsFileName(bytes), bytes);
  pcc::abi::Cluster given;
  if (pcc::cli::readMessageFile(file.path(), given) != pcc::cli::Success)
    return;
  if (auto complete = pcc::machine::complete(given))
    (void)pcc::machine::parseCluster(pcc::machine::toText(*complete));
}

PCC_FUZZ_TARGET(cluster, readMachine)
PCC_FUZZ_MESSAGE_TEXT(pcc::abi::Cluster)
