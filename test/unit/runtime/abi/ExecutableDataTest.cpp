// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data behind the message of a file: what is read back, what is read only on demand, and files
// whose data are damaged or not where the message says.

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/files/Executable.h"
#include "test/unit/runtime/Programs.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace pcc::test {
namespace {

using abi::DataReader;
using abi::Executable;
using abi::Expected;
using google::protobuf::util::MessageDifferencer;

constexpr uint64_t mib = uint64_t(1) << 20;

std::string randomBytes(uint64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char &byte : bytes)
    byte = char(random());
  return bytes;
}

void addConstants(Executable &executable, uint64_t bytes) {
  abi::Buffer &buffer = *executable.mutable_programs(0)->mutable_memory()->add_buffers();
  buffer.set_name("constants");
  buffer.set_space(abi::CONSTANT);
  buffer.set_bytes(bytes);
  buffer.set_type(abi::I8);
  buffer.add_shape(int64_t(bytes));
}

/// Returns a program of two layers that holds constants and the first values of its weights.
Executable makeExecutable(uint64_t constants, int64_t width = 5) {
  Executable executable = makeMlp({.ranks = 2, .batch = 4, .widths = {6, width, 3}});
  executable.mutable_object()->set_elf("no code");
  if (constants > 0) {
    addConstants(executable, constants);
    executable.set_constants(randomBytes(constants, 1));
  }
  abi::Program &program = *executable.mutable_programs(0);
  for (int i = 0; i < program.parameters_size(); i += 2) {
    uint64_t bytes = 4;
    for (int64_t extent : program.parameters(i).block().global_shape())
      bytes *= uint64_t(extent);
    program.mutable_parameters(i)->mutable_initializer()->set_data(randomBytes(bytes, i + 2));
  }
  return executable;
}

/// A file in a folder of its own, which is removed at the end.
struct File {
  explicit File(const std::string &name) : folder(testing::TempDir() + "/pcc_data_" + name) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~File() { std::filesystem::remove_all(folder); }
  std::string path() const { return folder / "a.pcx"; }

  /// Replaces one byte.
  void flip(uint64_t at) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(at));
    char byte = char(file.get() ^ 1);
    file.seekp(std::streamoff(at));
    file.put(byte);
  }
  std::string errorOfReading() const {
    Expected<Executable> read = abi::readExecutable(path());
    return read ? "" : read.status().message();
  }

  std::filesystem::path folder;
};

std::string readConstants(DataReader &reader, uint64_t offset, uint64_t bytes) {
  std::string out(bytes, '\0');
  abi::Status status = reader.readConstants(offset, std::as_writable_bytes(std::span(out)));
  return status.ok() ? out : status.message();
}

TEST(ExecutableData, ReadsBackIdentically) {
  for (uint64_t constants : {0, 1, 64, 100, int(mib), int(3 * mib + 100)}) {
    Executable executable = makeExecutable(constants);
    std::string bytes = abi::serialize(executable);
    Expected<Executable> read = abi::parseExecutable(bytes);
    ASSERT_TRUE(bool(read)) << read.status().message();
    EXPECT_TRUE(MessageDifferencer::Equals(executable, *read));
    EXPECT_EQ(abi::serialize(*read), bytes);
  }
}

