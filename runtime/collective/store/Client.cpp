// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/store/Client.h"

namespace pcc::runtime::store {

Expected<std::shared_ptr<Client>> Client::connect(const Address &address, const std::string &name,
                                                  double seconds) {
  Expected<Socket> socket = Socket::connectTo(address, seconds);
  if (!socket)
    return socket.status();
  std::shared_ptr<Client> client(new Client(std::move(*socket)));
  client->receiver = std::thread([self = client.get()] { self->receiveAll(); });
  if (Status status = client->send({.operation = Operation::Hello}, "", name); !status.ok())
    return status;
  return client;
}

Client::~Client() {
  {
    std::lock_guard lock(mutex);
    isLeaving = true;
  }
  socket.shut();
  receiver.join();
}

Status Client::send(Head head, std::string_view key, std::string_view value) {
  std::string frame = makeFrame(head, key, value);
  bool sent = false;
  {
    std::lock_guard lock(sending);
    sent = socket.send(std::as_bytes(std::span(frame)));
  }
  if (sent)
    return {};
  std::lock_guard lock(mutex);
  return broken.ok() ? Status::failed(fmt::format("{}, which has the store, is gone", server))
                     : broken;
}

Status Client::set(const std::string &key, std::string_view value, int64_t uses) {
  return send({.operation = Operation::Set, .argument = uses}, key, value);
}

Status Client::remove(const std::string &key) {
  return send({.operation = Operation::Delete}, key, "");
}

std::pair<uint64_t, std::shared_ptr<Client::Wait>> Client::expect(Patience patience) {
  auto wait = std::make_shared<Wait>();
  wait->patience = patience;
  std::lock_guard lock(mutex);
  uint64_t number = asked++;
  waits.emplace(number, wait);
  return {number, std::move(wait)};
}

Expected<Client::Values> Client::get(const std::vector<std::string> &keys,
                                     std::optional<double> seconds, Patience patience) {
  std::string all;
  for (const std::string &key : keys)
    all += key + keyEnd;
  auto [number, wait] = expect(patience);
  if (Status status = send({.operation = Operation::Get, .number = number}, all, ""); !status.ok())
    return status;
  return await(number, *wait, seconds);
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
  auto [number, wait] = expect(Patience::OfTheConnection);
  if (Status status =
          send({.operation = Operation::Add, .number = number, .argument = amount}, key, "");
      !status.ok())
    return status;
  Expected<Values> values = await(number, *wait, seconds);
  if (!values)
    return values.status();
  return int64_t(std::atoll(values->front().c_str()));
}

Expected<Client::Values> Client::await(uint64_t number, Wait &wait, std::optional<double> seconds) {
  std::unique_lock lock(mutex);
  auto isOver = [&] { return wait.values || !failureOf(wait.patience).ok(); };
  if (!seconds)
    wait.changed.wait(lock, isOver);
  else
    wait.changed.wait_for(lock, std::chrono::duration<double>(*seconds), isOver);
  waits.erase(number);
  if (wait.values)
    return std::move(*wait.values);
  if (Status failure = failureOf(wait.patience); !failure.ok())
    return failure;
  return Status(StatusKind::TimedOut, fmt::format("no answer of the store within {} s", *seconds));
}

/// Under the lock: why nobody need wait any longer.
Status Client::failureOf(Patience patience) const {
  return patience == Patience::OfTheRun && !givenUp.ok() ? givenUp : broken;
}

void Client::giveUp(Status why) {
  std::unique_lock lock(mutex);
  if (givenUp.ok())
    givenUp = std::move(why);
  tell(std::move(lock));
}

void Client::listen(std::function<void(const std::string &)> listener) {
  std::unique_lock lock(mutex);
  listeners.push_back(std::move(listener));
  if (!failureOf(Patience::OfTheRun).ok())
    tell(std::move(lock));
}

/// Wakes who waits, and calls who listens, once and without the lock.
void Client::tell(std::unique_lock<std::mutex> lock) {
  for (auto &[number, wait] : waits)
    wait->changed.notify_all();
  std::string why = failureOf(Patience::OfTheRun).message();
  std::vector<std::function<void(const std::string &)>> called = std::exchange(listeners, {});
  lock.unlock();
  for (const auto &listener : called)
    listener(why);
}

Status Client::reason() const {
  std::lock_guard lock(mutex);
  return failureOf(Patience::OfTheRun);
}

void Client::callServer(const std::string &name) {
  std::lock_guard lock(mutex);
  server = name;
}

void Client::leave() {
  {
    std::lock_guard lock(mutex);
    isLeaving = true;
  }
  (void)send({.operation = Operation::Bye}, "", "");
}

void Client::receiveAll() {
  Head head;
  while (socket.receive(std::as_writable_bytes(std::span(&head, 1))) && head.word == magic) {
    std::string bytes(head.keyBytes + head.valueBytes, '\0');
    if (!socket.receive(std::as_writable_bytes(std::span(bytes))))
      break;
    received(head.number, bytes);
  }
  std::unique_lock lock(mutex);
  if (isLeaving)
    return;
  broken = Status::failed(fmt::format("{}, which has the store, is gone", server));
  tell(std::move(lock));
}

void Client::received(uint64_t number, std::string_view bytes) {
  Values values;
  forEachValue(bytes, [&](std::string_view value) { values.emplace_back(value); });
  std::shared_ptr<Wait> wait;
  {
    std::lock_guard lock(mutex);
    auto found = waits.find(number);
    if (found == waits.end())
      return; // nobody waits any longer
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
