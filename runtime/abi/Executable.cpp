// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes deterministically, so that equal executables give equal bytes. Instructions that
// several programs share are stored once and copied back after reading (SharedInstructions.h). The
// fingerprint finds accidental damage; it is not cryptographic.

#include "runtime/abi/Executable.h"

#include "runtime/abi/SharedInstructions.h"
#include "runtime/abi/WholeFile.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <bit>
#include <cstring>
#include <limits>

namespace pcc::abi {
namespace {

static_assert(std::endian::native == std::endian::little, "the file format is little endian");

constexpr char programMagic[8] = {'p', 'c', 'c', '.', 'p', 'c', 'x', '\n'};

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t messageBytes;
  uint64_t fingerprint;
};
static_assert(sizeof(Header) == 32);

/// Checks the header and returns the bytes of the message after it.
Expected<std::string_view> messageBytes(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header)
    return Status::badInput(fmt::format("not a pcc executable: expected at least {} bytes, got {}",
                                        sizeof header, bytes.size()));
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (std::memcmp(header.magic, programMagic, sizeof programMagic) != 0)
    return Status::badInput("not a pcc executable: the first 8 bytes are not 'pcc.pcx'");
  if (header.version != executableVersion)
    return Status::badInput(fmt::format("expected version {}, got {}; compile the model again",
                                        executableVersion, header.version));
  if (header.zero != 0)
    return Status::badInput("header: bytes 12 to 15 are not zero");
  if (header.messageBytes != bytes.size())
    return Status::badInput(fmt::format("header: expected {} bytes behind it, got {}",
                                        header.messageBytes, bytes.size()));
  if (uint64_t got = fingerprintOf(bytes); header.fingerprint != got)
    return Status::badInput(
        fmt::format("damaged: expected fingerprint {:016x}, got {:016x}", header.fingerprint, got));
  return bytes;
}

} // namespace

uint64_t fingerprintOf(std::string_view bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes.size();
  // Each step is a bijection of the hash for a given word and of the word for a given hash.
  auto absorb = [&](uint64_t word) { hash = std::rotl((hash ^ word) * 0xbf58476d1ce4e5b9u, 31); };
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    absorb(word);
    bytes.remove_prefix(sizeof word);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes.data(), bytes.size());
  absorb(tail);
  return hash ^ (hash >> 29);
}

namespace {

std::string serializeAsIs(const Executable &executable) {
  std::string bytes(sizeof(Header), '\0');
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    executable.SerializeToCodedStream(&coded);
  }
  Header header;
  std::memcpy(header.magic, programMagic, sizeof programMagic);
  header.version = executableVersion;
  header.zero = 0;
  header.messageBytes = bytes.size() - sizeof header;
  header.fingerprint = fingerprintOf(std::string_view(bytes).substr(sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// Returns the executable as files store it: shared instructions appear once.
Executable withSharedInstructions(Executable executable) {
  shareInstructions(executable);
  return executable;
}

} // namespace

std::string serialize(const Executable &executable) {
  return executable.programs_size() > 1 ? serializeAsIs(withSharedInstructions(executable))
                                        : serializeAsIs(executable);
}

Expected<Executable> parseExecutable(std::string_view bytes) {
  Expected<std::string_view> message = messageBytes(bytes);
  if (!message)
    return message.status();
  Executable executable;
  if (!executable.ParseFromArray(message->data(), static_cast<int>(message->size())))
    return Status::badInput("the message behind the header cannot be parsed");
  Status status = fillInInstructions(executable);
  if (status.ok())
    status = validate(executable);
  if (!status.ok())
    return status;
  return executable;
}

Expected<Executable> readExecutable(const std::string &path) {
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  Expected<Executable> executable = parseExecutable(*bytes);
  if (!executable)
    return executable.status().within(path);
  return executable;
}

Status writeExecutable(const Executable &executable, const std::string &path) {
  constexpr size_t maxBytes = std::numeric_limits<int32_t>::max();
  // Protobuf cannot serialize larger messages.
  if (size_t bytes = executable.ByteSizeLong(); bytes > maxBytes)
    return Status::badInput(
        fmt::format("{}: expected a program of at most {} bytes, got {}", path, maxBytes, bytes));
  return writeFile(path, serialize(executable));
}

} // namespace pcc::abi