TEST(ExecutableData, StaysInTheFile) {
  File file("stays");
  Executable executable = makeExecutable(3 * mib + 100);
  ASSERT_TRUE(abi::writeExecutable(executable, file.path()).ok());
  EXPECT_EQ(std::filesystem::file_size(file.path()), abi::serialize(executable).size());
  Expected<Executable> read = abi::readExecutable(file.path());
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_LT(read->ByteSizeLong(), mib);
  EXPECT_EQ(abi::constantBytes(*read), 3 * mib + 100);
  Expected<DataReader> reader = DataReader::open(*read);
  ASSERT_TRUE(bool(reader));
  for (auto [offset, bytes] :
       {std::pair<uint64_t, uint64_t>{0, 10}, {mib - 5, 10}, {3 * mib, 100}, {17, 3 * mib}, {5, 0}})
    EXPECT_EQ(readConstants(*reader, offset, bytes), executable.constants().substr(offset, bytes));
  EXPECT_TRUE(reader->checkAll().ok());
  EXPECT_EQ(abi::identityOf(*read), abi::identityOf(executable));
  EXPECT_FALSE(read->data().file().empty());
  File copy("copy"); // written from the file
  ASSERT_TRUE(abi::writeExecutable(*read, copy.path()).ok());
  EXPECT_EQ(*abi::readFile(copy.path()), *abi::readFile(file.path()));
  ASSERT_TRUE(abi::holdData(*read, *reader).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(executable, *read));
}

// Processes compare programs by their identity, which has to differ where the data do.
TEST(ExecutableData, IdentityDependsOnEveryPart) {
  Executable executable = makeExecutable(mib + 1);
  std::string identity = abi::identityOf(executable);
  EXPECT_LT(identity.size(), mib);
  Executable changed = executable;
  changed.mutable_constants()->back() ^= 1;
  EXPECT_NE(abi::identityOf(changed), identity);
  changed = executable;
  changed.mutable_programs(0)
      ->mutable_parameters(0)
      ->mutable_initializer()
      ->mutable_data()
      ->front() ^= 1;
  EXPECT_NE(abi::identityOf(changed), identity);
  EXPECT_EQ(abi::identityOf(executable), identity);
}

TEST(ExecutableData, EveryDamagedByteIsFound) {
  std::string bytes = abi::serialize(makeExecutable(100));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 4);
    EXPECT_FALSE(bool(abi::parseExecutable(damaged))) << "byte " << i;
  }
}

TEST(ExecutableData, EveryTruncationIsFound) {
  std::string bytes = abi::serialize(makeExecutable(100));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(bool(abi::parseExecutable(bytes.substr(0, length)))) << length << " bytes";
}

// Data are checked where they are read: what is damaged elsewhere does not matter.
TEST(ExecutableData, DamageIsFoundWhereItIsRead) {
  File file("damage");
  Executable executable = makeExecutable(3 * mib);
  ASSERT_TRUE(abi::writeExecutable(executable, file.path()).ok());
  Expected<Executable> read = abi::readExecutable(file.path());
  ASSERT_TRUE(bool(read));
  uint64_t begin = read->data().begin();
  file.flip(begin + mib + 7);
  EXPECT_EQ(file.errorOfReading(), "");
  Expected<DataReader> reader = DataReader::open(*read);
  EXPECT_EQ(readConstants(*reader, 0, mib), executable.constants().substr(0, mib));
  EXPECT_EQ(readConstants(*reader, 2 * mib, mib), executable.constants().substr(2 * mib));
  std::string expected = file.path() + ": damaged: data from byte " + std::to_string(begin + mib) +
                         " to " + std::to_string(begin + 2 * mib) + ": expected fingerprint ";
  EXPECT_TRUE(readConstants(*reader, mib - 1, 2).starts_with(expected))
      << readConstants(*reader, mib - 1, 2);
  EXPECT_TRUE(reader->checkAll().message().starts_with(expected));
}

TEST(ExecutableData, WrongSizesAreErrors) {
  File file("sizes");
  ASSERT_TRUE(abi::writeExecutable(makeExecutable(2 * mib), file.path()).ok());
  uint64_t size = std::filesystem::file_size(file.path());
  std::string expected =
      file.path() + ": expected a file of " + std::to_string(size) + " bytes, got ";
  for (uint64_t wrong : {size - 1, size - mib, size + 1, uint64_t(8) << 40}) {
    std::filesystem::resize_file(file.path(), wrong); // without blocks on the disk
    EXPECT_EQ(file.errorOfReading(), expected + std::to_string(wrong));
  }
  std::filesystem::resize_file(file.path(), size);
  Expected<Executable> read = abi::readExecutable(file.path());
  ASSERT_TRUE(bool(read)) << read.status().message();
  std::filesystem::resize_file(file.path(), size - mib); // shorter while it is read
  Expected<DataReader> reader = DataReader::open(*read);
  EXPECT_NE(reader->checkAll().message().find("got the end of the file"), std::string::npos)
      << reader->checkAll().message();
  std::filesystem::remove(file.path());
  EXPECT_EQ(DataReader::open(*read).status().message(),
            file.path() + ": cannot open: No such file or directory");
}

