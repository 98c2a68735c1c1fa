// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/simulate/Spans.h"

#include <algorithm>

namespace pcc::simulate {

std::vector<Span> uniteSpans(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span &a, const Span &b) { return a.begin < b.begin; });
  std::vector<Span> united;
  for (const Span &span : spans)
    if (united.empty() || span.begin > united.back().end)
      united.push_back(span);
    else
      united.back().end = std::max(united.back().end, span.end);
  return united;
}

double lengthBeside(const std::vector<Span> &busy, const Span &span) {
  auto endsBefore = [](const Span &each, double time) { return each.end <= time; };
  double length = 0;
  for (auto each = std::lower_bound(busy.begin(), busy.end(), span.begin, endsBefore);
       each != busy.end() && each->begin < span.end; ++each)
    length += std::min(each->end, span.end) - std::max(each->begin, span.begin);
  return length;
}

} // namespace pcc::simulate
