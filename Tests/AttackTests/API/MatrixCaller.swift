import API
import Domain
import Engine
import FoundationEssentials
import Store
import Synchronization
import TestDatabase

/// A caller of the matrix: a row of the table `route × caller`.
enum MatrixCaller: String, CaseIterable, Sendable {
  /// Without a credential.
  case anonymous
  /// The owner of company A with a session that has ended. The gate still knows it, as a cache would.
  case revoked
  /// The guest of a demo.
  case guest
  /// A viewer of company A.
  case viewer
  /// A token of the owner of company A with one scope.
  case narrow
  /// The owner of company B, who names the objects of company A.
  case intruder
  /// The owner of company A.
  case owner

  /// The only scope of the narrow token.
  static let scope = "maintenance.meter.read"
}

/// Finds the callers of the matrix by a header field.
struct MatrixGate: CallerGate {
  let a: CompanyRow
  let b: CompanyRow
  let viewer: UUID
  let token: UUID

  func caller(of request: APIRequest) async throws -> Caller? {
    guard let name = request.headers["x-matrix"], let caller = MatrixCaller(rawValue: name) else {
      return nil
    }
    let ownerOfA = TwoCompanies.id("a", 1)
    switch caller {
    case .anonymous: return nil
    case .revoked:
      let ended = Credential.session(UUID(), generation: 1)
      return Self.caller(.browser, a, ownerOfA, request, credential: ended, isStrong: true)
    case .guest: return Self.caller(.guest, a, viewer, request)
    case .viewer: return Self.caller(.browser, a, viewer, request, isStrong: true)
    case .narrow:
      let scopes = PermissionSet([try Permission(parsing: MatrixCaller.scope)])
      let acting = ActingContext(
        company: a,
        actor: .token(token, of: ownerOfA),
        user: ownerOfA,
        scopes: scopes,
        credential: .token(token),
        requestID: request.id
      )
      return Caller(kind: .token, acting: acting, user: ownerOfA, session: nil)
    case .owner: return Self.caller(.browser, a, ownerOfA, request, isStrong: true)
    case .intruder: return Self.caller(.browser, b, TwoCompanies.id("b", 1), request, isStrong: true)
    }
  }

  private static func caller(
    _ kind: Caller.Kind,
    _ company: CompanyRow,
    _ user: UUID,
    _ request: APIRequest,
    credential: Credential? = nil,
    isStrong: Bool = false
  ) -> Caller {
    let acting = ActingContext(
      company: company,
      actor: .member(user),
      user: user,
      credential: credential,
      requestID: request.id
    )
    return Caller(kind: kind, acting: acting, user: user, session: UUID(), isStrong: isStrong)
  }
}
