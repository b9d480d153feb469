internal import API
package import Domain
internal import Secrets
internal import Synchronization

/// The way into the operator's console: an address that works once and for a short time, and the one session that it opens.
///
/// Both are in the memory of the process, and end with it.
package final class OperatorEntrance: Sendable {
  /// The seconds for which the address works.
  package static let linkSeconds: Int64 = 600
  /// The seconds for which the session lasts.
  package static let sessionSeconds: Int64 = 43_200
  /// The cookie with the session. A browser sends it to every port of this machine's name, so it has a name of its own.
  package static let cookie = "fettle-operator"

  /// The secret in the address.
  package let secret: String
  private let now: @Sendable () -> Instant
  private let state: Mutex<State>

  private struct State {
    /// The time until which the address works; nil once it was used.
    var openUntil: Instant?
    /// The hash of the cookie, and the time until which it is valid; nil without a session.
    var session: (hash: [UInt8], until: Instant)?
  }

  /// - Parameter now: the clock.
  package init(now: @escaping @Sendable () -> Instant = { SessionGate.clock }) {
    secret = Hex.encode(SecureRandom.bytes(16))
    self.now = now
    state = Mutex(State(openUntil: Self.later(now(), Self.linkSeconds)))
  }

  /// Opens the session for the right secret, the first time, and returns the value of its cookie; nil for another secret, a
  /// used address and one that has expired.
  func open(_ given: String) -> String? {
    let token = Hex.encode(SecureRandom.bytes(32))
    let time = now()
    return state.withLock { state in
      guard SHA256.hash(given) == SHA256.hash(secret), let until = state.openUntil, time < until else {
        return nil
      }
      state = State(openUntil: nil, session: (SHA256.hash(token), Self.later(time, Self.sessionSeconds)))
      return token
    }
  }

  /// True if a request has the cookie of the session.
  func admits(_ request: APIRequest) -> Bool {
    guard let given = RequestCookies.value(Self.cookie, of: request) else { return false }
    let (hash, time) = (SHA256.hash(given), now())
    return state.withLock { state in
      guard let session = state.session else { return false }
      return session.hash == hash && time < session.until
    }
  }

  /// Ends the session.
  func close() { state.withLock { $0.session = nil } }

  /// Returns the header that stores the session. Other sites cannot make a browser send it.
  static func setting(_ token: String) -> String {
    "\(cookie)=\(token); Path=/; Max-Age=\(sessionSeconds); HttpOnly; SameSite=Strict"
  }

  /// The header that removes the session.
  static let removal = "\(cookie)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"

  private static func later(_ time: Instant, _ seconds: Int64) -> Instant {
    Instant(microseconds: time.microseconds + seconds * 1_000_000)
  }
}
