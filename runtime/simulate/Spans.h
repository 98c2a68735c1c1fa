// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of times.

#ifndef PCC_RUNTIME_SIMULATE_SPANS_H
#define PCC_RUNTIME_SIMULATE_SPANS_H

#include "runtime/simulate/Timeline.h"

#include <vector>

namespace pcc::simulate {

/// The same times by spans that do not overlap, ascending.
std::vector<Span> uniteSpans(std::vector<Span> spans);

/// How much of `span` lies in `busy`, whose spans ascend and do not overlap.
double lengthBeside(const std::vector<Span> &busy, const Span &span);

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_SPANS_H
