// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The connection of a process to the store, shared by its threads. An extra thread receives answers
// and passes them to the waiting threads.

#pragma once

#include "runtime/collective/store/Frame.h"
#include "runtime/collective/store/Socket.h"
#include "runtime/collective/store/Token.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace pcc::runtime::store {

/// How a process presents itself.
struct Identity {
  int process = 0;
  std::string name = {};
  /// Its ranks, for messages: "rank 2".
  std::string ranks = {};
  Token token = {};
};

class Client {
public:
  using Values = std::vector<std::string>;

  /// Connects as a process. Waits at most `seconds` for a listener, and as long for its answer.
  /// Errors: TimedOut without a listener or an answer; the listener is no store, or has another
  /// token; another process has the number.
  static Expected<std::shared_ptr<Client>> connect(const Address &address, Identity identity,
                                                   double seconds);
  ~Client();

  /// Whether a wait ends when the run is aborted.
  enum class WaitScope { UntilRunAborts, UntilConnectionBreaks };

  /// Sets the value of a new key. The store refuses a second value and ends the connection of the
  /// client that gives it. The key is removed after `uses` gets; 0: it stays. The store must take
  /// the bytes within `seconds`, if given, or until the run is aborted: it may be stopped.
  Status set(const std::string &key, std::string_view value, int64_t uses = 0,
             std::optional<double> seconds = {});
  /// Sets the value of a key that stays, unless it already has a value. Tries for some seconds.
  Status offer(const std::string &key, std::string_view value);
  /// Waits for the values of all keys. Errors: TimedOut after `seconds`, if given; the reason of an
  /// abort; a broken connection.
  Expected<Values> get(const std::vector<std::string> &keys, std::optional<double> seconds = {},
                       WaitScope scope = WaitScope::UntilRunAborts);
  /// Calls `take` with the value when it is set, on the receiving thread.
  Status whenSet(const std::string &key, std::function<void(const std::string &)> take);
  /// Adds to a number that begins at 0, and returns the sum. Errors: those of get.
  Expected<int64_t> add(const std::string &key, int64_t amount, std::optional<double> seconds = {});

  /// Ends all present and future gets of the run. The first reason stays.
  void abortRun(Status reason);
  /// Returns why the run was aborted; success if it was not.
  Status reason() const;
  /// Registers `listener`, which is called with the reason of an abort, or when the connection
  /// breaks.
  void listen(std::function<void(const std::string &)> listener);

  /// Sets the name of the server in messages about a broken connection.
  void setServerName(const std::string &name);

  /// Announces that this process leaves. Tries for some seconds.
  void leave();

private:
  struct Wait {
    std::condition_variable changed;
    WaitScope scope = WaitScope::UntilRunAborts;
    std::optional<Values> values;
    std::function<void(const std::string &)> take;
  };

  Client(Socket socket, Address address, Identity identity)
      : socket(std::move(socket)), address(std::move(address)), identity(std::move(identity)) {}
  Status greet(double seconds);
  Status checkStore(const Values &answer) const;
  Status prove(const Head &head, std::string_view value);
  void receiveAll();
  Status receiveHead(Head &head);
  Status receiveOne();
  Status goneStatus() const;
  void received(uint64_t number, std::string_view values);
  Status send(Head head, std::string_view key, std::string_view value,
              std::optional<double> seconds = {});
  std::pair<uint64_t, std::shared_ptr<Wait>> expect(WaitScope scope);
  Expected<Values> await(uint64_t number, Wait &wait, std::optional<double> seconds);
  Status failureOf(WaitScope scope) const;
  void notifyAll(std::unique_lock<std::mutex> lock);

  const Socket socket;
  const Address address;
  const Identity identity;
  std::thread receiver;
  std::timed_mutex sending;

  mutable std::mutex mutex;
  uint64_t asked = 0;
  std::map<uint64_t, std::shared_ptr<Wait>> waits;
  Status broken, abortReason;
  /// The challenges of the store and of this process, if the store asked for a proof.
  std::optional<std::pair<Challenge, Challenge>> challenges;
  std::string server = "process 0";
  bool isGreeted = false, isLeaving = false;
  std::vector<std::function<void(const std::string &)>> listeners;
};

} // namespace pcc::runtime::store
