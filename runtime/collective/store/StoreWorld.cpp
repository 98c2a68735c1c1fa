// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes communicate by keys: greetings, questions, answers, aborts and lost processes. A
// greeting has a hash of `common` and the process's name. A process that receives question n first
// subscribes to question n + 1, then stores its answer.

#include "runtime/collective/store/StoreWorld.h"

#include "runtime/collective/store/Server.h"
#include "runtime/collective/store/StoreCommunicator.h"

#include <numeric>
#include <unistd.h>

namespace pcc::runtime::store {
namespace {

std::string answerKey(int64_t question, int process) {
  return fmt::format("answer {} {}", question, process);
}
std::string questionKey(int64_t question) { return fmt::format("question {}", question); }

/// The function that makes this process's answers, and its lock.
struct Answers {
  std::mutex mutex;
  std::function<std::string()> report;
};

/// Answers question number `question` when it arrives, then the next one. The client outlives all
/// answers, since its thread gives them.
void answerFrom(Client &client, int process, int64_t question, std::shared_ptr<Answers> answers) {
  (void)client.whenSet(questionKey(question),
                       [&client, process, question, answers](const std::string &asker) {
                         answerFrom(client, process, question + 1, answers);
                         std::lock_guard lock(answers->mutex);
                         if (asker != std::to_string(process))
                           (void)client.set(answerKey(question, process),
                                            answers->report ? answers->report() : "", /*uses=*/1);
                       });
}

class StoreWorld final : public World {
public:
  StoreWorld(const WorldOptions &options, std::unique_ptr<Server> server,
             std::shared_ptr<Client> client, std::vector<std::string> names)
      : World({options.ranks, options.processes}, options.process), endTimeout(options.endTimeout),
        server(std::move(server)), client(std::move(client)), names(std::move(names)) {
    this->client->setServerName(nameOf(0));
    for (const char *key : {abortKey, lostKey})
      (void)this->client->whenSet(key, [self = this->client.get(), key](const std::string &value) {
        self->abortRun(key == abortKey ? Status(StatusKind::Aborted, value)
                                       : Status::failed(fmt::format("{} is gone", value)));
      });
    answerFrom(*this->client, options.process, /*question=*/1, answers);
  }

  Expected<std::vector<std::unique_ptr<Communicator>>> connect() override {
    std::vector<int> all(size_t(placement.ranks));
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::unique_ptr<Communicator>> communicators;
    for (int i = 0; i < ownRanks(); ++i)
      communicators.push_back(
          std::make_unique<StoreCommunicator>(client, "all", all, firstRank() + i));
    return communicators;
  }

  std::string nameOf(int process) const override { return names[size_t(process)]; }

  void answerWith(std::function<std::string()> report) override {
    std::lock_guard lock(answers->mutex);
    answers->report = std::move(report);
  }

  std::vector<std::optional<std::string>> ask(double seconds) override {
    std::vector<std::optional<std::string>> list{size_t(processes())};
    int64_t end = nowNanoseconds() + int64_t(seconds * 1e9);
    Expected<int64_t> question = client->add("questions", 1, seconds);
    if (!question) {
      // Process 0 does not answer, so nothing is known of the others.
      for (int other = 1; other < processes(); ++other)
        list[size_t(other)] =
            fmt::format("\n  {} cannot be asked without {}", nameOf(other), nameOf(0));
      return list;
    }
    (void)client->set(questionKey(*question), std::to_string(process()), /*uses=*/0, seconds);
    for (int other = 0; other < processes(); ++other) {
      double left = std::max(0.0, double(end - nowNanoseconds()) / 1e9);
      if (other == process())
        continue;
      Expected<Client::Values> answer = client->get({answerKey(*question, other)}, left,
                                                    Client::WaitScope::UntilConnectionBreaks);
      if (answer)
        list[size_t(other)] = answer->front();
    }
    return list;
  }

  void onAbort(std::function<void(const std::string &)> listener) const override {
    client->listen(std::move(listener));
  }

  /// Process 0 leaves last, since the others may still have data to fetch.
  Status close() override {
    client->leave();
    if (!server)
      return {};
    std::string missing;
    for (int process : server->waitUntilLeft(processes(), endTimeout))
      missing += fmt::format("{}{}: {}", missing.empty() ? "" : ", ",
                             placement.nameRanksOf(process), nameOf(process));
    return missing.empty() ? Status()
                           : Status(StatusKind::TimedOut,
                                    fmt::format("{} s after this process, these have not left: {}",
                                                endTimeout, missing));
  }

private:
  const double endTimeout;
  // Members are destroyed in reverse order, so the client before the server.
  const std::unique_ptr<Server> server;
  const std::shared_ptr<Answers> answers = std::make_shared<Answers>();
  const std::shared_ptr<Client> client;
  const std::vector<std::string> names;
};

std::string ownName(int process) {
  char host[80] = "?";
  gethostname(host, sizeof host - 1);
  return fmt::format("process {} ({} on {})", process, int(getpid()), host);
}

std::string greetingKey(int process) { return fmt::format("greeting {}", process); }

/// Gathers every process's greeting, by process. The error names the processes that have not
/// arrived.
Expected<Client::Values> greet(Client &client, const WorldOptions &options,
                               const std::string &own) {
  if (Status status = client.set(greetingKey(options.process), own); !status.ok())
    return status;
  std::vector<std::string> keys;
  for (int process = 0; process < options.processes; ++process)
    keys.push_back(greetingKey(process));
  Expected<Client::Values> all = client.get(keys, options.startTimeout);
  if (all || all.status().kind() != StatusKind::TimedOut)
    return all;
  std::string missing;
  for (int process = 0; process < options.processes; ++process)
    if (!client.get({greetingKey(process)}, /*seconds=*/0.1))
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", process);
  return Status(StatusKind::TimedOut,
                fmt::format("of {} processes these have not come within {} s: {}",
                            options.processes, options.startTimeout, missing));
}

} // namespace

Expected<std::unique_ptr<World>> makeWorld(const WorldOptions &options) {
  std::unique_ptr<Server> server;
  Address address = options.address;
  if (options.process == 0) {
    Expected<std::unique_ptr<Server>> started = Server::start(address, options.token);
    if (!started)
      return started.status();
    server = std::move(*started);
    address.port = server->port();
  }
  std::string name = ownName(options.process);
  Identity identity{.process = options.process,
                    .name = name,
                    .ranks =
                        Placement{options.ranks, options.processes}.nameRanksOf(options.process),
                    .token = options.token};
  Expected<std::shared_ptr<Client>> client =
      Client::connect(address, std::move(identity), options.startTimeout);
  if (!client)
    return client.status();
  std::string common = fmt::format("{:x}", std::hash<std::string>()(options.common));
  Expected<Client::Values> greetings = greet(**client, options, common + " " + name);
  if (!greetings)
    return greetings.status();
  std::vector<std::string> names;
  for (const std::string &greeting : *greetings) {
    names.push_back(greeting.substr(greeting.find(' ') + 1));
    if (!greeting.starts_with(greetings->front().substr(0, greetings->front().find(' ') + 1)))
      return Status::badUsage(
          fmt::format("{} runs another program than {}", names.back(), names.front()));
  }
  return std::unique_ptr<World>(std::make_unique<StoreWorld>(options, std::move(server),
                                                             std::move(*client), std::move(names)));
}

} // namespace pcc::runtime::store
