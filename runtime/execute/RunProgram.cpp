// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/RunProgram.h"

#include <charconv>
#include <google/protobuf/util/json_util.h>

namespace pcc::runtime {
namespace {

/// `name` as RunConfig gives it.
Expected<Dataset> openData(const std::string &name, const Session &session, DataPurpose purpose,
                           uint64_t seed) {
  constexpr std::string_view synthetic = "synthetic";
  if (!name.starts_with(synthetic))
    return openDataset(name, purpose);
  int64_t rows = 1024;
  std::string_view count = std::string_view(name).substr(synthetic.size());
  if (!count.empty()) {
    const char *end = count.data() + count.size();
    auto parsed = std::from_chars(count.data() + 1, end, rows);
    if (count[0] != ':' || parsed.ec != std::errc() || parsed.ptr != end || rows < 1)
      return Status::badUsage(
          fmt::format("--data: expected synthetic or synthetic:ROWS, got '{}'", name));
  }
  return makeSyntheticDataset(session.program(), rows, seed);
}

TrainOptions trainOptionsOf(const abi::RunConfig &config, std::FILE *out, bool progressBar) {
  return {.steps = config.steps(),
          .epochs = config.epochs(),
          .shuffle = config.shuffle(),
          .seed = config.seed(),
          .logEvery = config.log_every(),
          .logDir = config.log_dir(),
          .out = out,
          .progressBar = progressBar};
}

} // namespace

Expected<abi::RunReport> runProgram(abi::Executable executable, const abi::RunConfig &config,
                                    std::FILE *out, bool progressBar) {
  if (config.data().empty() && config.eval_data().empty())
    return Status::badUsage("expected --data, --eval-data or both");
  auto session = Session::load(
      std::move(executable),
      {.seed = config.seed(), .threads = config.threads(), .timeOut = config.time_out()});
  if (!session)
    return session.status();

  abi::RunReport report;
  if (!config.data().empty()) {
    auto data = openData(config.data(), **session, DataPurpose::Training, config.seed());
    if (!data)
      return data.status();
    auto trained = train(**session, *data, trainOptionsOf(config, out, progressBar));
    if (!trained)
      return trained.status();
    report = std::move(*trained);
  }
  if (!config.eval_data().empty()) {
    auto data = openData(config.eval_data(), **session, DataPurpose::Evaluation, config.seed());
    if (!data)
      return data.status();
    auto metrics = evaluate(**session, *data);
    if (!metrics)
      return metrics.status();
    report.mutable_metrics()->insert(metrics->begin(), metrics->end());
  }
  if (!config.trace().empty())
    if (Status status = writeChromeTrace(config.trace(), (*session)->traces()); !status.ok())
      return status;
  return report;
}

std::string toJson(const abi::RunReport &report) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(report, &text,
                                                    options); // every field has a form in JSON
  return text;
}

} // namespace pcc::runtime
