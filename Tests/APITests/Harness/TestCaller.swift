import API
import Domain
import Engine
import FoundationEssentials
import Synchronization

/// A caller that a test states instead of a credential.
struct TestCaller: Sendable {
  let kind: Caller.Kind
  let acting: ActingContext
  let user: UUID
  let session: UUID?
  var isStrong = false

  /// Returns the caller of a request, whose id the acting context gets.
  func caller(of request: APIRequest) -> Caller {
    let named = ActingContext(
      company: acting.company,
      actor: acting.actor,
      user: acting.user,
      scopes: acting.scopes,
      credential: acting.credential,
      requestID: request.id
    )
    return Caller(kind: kind, acting: named, user: user, session: session, isStrong: isStrong)
  }
}

/// Finds the callers that a test states, by a header field that the fixture adds.
final class StatedCallers: CallerGate {
  private let callers = Mutex<[String: TestCaller]>([:])

  /// Returns the value of the header field for a caller.
  func key(_ caller: TestCaller) -> String {
    let key = UUID().uuidString
    callers.withLock { $0[key] = caller }
    return key
  }

  func caller(of request: APIRequest) async throws -> Caller? {
    guard let key = request.headers["x-test-caller"] else { return nil }
    guard let caller = callers.withLock({ $0.removeValue(forKey: key) }) else {
      throw DomainError(.sessionExpired)
    }
    return caller.caller(of: request)
  }
}