/// Returns the beginning of a file with this message, whatever it says.
std::string forgeHead(const Executable &executable) {
  std::string message = executable.SerializeAsString(), head("pcc.pcx\n");
  auto add = [&](uint64_t number) {
    head.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  add(abi::executableVersion);
  add(message.size());
  add(abi::fingerprintOf(message));
  head += message;
  head.resize(abi::alignData(head.size()));
  return head;
}

TEST(ExecutableData, WrongPlacesAreErrors) {
  Executable executable = makeExecutable(100);
  std::vector<std::string> parts = abi::takeData(executable);
  ASSERT_EQ(parts.size(), 3u);
  ASSERT_EQ(executable.data().bytes(), 128 + 120 + 8 + 60u);
  auto stored = [](Executable &e, int parameter) {
    return e.mutable_programs(0)
        ->mutable_parameters(parameter)
        ->mutable_initializer()
        ->mutable_stored();
  };
  struct Case {
    std::function<void(Executable &)> change;
    std::string error;
  };
  std::string second = "programs[0].parameters[2].initializer.stored: ";
  for (const Case &wrong : {
           Case{[&](Executable &e) { e.mutable_stored_constants()->set_offset(64); },
                "stored_constants: expected offset 0, got 64"},
           Case{[&](Executable &e) { stored(e, 2)->set_offset(128); }, // overlaps
                second + "expected offset 256, got 128"},
           Case{[&](Executable &e) { stored(e, 2)->set_offset(248); }, // not aligned
                second + "expected offset 256, got 248"},
           Case{[&](Executable &e) { stored(e, 2)->set_bytes(61); },
                second + "expected at most 60 bytes from 256 on, got 61"},
           Case{[&](Executable &e) { stored(e, 2)->set_bytes(~uint64_t(0)); },
                second + "expected at most 60 bytes from 256 on, got 18446744073709551615"},
           Case{[&](Executable &e) { stored(e, 2)->set_bytes(56); },
                "data.bytes: expected 312, got 316"},
           Case{[&](Executable &e) { e.mutable_data()->add_fingerprints(0); },
                "data.fingerprints: expected 1, got 2"},
           Case{[&](Executable &e) { e.mutable_data()->clear_fingerprints(); },
                "data.fingerprints: expected 1, got 0"},
           Case{[&](Executable &e) { e.mutable_data()->set_file("/etc/passwd"); },
                "data: expected no file in a file"},
           Case{[&](Executable &e) { e.set_constants("too"); },
                "stored_constants: expected none beside constants in the message"},
           Case{[&](Executable &e) { e.mutable_data()->set_bytes(~uint64_t(0)); },
                "data.bytes: expected at most 316, got 18446744073709551615"},
           Case{[&](Executable &e) { e.mutable_data()->set_fingerprints(0, 1); }, "damaged: data"},
           Case{[&](Executable &) {}, ""},
       }) {
    Executable changed = executable;
    wrong.change(changed);
    std::string bytes = forgeHead(changed);
    (void)abi::forEachChunk(parts, [&](std::string_view chunk) {
      bytes += chunk;
      return abi::Status();
    });
    Expected<Executable> read = abi::parseExecutable(bytes);
    std::string error = read ? "" : read.status().message();
    EXPECT_TRUE(wrong.error.empty() ? error.empty() : error.starts_with(wrong.error))
        << error << ", expected " << wrong.error;
  }
}

// Constants of 3 GiB: zeros without blocks on the disk, of which two parts are read.
TEST(ExecutableData, ConstantsMayBeLargerThanAMessage) {
  constexpr uint64_t bytes = uint64_t(3) << 30;
  File file("large");
  Executable executable = makeExecutable(0);
  addConstants(executable, bytes);
  for (abi::Parameter &parameter : *executable.mutable_programs(0)->mutable_parameters())
    parameter.mutable_initializer()->set_constant(0);
  executable.mutable_stored_constants()->set_bytes(bytes);
  executable.mutable_data()->set_bytes(bytes);
  uint64_t fingerprint = abi::fingerprintOf(std::string(abi::dataChunkBytes, '\0'));
  for (uint64_t chunk = 0; chunk < bytes / abi::dataChunkBytes; ++chunk)
    executable.mutable_data()->add_fingerprints(fingerprint);
  std::string head = forgeHead(executable);
  std::ofstream(file.path(), std::ios::binary) << head;
  std::filesystem::resize_file(file.path(), head.size() + bytes);
  Expected<Executable> read = abi::readExecutable(file.path());
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_EQ(abi::constantBytes(*read), bytes);
  file.flip(head.size() + bytes - 3 * mib);
  Expected<DataReader> reader = DataReader::open(*read);
  ASSERT_TRUE(bool(reader));
  EXPECT_EQ(readConstants(*reader, bytes - 100, 100), std::string(100, '\0'));
  EXPECT_EQ(readConstants(*reader, 2 * mib, 100), std::string(100, '\0'));
  EXPECT_NE(readConstants(*reader, bytes - 3 * mib + 5, 1).find("damaged"), std::string::npos);
}

TEST(ExecutableData, WritesMoreThanAMessage) {
  if (!std::getenv("PCC_TEST_FULL"))
    GTEST_SKIP() << "takes 3 GiB of memory and of the disk";
  File file("full");
  Executable executable = makeExecutable(0);
  uint64_t bytes = (uint64_t(5) << 29) + 3;
  addConstants(executable, bytes);
  executable.set_constants(std::string(bytes, 'x'));
  std::string identity = abi::identityOf(executable);
  ASSERT_TRUE(abi::writeExecutable(std::move(executable), file.path()).ok());
  Expected<Executable> read = abi::readExecutable(file.path());
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_EQ(abi::identityOf(*read), identity);
  Expected<DataReader> reader = DataReader::open(*read);
  EXPECT_TRUE(reader->checkAll().ok());
  EXPECT_EQ(readConstants(*reader, bytes - 2, 2), "xx");
}

// A process has the constants of its own ranks' programs only.
TEST(ExecutableData, RanksUseTheConstantsOfTheirPrograms) {
  Executable executable = makeExecutable(0);
  executable.set_constants(std::string(640, 'x'));
  *executable.add_programs() = executable.programs(0);
  auto add = [&](int program, uint64_t offset, uint64_t bytes) {
    abi::Buffer &buffer = *executable.mutable_programs(program)->mutable_memory()->add_buffers();
    buffer.set_space(abi::CONSTANT);
    buffer.set_offset(offset);
    buffer.set_bytes(bytes);
  };
  auto rangeOf = [&](int64_t first, int64_t ranks) {
    abi::DataRange range = abi::constantsOf(executable, first, ranks);
    return std::pair<uint64_t, uint64_t>(range.offset(), range.bytes());
  };
  EXPECT_EQ(rangeOf(0, 2), std::pair(uint64_t(0), uint64_t(0)));
  add(0, 64, 100);
  add(0, 192, 8);
  add(1, 256, 300);
  EXPECT_EQ(rangeOf(0, 1), std::pair(uint64_t(64), uint64_t(136)));
  EXPECT_EQ(rangeOf(1, 1), std::pair(uint64_t(256), uint64_t(300)));
  EXPECT_EQ(rangeOf(0, 0), std::pair(uint64_t(64), uint64_t(492)));
}

} // namespace
} // namespace pcc::test
