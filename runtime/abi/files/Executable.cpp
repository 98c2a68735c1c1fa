// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serializes deterministically, so that equal executables give equal bytes. Instructions that
// several programs share are stored once and copied back after reading (SharedInstructions.cpp).
// Fingerprints find accidental damage; they are not cryptographic.

#include "runtime/abi/files/Executable.h"

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/files/WholeFile.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

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

/// Returns where the data of a file begin.
uint64_t dataBegin(const Header &header) { return alignData(sizeof header + header.messageBytes); }

/// Reads the header of a file of `size` bytes, which begins with `bytes`.
Expected<Header> parseHeader(std::string_view bytes, uint64_t size) {
  Header header;
  if (bytes.size() < sizeof header)
    return Status::badInput(fmt::format("not a pcc executable: expected at least {} bytes, got {}",
                                        sizeof header, bytes.size()));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, programMagic, sizeof programMagic) != 0)
    return Status::badInput("not a pcc executable: the first 8 bytes are not 'pcc.pcx'");
  if (header.version != executableVersion)
    return Status::badInput(fmt::format("expected version {}, got {}; compile the model again",
                                        executableVersion, header.version));
  if (header.zero != 0)
    return Status::badInput("header: bytes 12 to 15 are not zero");
  if (header.messageBytes > maxFileBytes)
    return Status::badInput(fmt::format("header: expected a message of at most {} bytes, got {}",
                                        maxFileBytes, header.messageBytes));
  if (header.messageBytes > size - sizeof header)
    return Status::badInput(fmt::format("header: expected {} bytes behind it, got {}",
                                        header.messageBytes, size - sizeof header));
  return header;
}

/// Checks that a file of `size` bytes ends where its data end.
Status checkSize(const Header &header, const Executable &executable, uint64_t size) {
  uint64_t begin = dataBegin(header), bytes = executable.data().bytes();
  uint64_t expected = bytes == 0 ? sizeof header + header.messageBytes : begin + bytes;
  if (bytes > std::numeric_limits<uint64_t>::max() - begin)
    return Status::badInput(fmt::format("data.bytes: expected at most {}, got {}",
                                        size - std::min(size, begin), bytes));
  if (size == expected)
    return {};
  return Status::badInput(fmt::format("expected a file of {} bytes, got {}", expected, size));
}

/// Parses the message of a file of `size` bytes. `behind` begins behind the header and ends where
/// data begin.
Expected<Executable> parseMessage(const Header &header, std::string_view behind, uint64_t size) {
  std::string_view message = behind.substr(0, header.messageBytes);
  std::string_view padding = behind.substr(header.messageBytes);
  if (uint64_t got = fingerprintOf(message); header.fingerprint != got)
    return Status::badInput(
        fmt::format("damaged: expected fingerprint {:016x}, got {:016x}", header.fingerprint, got));
  Executable executable;
  if (!executable.ParseFromArray(message.data(), static_cast<int>(message.size())))
    return Status::badInput("the message behind the header cannot be parsed");
  Status status = checkSize(header, executable, size);
  if (status.ok() && padding.find_first_not_of('\0') != std::string_view::npos)
    status = Status::badInput(fmt::format("damaged: bytes {} to {} are not zero",
                                          sizeof header + message.size(), dataBegin(header)));
  if (status.ok())
    status = checkDataLayout(executable);
  if (status.ok())
    status = fillInInstructions(executable);
  if (status.ok())
    status = validate(executable);
  if (!status.ok())
    return status;
  return executable;
}

