// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part of a proof's text has a fixed length, except for the name at its end, so two texts are
// equal only if their parts are.

#include "runtime/collective/store/Token.h"

#include "runtime/abi/files/RetryAfterSignal.h"
#include "runtime/base/SharedLibrary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pcc::runtime::store {
namespace {

constexpr const char *textVariable = "PCC_STORE_TOKEN", *fileVariable = "PCC_STORE_TOKEN_FILE";
constexpr size_t minSecretBytes = 16, maxSecretBytes = 4096;

/// The functions of OpenSSL's libcrypto.
struct Crypto {
  decltype(&HMAC) hmac;
  decltype(&EVP_sha256) sha256;
  decltype(&CRYPTO_memcmp) compare;

  static const Expected<Crypto> &get() {
    static const Expected<Crypto> crypto = load();
    return crypto;
  }

private:
  static Expected<Crypto> load() {
    constexpr const char *names[] = {"libcrypto.so.3"};
    Crypto crypto = {};
    const Symbol table[] = {symbol("HMAC", crypto.hmac), symbol("EVP_sha256", crypto.sha256),
                            symbol("CRYPTO_memcmp", crypto.compare)};
    if (Status status =
            SharedLibrary::load(names, "a token of the store needs it: install libssl3", table);
        !status.ok())
      return status;
    return crypto;
  }
};

/// Reads the first line of a file that only its owner may read.
Expected<std::string> readSecret(const std::string &path) {
  auto bad = [&](const std::string &why) {
    return Status::badUsage(fmt::format("the environment's '{}': {}: {}", fileVariable, path, why));
  };
  int file = abi::retryAfterSignal([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (file < 0)
    return bad(fmt::format("cannot open: {}", std::strerror(errno)));
  struct stat facts = {};
  char text[maxSecretBytes];
  ssize_t bytes = -1;
  if (fstat(file, &facts) == 0)
    bytes = abi::retryAfterSignal([&] { return read(file, text, sizeof text); });
  int reason = errno;
  close(file);
  if (bytes < 0)
    return bad(fmt::format("cannot read: {}", std::strerror(reason)));
  if (unsigned others = facts.st_mode & 077; others != 0)
    return bad(fmt::format("expected a file that only its owner may read, got mode {:o}; 'chmod "
                           "600' makes it one",
                           facts.st_mode & 0777));
  std::string secret(text, size_t(bytes));
  return secret.substr(0, secret.find_first_of("\r\n"));
}

} // namespace

Expected<Challenge> makeChallenge() {
  Challenge challenge;
  ssize_t got =
      abi::retryAfterSignal([&] { return getrandom(challenge.data(), challenge.size(), 0); });
  if (got != ssize_t(challenge.size()))
    return Status::failed(fmt::format("getrandom: {}", std::strerror(errno)));
  return challenge;
}

Expected<Token> Token::make(std::string secret) {
  if (secret.size() < minSecretBytes)
    return Status::badUsage(fmt::format("the token of the store: expected at least {} characters, "
                                        "got {}; 'openssl rand -hex 32' makes a good one",
                                        minSecretBytes, secret.size()));
  if (const Expected<Crypto> &crypto = Crypto::get(); !crypto)
    return crypto.status();
  Token token;
  token.secret = std::move(secret);
  return token;
}

Proof Token::prove(Role role, const Challenge &ofStore, const Challenge &ofProcess, int64_t process,
                   std::string_view name) const {
  std::string text = "pcc store 1 ";
  text += char(role);
  text.append(ofStore.data(), ofStore.size()).append(ofProcess.data(), ofProcess.size());
  text.append(reinterpret_cast<const char *>(&process), sizeof process).append(name);
  const Crypto &crypto = *Crypto::get();
  Proof proof = {};
  unsigned bytes = 0;
  crypto.hmac(crypto.sha256(), secret.data(), int(secret.size()),
              reinterpret_cast<const unsigned char *>(text.data()), text.size(),
              reinterpret_cast<unsigned char *>(proof.data()), &bytes);
  return proof;
}

bool Token::isProof(std::string_view proof, Role role, const Challenge &ofStore,
                    const Challenge &ofProcess, int64_t process, std::string_view name) const {
  Proof expected = prove(role, ofStore, ofProcess, process, name);
  return proof.size() == expected.size() &&
         Crypto::get()->compare(proof.data(), expected.data(), expected.size()) == 0;
}

Expected<Token> readToken(const Environment &environment) {
  const char *text = environment(textVariable), *file = environment(fileVariable);
  if (text)
    return Token::make(text);
  if (!file)
    return Token();
  Expected<std::string> secret = readSecret(file);
  return secret ? Token::make(std::move(*secret)) : secret.status();
}

Expected<Token> readToken() {
  return readToken([](const char *name) -> const char * { return std::getenv(name); });
}

} // namespace pcc::runtime::store
