// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precomputes, for each input, the runs of a row's elements that the rank holds. A batch is then
// read row by row and run by run, with conversion of types. Several threads share the rows if they
// have at least 256 KiB, or are decoded.

#include "runtime/data/batches/BatchReader.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/files/Heartbeat.h"
#include "runtime/abi/program/ProgramInterface.h"
#include "runtime/abi/program/ProgramRanks.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace pcc::runtime {

BatchReader::BatchReader(const Dataset &dataset, const std::vector<BoundField> &bound,
                         const abi::Executable &executable, int64_t rank, Augmentation augmentation)
    : name(dataset.name), rows(dataset.rows), augmentation(augmentation) {
  std::vector<const abi::Input *> all = abi::inputsOf(executable);
  for (const abi::Input &input :
       executable.programs(abi::programOfRank(executable, rank)).inputs()) {
    const abi::Block &block = input.block();
    std::vector<int64_t> offsets = abi::offsetsOf(block, executable.mesh(), rank);
    auto same = std::find_if(all.begin(), all.end(), [&](const abi::Input *other) {
      return other->name() == input.name();
    });
    const BoundField &own = bound[size_t(same - all.begin())];
    const Field &field = dataset.fields[size_t(own.field)];
    bool isAugmented = augmentation.changesAny() && Augmentation::isImage(field);
    Source source{&input, field, own.legal, isAugmented, offsets[0], {}, 0};
    // Spans: the runs of the row along the last dimension; adjacent runs are joined.
    int dimensions = block.global_shape_size();
    int64_t localRow =
        *abi::elementCount(block.local_shape()) / std::max<int64_t>(1, block.local_shape(0));
    int64_t run = dimensions > 1 ? block.local_shape(dimensions - 1) : 1;
    for (int64_t first = 0; first < localRow; first += run) {
      int64_t rest = first, begin = 0, stride = 1;
      for (int d = dimensions - 1; d > 0; --d) {
        begin += (rest % block.local_shape(d) + offsets[d]) * stride;
        rest /= block.local_shape(d);
        stride *= block.global_shape(d);
      }
      if (!source.spans.empty() && source.spans.back().begin + source.spans.back().count == begin)
        source.spans.back().count += run;
      else
        source.spans.push_back({begin, run});
    }
    source.localRowBytes = localRow * int64_t(abi::elementBytes(block.type()));
    sources.push_back(std::move(source));
  }
}

std::vector<InputBytes> BatchReader::inputs() const {
  std::vector<InputBytes> all;
  for (const Source &source : sources)
    all.push_back({source.input, source.input->block().local_shape(0) * source.localRowBytes});
  return all;
}

Status BatchReader::read(const BatchPlace &place,
                         const std::function<std::byte *(const abi::Input &)> &addressOf,
                         const ParallelFor &parallelFor) const {
  std::mutex mutex;
  Status first;
  for (const Source &source : sources) {
    std::byte *out = addressOf(*source.input);
    int64_t count = source.input->block().local_shape(0);
    auto readRows = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row, abi::beat())
        if (Status status =
                readRow(source, place, source.firstRow + row, out + row * source.localRowBytes);
            !status.ok()) {
          std::lock_guard lock(mutex);
          if (first.ok())
            first = std::move(status);
          return;
        }
    };
    // For few bytes that are only copied, a single thread is faster.
    if (count * source.localRowBytes < (1 << 18) && !source.field.values.isCompressed())
      readRows(0, count);
    else
      parallelFor(count, readRows);
    if (!first.ok())
      return first;
  }
  return {};
}

Status BatchReader::readRow(const Source &source, const BatchPlace &place, int64_t row,
                            std::byte *out) const {
  int64_t position = place.firstRow + row;
  if (position >= rows) {
    std::memset(out, 0, source.localRowBytes);
    return {};
  }
  int64_t index = place.order.rowAt(position);
  abi::ElementType type = source.input->block().type();
  for (const Span &span : source.spans) {
    Status status;
    if (source.legal)
      status = source.legal->check(name, source.field, index, span.begin, span.count);
    if (!status.ok())
      return status;
    if (source.isAugmented)
      augmentation.read(source.field, place.epoch, index, span.begin, span.count, type, out);
    else
      source.field.read(index, span.begin, span.count, type, out);
    if (source.field.isMapped())
      status = source.field.finishRead(index, span.begin, span.count);
    if (!status.ok())
      return status;
    out += span.count * int64_t(abi::elementBytes(type));
  }
  return {};
}

} // namespace pcc::runtime
