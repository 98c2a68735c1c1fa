// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A poll(2) loop over non-blocking sockets. Received bytes collect per connection until a frame is
// complete; answers collect until the socket takes them. A get is queued under each missing key,
// and answered when the last one is set. An exception ends the store: every process gets the reason
// as a refusal.

#include "runtime/collective/store/Server.h"

#include "runtime/abi/files/RetryAfterSignal.h"
#include "runtime/base/CatchExceptions.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pcc::runtime::store {

/// Pause of accepting while the process has no descriptor or memory for a new connection. The
/// connection stays pending in the listener, which would otherwise wake the thread again and
/// again.
constexpr int pauseMilliseconds = 100;

/// Time in which a connection must be admitted, and how many may be about to be.
constexpr int64_t admissionNanoseconds = 10'000'000'000;
constexpr int64_t maxWithoutHello = 256;

Expected<std::unique_ptr<Server>> Server::start(const Address &address, Token token) {
  Expected<Socket> listener = Socket::listenAt(address);
  if (!listener)
    return listener.status();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::failed(fmt::format("the store: pipe2: {}", std::strerror(errno)));
  std::unique_ptr<Server> server(
      new Server(std::move(*listener), std::move(token), ends[0], ends[1]));
  if (Status status = startThread(server->thread, [self = server.get()] { self->run(); });
      !status.ok())
    return std::move(status).within("the store");
  return server;
}

Server::~Server() {
  (void)!write(wakeBegin, "", 1);
  if (thread.joinable())
    thread.join();
  close(wakeEnd);
  close(wakeBegin);
}

std::vector<int> Server::waitUntilLeft(int processes, double seconds) {
  std::unique_lock lock(mutex);
  someoneLeft.wait_for(lock, std::chrono::duration<double>(seconds),
                       [&] { return hasFailed || int(left.size()) >= processes; });
  std::vector<int> missing;
  for (int process = 0; process < processes; ++process)
    if (!left.contains(process))
      missing.push_back(process);
  return missing;
}

void Server::run() {
  Status status = catchExceptions([&] { return loop(); });
  if (!status.ok())
    (void)catchExceptions([&] {
      fail(fmt::format("rank 0: the thread of the store: {}", status.message()));
      return Status();
    });
}

/// Tells every process why the store ends. Connections stay open until the store is destroyed: a
/// connection closed with unread bytes may lose what was sent last.
void Server::fail(const std::string &why) {
  entries.clear(); // makes room
  waiting.clear();
  for (const std::shared_ptr<Connection> &connection : connections)
    connection->in = {};
  for (const std::shared_ptr<Connection> &connection : connections) {
    if (!connection->name.empty())
      refuse(*connection, why);
    if (connection->name.empty() || !connection->out.empty())
      connection->socket.shut();
  }
  std::lock_guard lock(mutex);
  hasFailed = true;
  someoneLeft.notify_all();
}

