// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps token files and joins them to one sequence. A file with an index beside it has the type and
// the documents of the index. Other files have only tokens.

#include "runtime/data/formats/Formats.h"

#include "runtime/base/Files.h"
#include "runtime/data/formats/NameList.h"
#include "runtime/data/formats/SequenceWindows.h"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace pcc::runtime {
namespace {

struct TokenType {
  std::string_view name;
  Storage storage;
};

/// The types of tokens; those of integers may be stated.
constexpr TokenType tokenTypes[] = {
    {"u8", Storage::Bytes}, {"u16", Storage::U16}, {"u32", Storage::U32}, {"u64", Storage::U64},
    {"i8", Storage::I8},    {"i16", Storage::I16}, {"i32", Storage::I32}, {"i64", Storage::I64},
    {"f32", Storage::F32},  {"f64", Storage::F64}};

std::string_view nameOf(Storage storage) {
  return std::ranges::find(tokenTypes, storage, &TokenType::storage)->name;
}

/// Joins the parts of the files that are added.
class TokenFiles {
public:
  /// `stated`: the type that the user states.
  explicit TokenFiles(std::optional<Storage> stated) : stated(stated) {}

  Status add(const std::string &path);
  Sequence sequence() && {
    return {Values(std::move(parts)), storage.value_or(Storage::U16), "token", "tokens"};
  }

private:
  Status setType(const std::string &path, Storage own);

  const std::optional<Storage> stated;
  std::optional<Storage> storage;
  std::string first; ///< the file with this type
  std::vector<Values::Part> parts;
};

/// Fails unless all files have the same type.
Status TokenFiles::setType(const std::string &path, Storage own) {
  if (stated && *stated != own)
    return Status::badUsage(fmt::format("{}: expected tokens of {}, as 'tokens:{}:' says, got {}",
                                        path, nameOf(*stated), nameOf(*stated), nameOf(own)));
  if (storage && *storage != own)
    return Status::badInput(fmt::format("{}: expected tokens of {}, as in '{}', got {}", path,
                                        nameOf(*storage), first, nameOf(own)));
  if (!storage)
    first = path;
  storage = own;
  return {};
}

Status TokenFiles::add(const std::string &path) {
  if (path.ends_with(".gz"))
    return Status::badInput(
        fmt::format("{}: expected a file that can be mapped; 'gunzip' decompresses it", path));
  Expected<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.status();
  std::span<const std::byte> bytes = (*file)->bytes();
  std::string indexPath = std::filesystem::path(path).replace_extension(".idx").string();
  bool hasIndex = fileExists(indexPath);
  TokenIndex index{stated.value_or(Storage::U16), {{0, bytes.size()}}};
  if (hasIndex) {
    Expected<TokenIndex> read = readMegatronIndex(indexPath, bytes.size());
    if (!read)
      return read.status();
    index = std::move(*read);
  }
  uint64_t width = storageBytes(index.storage);
  if (!hasIndex && bytes.size() % width != 0)
    return Status::badInput(
        fmt::format("{}: expected tokens of {} bytes, got {} bytes", path, width, bytes.size()));
  for (const TokenIndex::Run &run : index.runs)
    parts.push_back({.bytes = bytes.subspan(run.begin, run.bytes), .file = *file, .path = path});
  return setType(hasIndex ? indexPath : path, index.storage);
}

} // namespace

Expected<Dataset> readTokens(const std::string &spec, int64_t length, DataPurpose purpose) {
  std::string paths = spec;
  std::optional<Storage> stated;
  if (size_t colon = spec.find(':'); colon != std::string::npos)
    for (const TokenType &type : tokenTypes)
      if (type.name == std::string_view(spec).substr(0, colon)) {
        stated = type.storage;
        paths = spec.substr(colon + 1);
      }
  TokenFiles files(stated);
  Status status = forEachFile(
      paths, [&](const std::string &folder) { return listShards(folder, ".bin", purpose); },
      [&](const std::string &file) { return files.add(file); });
  if (!status.ok())
    return status;
  return makeWindows("tokens:" + spec, std::move(files).sequence(), length);
}

} // namespace pcc::runtime
