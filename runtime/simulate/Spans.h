// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of time spans.

#ifndef PCC_RUNTIME_SIMULATE_SPANS_H
#define PCC_RUNTIME_SIMULATE_SPANS_H

#include "runtime/simulate/Timeline.h"

#include <vector>

namespace pcc::simulate {

/// Returns the same times as ascending spans that do not overlap.
std::vector<Span> uniteSpans(std::vector<Span> spans);

/// Returns the length of `span` that lies in `busy`, whose spans ascend and do not overlap.
double lengthBeside(const std::vector<Span> &busy, const Span &span);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_SPANS_H
