// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/CostFlags.h"

#include "tools/pcc/report/Output.h"
#include "llvm/Support/Regex.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

CostFlags::CostFlags(cl::SubCommand &command)
    : precision(
          "precision", cl::desc("type that replaces f32 in the estimate (default: f32)"),
          cl::values(clEnumValN(PrecisionName::F32, "f32", "unchanged"),
                     clEnumValN(PrecisionName::F16, "f16", "mixed precision with loss scaling"),
                     clEnumValN(PrecisionName::BF16, "bf16", "mixed precision with f32 gradients")),
          cl::init(PrecisionName::F32), cl::sub(command)),
      recompute("recompute",
                cl::desc("forward ops that are recomputed for the backward pass, by name"),
                cl::value_desc("regex"), cl::sub(command)),
      wide("wide", cl::desc("ops that mixed precision keeps in f32, by name"),
           cl::value_desc("regex"), cl::sub(command)),
      hidesActivations("hide-activations",
                       cl::desc("overlap collectives of activations with adjacent matmuls"),
                       cl::sub(command)),
      bucketBytes("bucket-bytes",
                  cl::desc("bucket size of gradients in bytes (default: 0, no buckets)"),
                  cl::init(0), cl::sub(command)) {}

ExitCode CostFlags::read(plan::CostOptions &options) const {
  for (const cl::opt<std::string> *flag : {&recompute, &wide}) {
    std::string error;
    if (!flag->getValue().empty() && !llvm::Regex(*flag).isValid(error))
      return fail(BadUsage, "'--" + flag->ArgStr + "': expected a regular expression, got '" +
                                flag->getValue() + "': " + error);
  }
  if (precision == PrecisionName::F16)
    options.precision = plan::Precision::f16();
  if (precision == PrecisionName::BF16)
    options.precision = plan::Precision::bf16();
  options.recompute = recompute;
  options.hidesActivations = hidesActivations;
  options.bucketBytes = bucketBytes;
  options.wide = wide;
  return Success;
}
