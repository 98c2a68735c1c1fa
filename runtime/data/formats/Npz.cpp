// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks through the directory of the archive with minizip. Members that are stored as they are stay
// in the mapped file; the others are decompressed and compared with their checksum.

#include "runtime/data/formats/Formats.h"

#include "runtime/data/ReadDecompressed.h"

#include <array>
#include <minizip/unzip.h>

namespace pcc::runtime {
namespace {

constexpr std::string_view extension = ".npy";

/// An open archive.
class Archive {
public:
  explicit Archive(const std::string &path) : handle(unzOpen64(path.c_str())) {}
  ~Archive() {
    if (handle)
      unzClose(handle);
  }
  Archive(const Archive &) = delete;

  unzFile get() const { return handle; }

private:
  const unzFile handle; ///< null: not an archive
};

/// Reads the members of one archive.
class MemberReader {
public:
  MemberReader(const std::string &path, unzFile archive, std::shared_ptr<const MappedFile> file)
      : path(path), archive(archive), file(std::move(file)) {}

  /// Reads the current member, unless it is no array.
  Status add(std::vector<NamedPart> &parts);

private:
  Status damaged(const char *reason) const {
    return Status::badInput(fmt::format("{}: damaged: {}", label, reason));
  }
  /// Returns the bytes of a member that is stored as it is.
  Expected<Values::Part> map(uint64_t bytes) const;
  Expected<Values::Part> decompress(uint64_t bytes);

  const std::string &path;
  const unzFile archive;
  const std::shared_ptr<const MappedFile> file;
  std::string label;     ///< of the current member, for diagnostics
  uint64_t inMemory = 0; ///< bytes of all members that were decompressed
};

Status MemberReader::add(std::vector<NamedPart> &parts) {
  unz_file_info64 info = {};
  std::array<char, 1024> name = {};
  if (unzGetCurrentFileInfo64(archive, &info, name.data(), name.size() - 1, nullptr, 0, nullptr,
                              0) != UNZ_OK)
    return Status::badInput(fmt::format("{}: damaged: its directory cannot be read", path));
  std::string_view member = name.data();
  label = fmt::format("{}({})", path, member);
  if (!member.ends_with(extension))
    return {};
  bool isEncrypted = info.flag & 1, isStored = info.compression_method == 0;
  if (isEncrypted || (!isStored && info.compression_method != Z_DEFLATED))
    return Status::badInput(fmt::format("{}: expected an array as numpy.savez or "
                                        "numpy.savez_compressed writes it, got another compression",
                                        label));
  if (unzOpenCurrentFile(archive) != UNZ_OK)
    return damaged("the array cannot be read");
  Expected<Values::Part> part =
      isStored ? map(info.uncompressed_size) : decompress(info.uncompressed_size);
  bool isWhole = unzCloseCurrentFile(archive) != UNZ_CRCERROR;
  if (!part)
    return part.status();
  if (!isStored && !isWhole)
    return damaged("the array does not have its checksum");
  part->path = label;
  parts.push_back(
      {std::string(member.substr(0, member.size() - extension.size())), std::move(*part)});
  return {};
}

Expected<Values::Part> MemberReader::map(uint64_t bytes) const {
  uint64_t begin = unzGetCurrentFileZStreamPos64(archive);
  std::span<const std::byte> all = file->bytes();
  if (begin > all.size() || bytes > all.size() - begin)
    return damaged("the file ends too early");
  return Values::Part{.bytes = all.subspan(begin, bytes), .file = file};
}

Expected<Values::Part> MemberReader::decompress(uint64_t bytes) {
  constexpr uint64_t readBytes = uint64_t(1) << 20;
  inMemory += bytes;
  if (size_t most = halfOfMemory(); bytes > most || inMemory > most)
    return Status::badInput(fmt::format("{}: expected at most {} bytes of compressed arrays, half "
                                        "of this machine's memory; numpy.savez stores arrays that "
                                        "are read in place",
                                        path, most));
  std::vector<std::byte> content(bytes);
  for (uint64_t at = 0; at < bytes;) {
    int got =
        unzReadCurrentFile(archive, content.data() + at, unsigned(std::min(readBytes, bytes - at)));
    if (got <= 0)
      return damaged("the array ends too early");
    at += uint64_t(got);
  }
  return partOf(std::move(content));
}

} // namespace

Expected<std::vector<NamedPart>> readNpzParts(const std::string &path) {
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.status();
  Archive archive(path);
  if (!archive.get())
    return Status::badInput(fmt::format("{}: not an .npz file", path));
  MemberReader reader(path, archive.get(), *file);
  std::vector<NamedPart> parts;
  int next = unzGoToFirstFile(archive.get());
  for (; next == UNZ_OK; next = unzGoToNextFile(archive.get()))
    if (Status status = reader.add(parts); !status.ok())
      return status;
  if (next != UNZ_END_OF_LIST_OF_FILE)
    return Status::badInput(fmt::format("{}: damaged: its directory cannot be read", path));
  if (parts.empty())
    return Status::badInput(
        fmt::format("{}: expected arrays NAME.npy in the file, got none", path));
  return parts;
}

} // namespace pcc::runtime
