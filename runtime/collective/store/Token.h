// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The secret of a run, with which a process and the store prove to each other that they belong to
// it. The secret itself never travels. Each side sends a random challenge, and answers the other's:
//
//   proof = HMAC-SHA256(token, role, challenge of the store, challenge of the process, number,
//   name)
//
// The role differs, so that neither can send back what it received. What follows the proofs is
// neither encrypted nor authenticated: a token keeps strangers out, not those who can change what
// others send (SECURITY.md). HMAC is OpenSSL's, which is opened when there is a token.

#pragma once

#include "runtime/collective/Launch.h"

#include <array>
#include <string>
#include <string_view>

namespace pcc::runtime::store {

using Challenge = std::array<char, 32>;
using Proof = std::array<char, 32>;

/// Returns random bytes of the system. Error (Failed): it has none.
Expected<Challenge> makeChallenge();

/// The side that proves.
enum class Role : char { Store = 's', Process = 'p' };

class Token {
public:
  /// No token: processes are admitted as they come.
  Token() = default;

  /// Returns a token of the secret. Errors: BadUsage for less than 16 characters; Unavailable
  /// without OpenSSL's libcrypto.
  static Expected<Token> make(std::string secret);

  explicit operator bool() const { return !secret.empty(); }

  /// Proves to the other side that this side, as `role`, has the token.
  Proof prove(Role role, const Challenge &ofStore, const Challenge &ofProcess, int64_t process,
              std::string_view name) const;
  /// Returns whether `proof` is that of prove(). Takes the same time wherever they differ.
  bool isProof(std::string_view proof, Role role, const Challenge &ofStore,
               const Challenge &ofProcess, int64_t process, std::string_view name) const;

private:
  std::string secret;
};

/// Reads the token from the environment: PCC_STORE_TOKEN, or the first line of the file
/// PCC_STORE_TOKEN_FILE, which only its owner may read. Neither: no token. Errors: BadUsage; those
/// of Token::make.
Expected<Token> readToken(const Environment &environment);
/// Does the same with this process's environment.
Expected<Token> readToken();

} // namespace pcc::runtime::store
