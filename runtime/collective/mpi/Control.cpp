// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages have one of three tags: abort, question or answer. The engine's thread probes each tag
// and answers a question at once. A sent text stays in a list until MPI has completed its send.

#include "runtime/collective/mpi/Control.h"

#include <algorithm>

namespace pcc::runtime::mpi {
namespace {

enum Tag : int32_t { AbortRun = 1, Question = 2, Answer = 3 };

} // namespace

void Control::open() {
  engine->watch([weak = weak_from_this()] {
    std::shared_ptr<Control> self = weak.lock();
    return self && self->probe();
  });
}

void Control::abort(const std::string &reason) {
  if (!abortState->set(reason))
    return;
  engine->submit([self = shared_from_this(), reason] { self->sendToOthers(AbortRun, reason); });
}

void Control::answerWith(std::function<std::string()> newReport) {
  std::lock_guard lock(mutex);
  report = std::move(newReport);
}

std::vector<std::optional<std::string>> Control::ask(double seconds) {
  size_t processes = size_t(engine->processes());
  std::unique_lock lock(mutex);
  answers.assign(processes, std::nullopt);
  engine->submit([self = shared_from_this()] { self->sendToOthers(Question, ""); });
  changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    return size_t(std::count_if(answers.begin(), answers.end(),
                                [](const auto &answer) { return answer.has_value(); })) +
               1 ==
           processes;
  });
  return answers;
}

bool Control::advance() {
  size_t before = sending.size();
  sending.remove_if([&](Sent &message) {
    int32_t done = 0;
    int64_t bytes = 0;
    return engine->mpi().test(&message.request, &done, &bytes) != 0 || done;
  });
  return sending.size() != before;
}

void Control::sendToOthers(int32_t tag, const std::string &text) {
  for (int process = 0; process < engine->processes(); ++process)
    if (process != engine->process())
      send(tag, process, text);
}

void Control::send(int32_t tag, int process, const std::string &text) {
  Sent &message = sending.emplace_back(Sent{.text = text, .request = 0});
  // If a message cannot be sent, the other process will not answer.
  if (engine->mpi().send(message.text.data(), int32_t(message.text.size()), 1, process, tag, group,
                         &message.request) != 0)
    sending.pop_back();
  engine->add(shared_from_this());
}

bool Control::probe() {
  bool found = false;
  for (int32_t tag : {AbortRun, Question, Answer})
    found |= take(tag);
  return found;
}

/// Receives a message with tag `tag`, if one has arrived.
bool Control::take(int32_t tag) {
  const PccMpi &mpi = engine->mpi();
  int32_t found = 0, process = 0;
  int64_t bytes = 0;
  if (mpi.probe(tag, group, &found, &process, &bytes) != 0 || !found)
    return false;
  std::string text(size_t(bytes), '\0');
  PccMpiRequest request = 0;
  if (mpi.receive(text.data(), int32_t(bytes), 1, process, tag, group, &request) != 0)
    return false;
  // MPI has announced the message, so the receive completes soon.
  for (int32_t done = 0; !done;)
    if (mpi.test(&request, &done, &bytes) != 0)
      return false;
  received(tag, process, std::move(text));
  return true;
}

void Control::received(int32_t tag, int process, std::string text) {
  if (tag == AbortRun) {
    abortState->set(text);
    return;
  }
  std::lock_guard lock(mutex);
  if (tag == Question) {
    send(Answer, process, report ? report() : "");
    return;
  }
  if (size_t(process) < answers.size())
    answers[size_t(process)] = std::move(text);
  changed.notify_all();
}

} // namespace pcc::runtime::mpi
