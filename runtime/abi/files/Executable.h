// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file format of an Executable. A `.pcx` is a header of 32 bytes, one serialized message, and
// the data of the program, which may be larger than a message:
//
//   bytes  0- 7  the letters "pcc.pcx\n"
//   bytes  8-11  version, little endian
//   bytes 12-15  zero
//   bytes 16-23  number of bytes of the message
//   bytes 24-31  fingerprint of the message
//   from byte 32 the message; zeros up to a multiple of 64; the data (ExecutableData.h)
//
// Readers refuse a message whose fingerprint does not match, so damage is found. The message has
// the fingerprints of the data, which are checked when the data are read.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/program.pb.h"

#include <string>
#include <string_view>

namespace pcc::abi {

inline constexpr uint32_t executableVersion = 5;

/// Alignment of every offset of the memory plan, and of every space, in bytes.
inline constexpr uint64_t bufferAlignment = 64;

/// Returns a 64-bit hash of bytes. Strings of equal length that differ in only one 8-byte word have
/// different hashes.
uint64_t fingerprintOf(std::string_view bytes);

/// The file content of an executable that holds its data. Equal executables give equal bytes.
std::string serialize(Executable executable);

/// Returns bytes that are equal for equal programs, whether they come from a file or the compiler:
/// the message of a file, with fingerprints of the data. Leaves the executable as it was.
std::string identityOf(Executable &executable);

/// Reads file content; checks header, fingerprints and, with validate(), every field. The result
/// holds its data.
Expected<Executable> parseExecutable(std::string_view bytes);

/// Reads a `.pcx`. The data remain in the file: DataReader reads them. A pipe, which has at most 2
/// GiB, is read as a whole. Errors name the file and the field.
Expected<Executable> readExecutable(const std::string &path);

/// Writes a `.pcx`, as a whole or not at all. Errors: the file cannot be written; the program
/// without its data is larger than protobuf's 2 GiB.
Status writeExecutable(Executable executable, const std::string &path);

/// Checks that every index, size, enumeration and reference of the message is in bounds. Checks
/// that events are waited for only after they are signaled. The error names the field:
/// "programs[0].sections[1].instructions[7].matmul.c: …". `hasCode`: false for a program that is
/// only inspected and needs no code for its kernels.
Status validate(const Executable &executable, bool hasCode = true);

/// Whether the instructions of a program state the results that they read (Instruction.reads).
bool hasDataflow(const Program &program);

//===-- SharedInstructions.cpp ----------------------------------------------------------------===//

// Deduplicates instructions that several programs share. Pipeline stages with equal layers have
// equal instructions; in a transformer, all stages except the first and the last. Such stages
// differ in parameters, names and the order of actions, and therefore in ring entries. In a file:
//
//   programs[1]   sections …
//   programs[2]   same_as: 2, own_parts: names of its ops
//   programs[3]   same_as: 2, …

/// Removes the sections of programs that equal those of an earlier program.
void shareInstructions(Executable &executable);

/// Restores the sections of an executable that was read. Errors: a reference to a program without
/// sections of its own, a wrong number of names, more than 2 GiB in total.
Status fillInInstructions(Executable &executable);

} // namespace pcc::abi
