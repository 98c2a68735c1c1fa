// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test fixture with a folder for data files.

#pragma once

#include "runtime/data/Dataset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

namespace pcc::test {

class DataFiles : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Returns the content of an IDX file.
  static std::string idx(const std::vector<int> &shape, const std::string &values, char type = 8) {
    std::string bytes = {0, 0, type, char(shape.size())};
    for (int extent : shape)
      bytes += {char(extent >> 24), char(extent >> 16), char(extent >> 8), char(extent)};
    return bytes + values;
  }
  std::string write(const std::string &name, const std::string &bytes) {
    std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string writePacked(const std::string &name, const std::string &bytes) {
    std::string path = folder + "/" + name;
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), unsigned(bytes.size()));
    gzclose(file);
    return path;
  }
  /// Returns the bytes of a row of a field.
  static std::string rowOf(const runtime::Field &field, int64_t row) {
    auto width = int64_t(runtime::storageBytes(field.storage));
    std::string bytes;
    field.values.forEachPiece(field.positionOf(row, 0) * width, field.rowElements() * width,
                              [&](std::span<const std::byte> piece) {
                                bytes.append(reinterpret_cast<const char *>(piece.data()),
                                             piece.size());
                              });
    return bytes;
  }

  const std::string folder = testing::TempDir() + "/pcc_data_test";
};

} // namespace pcc::test
