// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each question to the store has a number and a Wait, on whose condition variable the asking thread
// sleeps. The receiving thread fills the Wait when the answer with that number arrives. An abort or
// a broken connection wakes all waiting threads. A frame that was sent in part cannot be taken
// back, so a thread that gives up in the middle ends the connection.

#include "runtime/collective/store/Client.h"

#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace pcc::runtime::store {

/// Seconds for which this process tries to tell the store that the run is aborted, or that it
/// leaves.
constexpr double farewellSeconds = 5;

static Status noStoreAt(const Address &address) {
  return Status::failed(fmt::format("what answers at {} is no store of pcc", address.text()));
}

Expected<std::shared_ptr<Client>> Client::connect(const Address &address, Identity identity,
                                                  double seconds) {
  Expected<Socket> socket = Socket::connectTo(address, seconds);
  if (!socket)
    return socket.status();
  std::shared_ptr<Client> client(new Client(std::move(*socket), address, std::move(identity)));
  Status status = startThread(client->receiver, [self = client.get()] { self->receiveAll(); });
  if (status.ok())
    status = client->greet(seconds);
  if (!status.ok())
    return status;
  return client;
}

/// Identifies this process. A store answers; another listener does not.
Status Client::greet(double seconds) {
  auto [number, wait] = expect(WaitScope::UntilConnectionBreaks);
  Head head{.operation = Operation::Hello, .number = number, .argument = identity.process};
  if (Status status = send(head, "", identity.name, seconds); !status.ok())
    return status;
  Expected<Values> answer = await(number, *wait, seconds);
  if (answer)
    return checkStore(*answer);
  Status status = answer.status();
  if (status.kind() != StatusKind::TimedOut)
    return status;
  return {StatusKind::TimedOut,
          fmt::format("what listens at {} does not answer as a store of pcc within {} s",
                      address.text(), seconds)};
}

/// Checks the answer to Hello: a store with this process's token has proved that it has it.
Status Client::checkStore(const Values &answer) const {
  if (!identity.token)
    return {};
  std::lock_guard lock(mutex);
  if (challenges && answer.size() == 1 &&
      identity.token.isProof(answer[0], Role::Store, challenges->first, challenges->second,
                             identity.process, identity.name))
    return {};
  return Status::failed(fmt::format(
      "the store at {} does not prove that it has this process's token", address.text()));
}

/// Answers a challenge of the store. Called by the receiving thread.
Status Client::prove(const Head &head, std::string_view value) {
  if (!identity.token)
    return Status::failed(
        fmt::format("the store at {} asks for a token: set PCC_STORE_TOKEN or PCC_STORE_TOKEN_FILE "
                    "in the environment of all processes",
                    address.text()));
  Expected<Challenge> own = makeChallenge();
  if (!own)
    return own.status();
  Challenge ofStore;
  std::memcpy(ofStore.data(), value.data(), ofStore.size());
  Proof proof = identity.token.prove(Role::Process, ofStore, *own, identity.process, identity.name);
  {
    std::lock_guard lock(mutex);
    challenges.emplace(ofStore, *own);
  }
  std::string text(own->data(), own->size());
  text.append(proof.data(), proof.size());
  return send({.operation = Operation::Prove, .number = head.number}, "", text, farewellSeconds);
}

Client::~Client() {
  {
    std::lock_guard lock(mutex);
    isLeaving = true;
  }
  socket.shut();
  if (receiver.joinable())
    receiver.join();
}

Status Client::send(Head head, std::string_view key, std::string_view value,
                    std::optional<double> seconds) {
  std::string frame = makeFrame(head, key, value);
  int64_t end =
      seconds ? nowNanoseconds() + int64_t(*seconds * 1e9) : std::numeric_limits<int64_t>::max();
  auto givesUp = [&] { return nowNanoseconds() >= end || (!seconds && !reason().ok()); };
  std::unique_lock lock(sending, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(200)))
    if (givesUp())
      return Status(StatusKind::TimedOut, "the store takes no bytes");
  if (socket.send(std::as_bytes(std::span(frame)), givesUp))
    return {};
  socket.shut();
  lock.unlock();
  std::lock_guard state(mutex);
  if (!abortReason.ok())
    return abortReason;
  return broken.ok() ? goneStatus() : broken;
}

