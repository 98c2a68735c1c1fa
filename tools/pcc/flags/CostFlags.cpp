// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/CostFlags.h"

#include "tools/pcc/report/Output.h"
#include "llvm/Support/Regex.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

CostFlags::CostFlags(cl::SubCommand &command)
    : precision("precision", cl::desc("as which type f32 is priced"),
                cl::values(clEnumValN(PrecisionName::F32, "f32", "as it is (default)"),
                           clEnumValN(PrecisionName::F16, "f16", "mixed, with scaled losses"),
                           clEnumValN(PrecisionName::BF16, "bf16", "mixed, f32 gradients")),
                cl::init(PrecisionName::F32), cl::sub(command)),
      recompute("recompute",
                cl::desc("forward ops that run again before the backward pass, by names"),
                cl::value_desc("regex"), cl::sub(command)),
      alone("alone", cl::desc("ops that are kernels of their own, by names"),
            cl::value_desc("regex"), cl::sub(command)),
      apart("apart", cl::desc("ops that share kernels with each other only, by names"),
            cl::value_desc("regex"), cl::sub(command)),
      wide("wide", cl::desc("ops that mixed precision leaves in f32, by names"),
           cl::value_desc("regex"), cl::sub(command)),
      hidesActivations("hide-activations",
                       cl::desc("other collectives run beside the products next to them"),
                       cl::sub(command)),
      bucketBytes("bucket-bytes", cl::desc("gradients wait until they come to so many bytes"),
                  cl::init(0), cl::sub(command)) {}

ExitCode CostFlags::read(plan::CostOptions &options) const {
  for (const cl::opt<std::string> *flag : {&recompute, &alone, &apart, &wide}) {
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
  options.alone = alone;
  options.apart = apart;
  options.wide = wide;
  return Success;
}
