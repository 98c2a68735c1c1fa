// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorBoard reads every file in the folder whose name has "tfevents", in the order of the names,
// which begin with the time. A run never changes a file of another run.

#include "runtime/execute/monitor/files/MetricsFile.h"

#include "runtime/abi/tensorboard.pb.h"
#include "runtime/base/Files.h"

#include <array>
#include <bit>
#include <unistd.h>

namespace pcc::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "the framing is little endian");

constexpr std::array<uint32_t, 256> makeCrcTable() {
  constexpr uint32_t polynomial = 0x82f63b78; // Castagnoli's, bits reversed
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ (crc & 1 ? polynomial : 0);
    table[byte] = crc;
  }
  return table;
}

/// The checksum of a TFRecord: rotated, so that a checksum of bytes with checksums stays strong.
uint32_t maskedCrcOf(std::string_view bytes) { return std::rotr(crc32cOf(bytes), 15) + 0xa282ead8; }

template <typename Integer> std::string bytesOf(Integer value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

std::string hostName() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

abi::TensorBoardEvent eventAt(double time, int64_t step) {
  abi::TensorBoardEvent event;
  event.set_wall_time(time);
  event.set_step(step);
  return event;
}

} // namespace

uint32_t crc32cOf(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> table = makeCrcTable();
  uint32_t crc = ~0U;
  for (char byte : bytes)
    crc = (crc >> 8) ^ table[(crc ^ uint8_t(byte)) & 0xff];
  return ~crc;
}

std::string tfRecordOf(std::string_view event) {
  std::string length = bytesOf(uint64_t(event.size()));
  return length + bytesOf(maskedCrcOf(length)) + std::string(event) + bytesOf(maskedCrcOf(event));
}

Status EventFile::open(int64_t start) {
  double now = secondsSince1970();
  if (Status status = makeFolder(folder); !status.ok())
    return std::move(status).within("--tensorboard");
  // Two runs on a machine have different processes, one after the other different times.
  std::string path =
      fmt::format("{}/events.out.tfevents.{:.6f}.{}.{}", folder, now, hostName(), getpid());
  Expected<AppendedFile> opened = AppendedFile::open(path, 0, warn);
  if (!opened)
    return std::move(opened).status().within("--tensorboard");
  file.emplace(std::move(*opened));
  abi::TensorBoardEvent version = eventAt(now, 0);
  version.set_file_version("brain.Event:2");
  file->append(tfRecordOf(version.SerializeAsString()));
  abi::TensorBoardEvent begin = eventAt(now, start + 1);
  begin.mutable_session_log()->set_status(abi::TensorBoardSessionLog::START);
  file->append(tfRecordOf(begin.SerializeAsString()));
  return {};
}

void EventFile::write(const MetricRecord &record) {
  abi::TensorBoardEvent event = eventAt(record.time, record.step);
  for (const auto &[name, number] : record.numbers) {
    abi::TensorBoardSummary::Value &value = *event.mutable_summary()->add_value();
    value.set_tag((record.group.empty() ? "train" : record.group) + "/" + name);
    value.set_simple_value(float(number));
  }
  file->append(tfRecordOf(event.SerializeAsString()));
}

} // namespace pcc::runtime