/// Serves until the store is destroyed, or the system fails.
Status Server::loop() {
  while (true) {
    bool accepts = nowNanoseconds() >= acceptsFrom;
    std::vector<pollfd> places = {{wakeEnd, POLLIN, 0},
                                  {listener.get(), short(accepts ? POLLIN : 0), 0}};
    std::vector<std::shared_ptr<Connection>> polled(connections.begin(), connections.end());
    for (const std::shared_ptr<Connection> &connection : polled)
      places.push_back({connection->socket.get(),
                        short(connection->out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    bool hasSilent = std::ranges::any_of(polled, [](const auto &it) { return it->name.empty(); });
    int milliseconds = !accepts || hasSilent ? pauseMilliseconds : -1;
    if (poll(places.data(), places.size(), milliseconds) < 0) {
      if (errno != EINTR)
        return Status::failed(fmt::format("poll: {}", std::strerror(errno)));
      continue;
    }
    if (places[0].revents)
      return {};
    if (places[1].revents)
      accept();
    for (size_t i = 0; i < polled.size(); ++i) {
      if (places[2 + i].revents & POLLOUT)
        flush(*polled[i]);
      if (places[2 + i].revents & ~POLLOUT)
        receive(polled[i]);
    }
    endSilent();
    for (const std::shared_ptr<Connection> &connection : polled)
      if (connection->isBroken && !connection->hasLeft && !connection->name.empty())
        markLost(*connection);
    connections.remove_if([](const auto &connection) { return connection->isBroken; });
  }
}

void Server::accept() {
  Socket socket = listener.accept();
  if (socket)
    connections.push_back(std::make_shared<Connection>(
        Connection{.socket = std::move(socket), .begin = nowNanoseconds()}));
  else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
    acceptsFrom = nowNanoseconds() + int64_t(pauseMilliseconds) * 1'000'000;
}

/// Ends connections that have not said who they are in time, and the oldest of too many.
void Server::endSilent() {
  int64_t silent = std::ranges::count_if(
      connections, [](const auto &it) { return it->name.empty() && !it->isBroken; });
  for (const std::shared_ptr<Connection> &connection : connections) {
    if (!connection->name.empty() || connection->isBroken)
      continue;
    bool isLate = nowNanoseconds() - connection->begin > admissionNanoseconds;
    connection->isBroken = isLate || silent > maxWithoutHello;
    silent -= connection->isBroken;
  }
}

/// Returns whether a head is valid for a process. Before it is admitted, only a small Hello and
/// then a proof are.
bool Server::isAcceptable(const Connection &connection, const Head &head) const {
  if (!connection.name.empty())
    return head.isFrame() && head.operation != Operation::Hello;
  if (connection.challenge)
    return head.isFrame() && head.operation == Operation::Prove && head.keyBytes == 0 &&
           head.valueBytes == sizeof(Challenge) + sizeof(Proof);
  return head.isFrame() && head.operation == Operation::Hello && head.keyBytes == 0 &&
         head.valueBytes > 0 && head.valueBytes <= maxNameBytes;
}

void Server::receive(const std::shared_ptr<Connection> &connection) {
  constexpr size_t most = 1 << 18;
  size_t before = connection->in.size();
  connection->in.resize(before + most);
  ssize_t received = abi::retryAfterSignal(
      [&] { return recv(connection->socket.get(), connection->in.data() + before, most, 0); });
  connection->in.resize(before + size_t(std::max<ssize_t>(received, 0)));
  bool isLater = received < 0 && errno == EAGAIN;
  connection->isBroken |= received <= 0 && !isLater;
  size_t taken = 0;
  const std::string &in = connection->in;
  for (Head head; !connection->isBroken && in.size() - taken >= sizeof head;) {
    if (connection->isRefused) {
      taken = in.size(); // ignore everything until the other side disconnects
      break;
    }
    std::memcpy(&head, in.data() + taken, sizeof head);
    connection->isBroken = !isAcceptable(*connection, head);
    if (connection->isBroken || in.size() - taken < head.size())
      break;
    size_t key = taken + sizeof head, value = key + head.keyBytes;
    taken += head.size();
    connection->isBroken |=
        !handle(connection, head, in.substr(key, head.keyBytes), in.substr(value, head.valueBytes));
  }
  connection->in.erase(0, taken);
}

/// Records the first lost process; the run cannot continue without it.
void Server::markLost(Connection &connection) {
  if (!entries.contains(lostKey))
    set(lostKey, connection.name, /*uses=*/0);
}

/// Handles a frame. Returns whether a process may send such a frame.
bool Server::handle(const std::shared_ptr<Connection> &connection, const Head &head,
                    std::string key, std::string value) {
  switch (head.operation) {
  case Operation::Hello:
    greet(*connection, head, std::move(value));
    return true;
  case Operation::Prove:
    if (!connection->name.empty())
      return false;
    check(*connection, head, value);
    return true;
  case Operation::Set:
    if (entries.contains(key))
      refuse(*connection, fmt::format("the store has a value of '{}' already", key));
    else
      set(key, std::move(value), head.argument);
    return true;
  case Operation::Offer:
    if (!entries.contains(key))
      set(key, std::move(value), /*uses=*/0);
    return true;
  case Operation::Get:
    get(connection, head.number, std::move(key));
    return true;
  case Operation::Add:
    add(*connection, head.number, key, head.argument);
    return true;
  case Operation::Bye: {
    std::lock_guard lock(mutex);
    connection->hasLeft = true;
    left.insert(connection->process);
    someoneLeft.notify_all();
    return true;
  }
  default:
    return false;
  }
}

/// Admits a process, or asks for its proof if there is a token.
void Server::greet(Connection &connection, const Head &head, std::string name) {
  connection.process = head.argument;
  connection.claimed = std::move(name);
  if (!token)
    return admit(connection, head.number, "");
  Expected<Challenge> challenge = makeChallenge();
  if (!challenge)
    return refuse(connection, challenge.status().message());
  connection.challenge = *challenge;
  send(connection, makeFrame({.operation = Operation::Challenge, .number = head.number}, "",
                             {challenge->data(), challenge->size()}));
}

/// Checks the proof of a process, and gives the store's.
void Server::check(Connection &connection, const Head &head, std::string_view value) {
  Challenge ofProcess;
  std::memcpy(ofProcess.data(), value.data(), ofProcess.size());
  value.remove_prefix(ofProcess.size());
  if (!token.isProof(value, Role::Process, *connection.challenge, ofProcess, connection.process,
                     connection.claimed))
    return refuse(connection,
                  fmt::format("{} has another token than the store", connection.claimed));
  Proof proof = token.prove(Role::Store, *connection.challenge, ofProcess, connection.process,
                            connection.claimed);
  std::string values;
  joinValue(values, {proof.data(), proof.size()});
  admit(connection, head.number, values);
}

void Server::admit(Connection &connection, uint64_t number, std::string_view values) {
  auto [known, isNew] = names.emplace(connection.process, connection.claimed);
  if (!isNew)
    return refuse(connection, fmt::format("{} is not the first process {}: {} has come before it",
                                          connection.claimed, connection.process, known->second));
  connection.name = connection.claimed;
  send(connection, makeFrame({.operation = Operation::Answer, .number = number}, "", values));
}

void Server::refuse(Connection &connection, const std::string &why) {
  connection.isRefused = true;
  send(connection, makeFrame({.operation = Operation::Refusal}, "", why));
}

void Server::set(const std::string &key, std::string value, int64_t uses) {
  entries[key] = {std::move(value), uses};
  auto found = waiting.find(key);
  if (found == waiting.end())
    return;
  std::vector<std::shared_ptr<Wait>> waits = std::move(found->second);
  waiting.erase(found);
  for (const std::shared_ptr<Wait> &wait : waits)
    if (--wait->missing == 0)
      answer(*wait);
}

void Server::get(const std::shared_ptr<Connection> &connection, uint64_t number, std::string keys) {
  auto wait = std::make_shared<Wait>(Wait{connection, number, std::move(keys), 0});
  forEachKey(wait->keys, [&](const std::string &key) {
    if (entries.contains(key))
      return;
    waiting[key].push_back(wait);
    ++wait->missing;
  });
  if (wait->missing == 0)
    answer(*wait);
}

void Server::add(Connection &connection, uint64_t number, const std::string &key, int64_t amount) {
  int64_t sum = 0;
  if (auto found = entries.find(key); found != entries.end()) {
    const std::string &text = found->second.value;
    if (std::from_chars(text.data(), text.data() + text.size(), sum).ptr !=
        text.data() + text.size())
      return refuse(connection, fmt::format("the value of '{}' is not a number", key));
  }
  if (__builtin_add_overflow(sum, amount, &sum))
    return refuse(connection, fmt::format("the number '{}' would overflow", key));
  set(key, std::to_string(sum), /*uses=*/0);
  std::string values;
  joinValue(values, std::to_string(sum));
  send(connection, makeFrame({.operation = Operation::Answer, .number = number}, "", values));
}

void Server::answer(const Wait &wait) {
  std::string values;
  forEachKey(wait.keys, [&](const std::string &key) {
    auto found = entries.find(key);
    if (found == entries.end())
      return; // it was used up while other keys of the list were awaited
    joinValue(values, found->second.value);
    if (found->second.uses > 0 && --found->second.uses == 0)
      entries.erase(found);
  });
  send(*wait.connection,
       makeFrame({.operation = Operation::Answer, .number = wait.number}, "", values));
}

void Server::send(Connection &connection, const std::string &frame) {
  connection.out += frame;
  flush(connection);
}

void Server::flush(Connection &connection) {
  while (!connection.isBroken && connection.sent < connection.out.size()) {
    ssize_t sent = abi::retryAfterSignal([&] {
      return ::send(connection.socket.get(), connection.out.data() + connection.sent,
                    connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent < 0 && errno == EAGAIN)
      return;
    connection.isBroken = sent < 0;
    connection.sent += size_t(std::max<ssize_t>(sent, 0));
  }
  connection.out.clear();
  connection.sent = 0;
}

} // namespace pcc::runtime::store
