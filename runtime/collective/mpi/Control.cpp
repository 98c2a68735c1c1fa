// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages have one of three tags: abort, question or answer. The engine's thread probes each tag
// and answers a question at once. A text stays in a list until MPI has completed its send or
// receive: MPI may announce a long text whose process then stops.

#include "runtime/collective/mpi/ProcessGroup.h"

#include <algorithm>

namespace pcc::runtime::mpi {
namespace {

enum Tag : int32_t { AbortRun = 1, Question = 2, Answer = 3 };

} // namespace

void Control::open(const std::string &owner) {
  auto probeOnce = [weak = weak_from_this()] {
    std::shared_ptr<Control> self = weak.lock();
    return self && self->probe();
  };
  auto fail = [weak = weak_from_this(), owner](const Status &status) {
    if (std::shared_ptr<Control> self = weak.lock())
      self->abort(
          Status::failed(fmt::format("{}: the thread of MPI: {}", owner, status.message())));
  };
  engine->watch(std::move(probeOnce), std::move(fail));
}

void Control::abort(Status reason) {
  std::string text = reason.message();
  if (!abortState->set(std::move(reason)))
    return;
  engine->submit([self = shared_from_this(), text] { self->sendToOthers(AbortRun, text); });
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
  size_t sent = sending.remove_if([&](Sent &message) {
    int32_t done = 0;
    int64_t bytes = 0;
    return engine->mpi().test(&message.request, &done, &bytes) != 0 || done;
  });
  bool moved = advanceReceives();
  return moved || sent > 0;
}

/// Handles the messages that have been received. A receive that fails is forgotten.
bool Control::advanceReceives() {
  bool moved = false;
  for (auto message = receiving.begin(); message != receiving.end();) {
    auto current = message++;
    int32_t done = 0;
    int64_t bytes = 0;
    int code = engine->mpi().test(&current->request, &done, &bytes);
    if (code == 0 && !done)
      continue;
    std::list<Received> one;
    one.splice(one.end(), receiving, current);
    moved = true;
    if (code == 0)
      received(one.front().tag, one.front().process, std::move(one.front().text));
  }
  return moved;
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

/// Starts to receive a message with tag `tag`, if one has arrived.
bool Control::take(int32_t tag) {
  const PccMpi &mpi = engine->mpi();
  int32_t found = 0, process = 0;
  int64_t bytes = 0;
  if (mpi.probe(tag, group, &found, &process, &bytes) != 0 || !found)
    return false;
  Received &message = receiving.emplace_back(
      Received{.tag = tag, .process = process, .text = std::string(size_t(bytes), '\0')});
  if (mpi.receive(message.text.data(), int32_t(bytes), 1, process, tag, group, &message.request) !=
      0) {
    receiving.pop_back();
    return false;
  }
  engine->add(shared_from_this());
  return true;
}

void Control::received(int32_t tag, int process, std::string text) {
  if (tag == AbortRun) {
    abortState->set({StatusKind::Aborted, std::move(text)});
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
