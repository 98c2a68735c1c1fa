// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of a program: its constants and the initial values of its parameters. They may be larger
// than a message of protobuf. A message that the compiler made holds them itself. In a file they
// lie behind the message, and a message that was read from a file names it (StoredData):
//
//   message             data
//   stored_constants    [ 0, 100)     constants
//   programs[0]         [128, 176)    initial values of parameters[0]
//                       [192, 200)    initial values of parameters[2]
//   data.fingerprints   one for the bytes 0 … 199
//
// Parts follow each other in the order of the message. Each begins at a multiple of 64.

#pragma once

#include "runtime/abi/Status.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/abi/program.pb.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pcc::abi {

/// Number of bytes that one fingerprint covers, and that a reader reads and checks at once.
inline constexpr uint64_t dataChunkBytes = uint64_t(1) << 20;

/// Alignment of the data in a file, and of each part of them, in bytes.
inline constexpr uint64_t dataAlignment = 64;

inline constexpr uint64_t alignData(uint64_t bytes) {
  return (bytes + dataAlignment - 1) / dataAlignment * dataAlignment;
}

/// Returns the number of bytes of the space CONSTANT.
uint64_t constantBytes(const Executable &executable);

/// Returns the number of bytes of initial data; nothing if the parameter has another initializer.
std::optional<uint64_t> initialBytes(const Initializer &initializer);

/// Reads the data of a program from its message, or from its file as far as needed. What is read
/// from a file is checked against the fingerprints. A reader belongs to one thread.
class DataReader {
public:
  /// Opens the file of a program, if it has one. `executable` must outlive the reader.
  static Expected<DataReader> open(const Executable &executable);
  /// Reads data from memory: those of a file whose content is `data`.
  DataReader(const Executable &executable, std::string_view data)
      : executable(&executable), data(data) {}

  /// Copies constants, or initial data, from byte `offset` on. The range must exist.
  Status readConstants(uint64_t offset, std::span<std::byte> out);
  Status readInitial(const Initializer &initializer, uint64_t offset, std::span<std::byte> out);
  /// Reads all data of a file to check them.
  Status checkAll();

private:
  Status read(const std::string &held, const DataRange *stored, uint64_t offset,
              std::span<std::byte> out);
  Status loadChunk(uint64_t number);

  const Executable *executable;
  std::string_view data;
  std::optional<InputFile> file;
  std::vector<std::byte> chunk;
  std::optional<uint64_t> loaded; ///< number of the chunk in `chunk`
};

/// Returns the part of the space CONSTANT that some ranks use: `ranks` from `first` on, or all if
/// it is 0. The offset counts from the beginning of the space.
DataRange constantsOf(const Executable &executable, int64_t first, int64_t ranks);

/// Moves the data out of a message that holds them. Afterwards it describes them as a message in a
/// file does. Returns them in the order of the file.
std::vector<std::string> takeData(Executable &executable);
/// Undoes takeData.
void putData(Executable &executable, std::vector<std::string> data);
/// Reads all data into a message that names a file or describes the reader's data.
Status holdData(Executable &executable, DataReader &reader);

/// Calls `visit` for the chunks of a file's data, which has these parts, until an error.
Status forEachChunk(const std::vector<std::string> &parts,
                    const std::function<Status(std::string_view)> &visit);

/// Checks that the parts of a message from a file are where they should be. The error names the
/// field.
Status checkDataLayout(const Executable &executable);

} // namespace pcc::abi
