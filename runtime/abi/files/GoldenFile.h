// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file format of golden results (GoldenResults): a header of 16 bytes, then the message. The
// header has the letters "pcc.exp\n" and the fingerprint of the message (Executable.h), so damage
// is found.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/golden.pb.h"

#include <string>

namespace pcc::abi {

/// Reads golden results and validates them. Errors (BadInput) name the file and the problem.
Expected<GoldenResults> readGoldenResults(const std::string &path);

/// Writes golden results, as a whole or not at all. Errors: the file cannot be written; the message
/// is larger than protobuf's 2 GiB.
Status writeGoldenResults(const GoldenResults &golden, const std::string &path);

/// Checks that every tensor has the bytes of its type and shape. Checks that every result has a
/// kind, a tolerance and a run that produces it. The error names the field: "results[7].value:
/// expected 64 bytes, got 60".
Status validate(const GoldenResults &golden);

} // namespace pcc::abi