Status Client::set(const std::string &key, std::string_view value, int64_t uses,
                   std::optional<double> seconds) {
  return send({.operation = Operation::Set, .argument = uses}, key, value, seconds);
}

Status Client::offer(const std::string &key, std::string_view value) {
  return send({.operation = Operation::Offer}, key, value, farewellSeconds);
}

std::pair<uint64_t, std::shared_ptr<Client::Wait>> Client::expect(WaitScope scope) {
  auto wait = std::make_shared<Wait>();
  wait->scope = scope;
  std::lock_guard lock(mutex);
  uint64_t number = asked++;
  waits.emplace(number, wait);
  return {number, std::move(wait)};
}

Expected<Client::Values> Client::get(const std::vector<std::string> &keys,
                                     std::optional<double> seconds, WaitScope scope) {
  std::string all;
  for (const std::string &key : keys)
    all += key + keyEnd;
  auto [number, wait] = expect(scope);
  if (Status status = send({.operation = Operation::Get, .number = number}, all, "", seconds);
      !status.ok())
    return status;
  Expected<Values> values = await(number, *wait, seconds);
  if (values && values->size() != keys.size())
    return Status::failed(
        fmt::format("the store gave {} values of {} keys", values->size(), keys.size()));
  return values;
}

Status Client::whenSet(const std::string &key, std::function<void(const std::string &)> take) {
  auto wait = std::make_shared<Wait>();
  wait->take = std::move(take);
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex);
    number = asked++;
    waits.emplace(number, std::move(wait));
  }
  return send({.operation = Operation::Get, .number = number}, key, "");
}

Expected<int64_t> Client::add(const std::string &key, int64_t amount,
                              std::optional<double> seconds) {
  auto [number, wait] = expect(WaitScope::UntilConnectionBreaks);
  if (Status status = send({.operation = Operation::Add, .number = number, .argument = amount}, key,
                           "", seconds);
      !status.ok())
    return status;
  Expected<Values> values = await(number, *wait, seconds);
  if (!values)
    return values.status();
  int64_t sum = 0;
  std::string text = values->empty() ? "" : values->front();
  if (std::from_chars(text.data(), text.data() + text.size(), sum).ec != std::errc())
    return Status::failed(fmt::format("the store's '{}': expected a number, got '{}'", key, text));
  return sum;
}

Expected<Client::Values> Client::await(uint64_t number, Wait &wait, std::optional<double> seconds) {
  std::unique_lock lock(mutex);
  auto isOver = [&] { return wait.values || !failureOf(wait.scope).ok(); };
  if (!seconds)
    wait.changed.wait(lock, isOver);
  else
    wait.changed.wait_for(lock, std::chrono::duration<double>(*seconds), isOver);
  waits.erase(number);
  if (wait.values)
    return std::move(*wait.values);
  if (Status failure = failureOf(wait.scope); !failure.ok())
    return failure;
  return Status(StatusKind::TimedOut, fmt::format("no answer of the store within {} s", *seconds));
}

/// Returns why waiting is pointless. Call under the lock.
Status Client::failureOf(WaitScope scope) const {
  return scope == WaitScope::UntilRunAborts && !abortReason.ok() ? abortReason : broken;
}

void Client::abortRun(Status why) {
  std::unique_lock lock(mutex);
  if (abortReason.ok())
    abortReason = std::move(why);
  notifyAll(std::move(lock));
}

void Client::listen(std::function<void(const std::string &)> listener) {
  std::unique_lock lock(mutex);
  listeners.push_back(std::move(listener));
  if (!failureOf(WaitScope::UntilRunAborts).ok())
    notifyAll(std::move(lock));
}

