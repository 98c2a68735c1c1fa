// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads with zlib in chunks of 1 MiB; gzread returns files that are not gzip unchanged.

#include "runtime/data/ReadDecompressed.h"

#include "runtime/abi/files/Heartbeat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <zlib.h>

namespace pcc::runtime {

size_t halfOfMemory() { return size_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 2; }

Expected<std::vector<std::byte>> readDecompressed(const std::string &path, size_t maxBytes) {
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return Status::badInput(fmt::format("{}: expected a file, got a folder", path));
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file)
    return Status::badInput(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::vector<std::byte> content;
  constexpr unsigned chunk = 1 << 20;
  int got;
  do {
    content.resize(content.size() + chunk);
    got = gzread(file, content.data() + content.size() - chunk, chunk);
    content.resize(content.size() - chunk + std::max(got, 0));
    abi::beat();
  } while (got > 0 && content.size() <= maxBytes);
  int code = Z_OK;
  std::string reason = gzerror(file, &code);
  if (got == 0 && code == Z_BUF_ERROR)
    reason = "the file is truncated";
  gzclose(file);
  if (content.size() > maxBytes)
    return Status::badInput(
        fmt::format("{}: expected at most {} bytes after decompression, got more", path, maxBytes));
  if (got < 0 || code == Z_BUF_ERROR)
    return Status::badInput(fmt::format("{}: cannot read: {}", path, reason));
  return content;
}

} // namespace pcc::runtime
