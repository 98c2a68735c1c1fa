// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How messages name records and where they run: "'/fc1/Gemm' in forward[2,0]".

#ifndef PCC_RUNTIME_CHECK_NAMES_H
#define PCC_RUNTIME_CHECK_NAMES_H

#include "runtime/abi/program.pb.h"

#include <string>

namespace pcc::check {

/// The op that the record came from, in quotes; without one its kind.
std::string nameOf(const abi::Record &record);

/// The record in a slot of its program.
std::string nameOf(const abi::Program &program, const abi::Record &record, const abi::Slot &slot);

/// "all_reduce of 8x16xf32".
std::string callOf(const abi::Collective &collective);

} // namespace pcc::check

#endif // PCC_RUNTIME_CHECK_NAMES_H
