// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats events as JSON text and collects about 1 MiB of it for each write. The first write error
// is stored, and finish() returns it.

#include "runtime/abi/files/ChromeTrace.h"

#include "runtime/abi/files/JsonString.h"
#include "runtime/abi/program/CollectiveName.h"

#include <fmt/format.h>

namespace pcc::abi {
namespace {

constexpr size_t pieceBytes = 1 << 20; ///< bytes per write
constexpr std::pair<StreamKind, const char *> streams[] = {
    {COMPUTE, "compute"}, {COMMUNICATION, "communication"}, {TRANSFER, "transfer"}};

/// Returns `all_reduce`, `matmul`, …; empty for an instruction without a kind.
std::string nameOfKind(const Instruction &instruction) {
  if (instruction.has_collective())
    return collectiveName(instruction.collective().kind());
  const auto *field = Instruction::descriptor()->FindFieldByNumber(instruction.kind_case());
  return field ? std::string(field->name()) : std::string();
}

} // namespace

Expected<ChromeTrace> ChromeTrace::create(const std::string &path) {
  Expected<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  return ChromeTrace(std::move(*file));
}

void ChromeTrace::add(std::string_view event) {
  pending += isEmpty ? "\n" : ",\n";
  pending += event;
  isEmpty = false;
  if (pending.size() < pieceBytes)
    return;
  if (status.ok())
    status = file.append(pending);
  pending.clear(); // also after an error, since nothing is written any more
}

void ChromeTrace::addRank(int64_t rank, std::string_view name) {
  add(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":{}}}}})", rank,
                  quoteJson(name)));
  for (auto [stream, streamName] : streams)
    add(fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                    rank, int(stream), streamName));
}

void ChromeTrace::addInstruction(int64_t rank, const Instruction &instruction, int64_t step,
                                 double begin, double duration) {
  add(fmt::format(R"({{"name":{},"cat":"{}","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
                  R"("args":{{"step":{},"location":{}}}}})",
                  quoteJson(instruction.op()), nameOfKind(instruction), rank,
                  int(instruction.stream()), begin, duration, step,
                  quoteJson(instruction.location())));
}

void ChromeTrace::addCounter(int64_t rank, std::string_view counter, double begin, uint64_t value) {
  add(fmt::format(R"({{"name":{},"ph":"C","pid":{},"ts":{:.3f},"args":{{"bytes":{}}}}})",
                  quoteJson(counter), rank, begin, value));
}

Status ChromeTrace::finish() {
  pending += "\n]\n";
  if (status.ok())
    status = file.append(pending);
  return status.ok() ? file.commit() : status;
}

} // namespace pcc::abi