/// Returns the number of bytes between the header and the data of a file of `size` bytes.
uint64_t bytesBehind(const Header &header, uint64_t size) {
  return std::min(size, dataBegin(header)) - sizeof header;
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

/// Returns a message as files have it: shared instructions appear once.
std::string messageOf(const Executable &executable) {
  std::string bytes;
  auto serialize = [&](const Executable &whole) {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    whole.SerializeToCodedStream(&coded);
  };
  if (executable.programs_size() < 2) {
    serialize(executable);
    return bytes;
  }
  Executable shared = executable;
  shareInstructions(shared);
  serialize(shared);
  return bytes;
}

/// Returns the beginning of a file, up to its data.
std::string headOf(const Executable &executable) {
  std::string message = messageOf(executable);
  Header header;
  std::memcpy(header.magic, programMagic, sizeof programMagic);
  header.version = executableVersion;
  header.zero = 0;
  header.messageBytes = message.size();
  header.fingerprint = fingerprintOf(message);
  std::string head(reinterpret_cast<const char *>(&header), sizeof header);
  head += message;
  if (executable.has_data())
    head.resize(dataBegin(header));
  return head;
}

/// Reads the data of an executable from its file, if it has one.
Status holdFileData(Executable &executable) {
  if (!executable.has_data())
    return {};
  Expected<DataReader> reader = DataReader::open(executable);
  return reader ? holdData(executable, *reader) : reader.status();
}

} // namespace

std::string serialize(Executable executable) {
  std::vector<std::string> data = takeData(executable);
  std::string bytes = headOf(executable);
  (void)forEachChunk(data, [&](std::string_view chunk) {
    bytes += chunk;
    return Status();
  });
  return bytes;
}

std::string identityOf(Executable &executable) {
  if (executable.has_data()) {
    StoredData data = executable.data();
    executable.mutable_data()->clear_file();
    executable.mutable_data()->clear_begin();
    std::string message = messageOf(executable);
    *executable.mutable_data() = std::move(data);
    return message;
  }
  std::vector<std::string> data = takeData(executable);
  std::string message = messageOf(executable);
  putData(executable, std::move(data));
  return message;
}

Expected<Executable> parseExecutable(std::string_view bytes) {
  Expected<Header> header = parseHeader(bytes, bytes.size());
  if (!header)
    return header.status();
  std::string_view behind = bytes.substr(sizeof(Header), bytesBehind(*header, bytes.size()));
  Expected<Executable> executable = parseMessage(*header, behind, bytes.size());
  if (!executable)
    return executable;
  DataReader reader(*executable, bytes.substr(sizeof(Header) + behind.size()));
  if (Status status = reader.checkAll(); !status.ok())
    return status;
  if (Status status = holdData(*executable, reader); !status.ok())
    return status;
  return executable;
}

namespace {

/// Reads the message of a file and notes where its data are.
Expected<Executable> readMessage(const InputFile &file, const std::string &path) {
  std::string bytes(std::min<uint64_t>(file.size(), sizeof(Header)), '\0');
  auto read = [&](uint64_t offset) {
    return file.readAt(offset, std::as_writable_bytes(std::span(bytes)));
  };
  if (Status status = read(0); !status.ok())
    return status;
  Expected<Header> header = parseHeader(bytes, file.size());
  if (!header)
    return header.status().within(path);
  bytes.resize(bytesBehind(*header, file.size()));
  if (Status status = read(sizeof(Header)); !status.ok())
    return status;
  Expected<Executable> executable = parseMessage(*header, bytes, file.size());
  if (!executable)
    return executable.status().within(path);
  if (executable->has_data()) {
    executable->mutable_data()->set_file(path);
    executable->mutable_data()->set_begin(dataBegin(*header));
  }
  return executable;
}

} // namespace

Expected<Executable> readExecutable(const std::string &path) {
  Expected<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  if (file->isRegular())
    return readMessage(*file, path);
  Expected<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  Expected<Executable> executable = parseExecutable(*bytes);
  if (!executable)
    return executable.status().within(path);
  return executable;
}

Status writeExecutable(Executable executable, const std::string &path) {
  if (Status status = holdFileData(executable); !status.ok())
    return status;
  std::vector<std::string> data = takeData(executable);
  // Protobuf cannot serialize larger messages.
  if (size_t bytes = executable.ByteSizeLong(); bytes > maxFileBytes)
    return Status::badInput(
        fmt::format("{}: expected a program of at most {} bytes without its data, got {}", path,
                    maxFileBytes, bytes));
  Expected<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  Status status = file->append(headOf(executable));
  if (status.ok())
    status = forEachChunk(data, [&](std::string_view chunk) { return file->append(chunk); });
  return status.ok() ? file->commit() : status;
}

} // namespace pcc::abi