/// Wakes waiting threads, and calls listeners once, without the lock.
void Client::notifyAll(std::unique_lock<std::mutex> lock) {
  for (auto &[number, wait] : waits)
    wait->changed.notify_all();
  std::string why = failureOf(WaitScope::UntilRunAborts).message();
  std::vector<std::function<void(const std::string &)>> called = std::exchange(listeners, {});
  lock.unlock();
  for (const auto &listener : called)
    listener(why);
}

Status Client::reason() const {
  std::lock_guard lock(mutex);
  return failureOf(WaitScope::UntilRunAborts);
}

void Client::setServerName(const std::string &name) {
  std::lock_guard lock(mutex);
  server = name;
}

void Client::leave() {
  {
    std::lock_guard lock(mutex);
    isLeaving = true;
  }
  (void)send({.operation = Operation::Bye}, "", "", farewellSeconds);
}

void Client::receiveAll() {
  Status status;
  while (status.ok()) {
    bool hasThrown = true;
    status = catchExceptions([&] {
      Status one = receiveOne();
      hasThrown = false;
      return one;
    });
    if (hasThrown)
      (void)catchExceptions([&] {
        status = std::move(status).within(identity.ranks + ": the thread of the store");
        return Status();
      });
  }
  std::unique_lock lock(mutex);
  if (isLeaving)
    return;
  broken = std::move(status);
  for (auto &[number, wait] : waits)
    wait->changed.notify_all();
  (void)catchExceptions([&] {
    notifyAll(std::move(lock));
    return Status();
  });
}

/// Returns why no more data arrives. A listener that never answered is no store. Call under the
/// lock.
Status Client::goneStatus() const {
  return isGreeted ? Status::failed(fmt::format("{}, which has the store, is gone", server))
                   : noStoreAt(address);
}

/// Receives the magic word first: a listener that is no store may send less than a head and wait.
Status Client::receiveHead(Head &head) {
  auto bytes = std::as_writable_bytes(std::span(&head, 1));
  auto word = bytes.first(sizeof head.word);
  if (!socket.receive(word) ||
      (head.word == magic && !socket.receive(bytes.subspan(word.size())))) {
    std::lock_guard lock(mutex);
    return goneStatus();
  }
  bool isFromStore = head.operation == Operation::Answer || head.operation == Operation::Refusal ||
                     (head.operation == Operation::Challenge && !isGreeted &&
                      head.valueBytes == sizeof(Challenge));
  return head.isFrame() && isFromStore && head.keyBytes == 0 ? Status() : noStoreAt(address);
}

/// Receives a frame of the store. Returns an error if there is none, or if the frame is a refusal.
Status Client::receiveOne() {
  Head head;
  if (Status status = receiveHead(head); !status.ok())
    return status;
  // Memory grows with the received bytes, whatever length was announced.
  constexpr uint64_t least = 1 << 20;
  std::string bytes;
  while (bytes.size() < head.valueBytes) {
    size_t before = bytes.size();
    bytes.resize(std::min<uint64_t>(head.valueBytes, std::max<uint64_t>(least, 2 * before)));
    if (!socket.receive(std::as_writable_bytes(std::span(bytes).subspan(before)))) {
      std::lock_guard lock(mutex);
      return goneStatus();
    }
  }
  if (head.operation == Operation::Refusal)
    return Status::failed(std::move(bytes));
  if (head.operation == Operation::Challenge)
    return prove(head, bytes);
  received(head.number, bytes);
  return {};
}

void Client::received(uint64_t number, std::string_view bytes) {
  Values values;
  forEachValue(bytes, [&](std::string_view value) { values.emplace_back(value); });
  std::shared_ptr<Wait> wait;
  {
    std::lock_guard lock(mutex);
    isGreeted = true;
    auto found = waits.find(number);
    if (found == waits.end())
      return; // no thread waits any longer
    wait = found->second;
    if (wait->take)
      waits.erase(found);
    else
      wait->values = std::move(values);
    wait->changed.notify_all();
  }
  if (wait->take && !values.empty())
    wait->take(values.front());
}

} // namespace pcc::runtime::store
