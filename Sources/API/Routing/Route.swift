package import Domain

/// Handles a request. Errors become problem documents.
package typealias APIHandler = @Sendable (APIRequest) async throws -> APIAnswer

/// A route: the router and the OpenAPI document are made from the same list.
package struct Route: Sendable {
  /// The callers whom a route admits. Permissions are checked by the use cases.
  package enum Admission: Sendable, Hashable {
    /// Everybody. A credential is ignored.
    case everybody
    /// Everybody. A valid credential is used; an invalid one is refused.
    case optional
    /// Every caller with a credential. Guests may only read.
    case caller
    /// A person with a session: no tokens, no guests.
    case person
    /// A person who proved a password, an identity or a second factor in the last 15 minutes.
    case recentSignIn
  }

  /// The program that a route answers to, which decides the form of errors.
  package enum Face: Sendable, Hashable {
    /// Programs: errors are problem documents.
    case api
    /// People: errors are pages, and a page without a session leads to the sign-in.
    case page
    /// Browsers that load what a page needs. The rate is not limited, and there is no caller.
    case asset
  }

  package let method: APIMethod
  package let face: Face
  /// The path, such as `/v1/members/{member}`. A fixed segment wins over a placeholder.
  package let pattern: String
  package let admission: Admission
  package let body: BodyKind
  package let operation: Operation
  /// True if the answer is a stream of events, for which the server keeps a connection without a task.
  package let isEventStream: Bool
  /// True if the answer to a request with an idempotency key is kept for its repetition. Commands on records keep their
  /// own answers, devices number their changes, and parts of a file have their offset.
  package let keepsAnswer: Bool
  /// True if the request can be a dry run, which changes nothing and keeps no answer.
  package let canBeTried: Bool
  /// Returns false for values of the placeholders with which the route does not exist; nil if it always exists.
  package let exists: (@Sendable ([String: String]) -> Bool)?
  /// Answers an error in another form than that of the face; nil, also as its result, for that form.
  package let onError: (@Sendable (DomainError, APIRequest) -> APIAnswer?)?
  package let handler: APIHandler

  package init(
    _ method: APIMethod,
    _ pattern: String,
    _ operation: Operation,
    admission: Admission = .caller,
    body: BodyKind? = nil,
    isEventStream: Bool = false,
    face: Face = .api,
    exists: (@Sendable ([String: String]) -> Bool)? = nil,
    onError: (@Sendable (DomainError, APIRequest) -> APIAnswer?)? = nil,
    handler: @escaping APIHandler
  ) {
    self.method = method
    self.face = face
    self.pattern = pattern
    // The description of a route that is wrapped has the parameter already.
    let isDescribed = operation.parameters.contains { $0.description == Self.key.description }
    let isNumbered =
      method == .post && operation.tag == "sync" || method == .patch && operation.tag == "uploads"
    keepsAnswer =
      !method.isSafe && face == .api && !isNumbered && !Self.withoutKey.contains(operation.id)
      && (isDescribed || !operation.takes("Idempotency-Key"))
    canBeTried = keepsAnswer && Self.canBeTried(operation)
    let keyed = keepsAnswer && !isDescribed ? operation.taking(Self.key) : operation
    self.operation = canBeTried ? Self.tried(keyed) : keyed
    self.admission = admission
    self.body = body ?? (operation.request == nil ? .none : .json())
    self.isEventStream = isEventStream
    self.exists = exists
    self.onError = onError
    self.handler = operation.request.map { Self.reading($0, handler) } ?? handler
  }

  /// Returns a handler that sets the schema of each request, so that a direct call of the handler checks bodies too.
  private static func reading(_ schema: Schema, _ handler: @escaping APIHandler) -> APIHandler {
    { request in
      var request = request
      request.schema = schema
      return try await handler(request)
    }
  }

  /// The operations that a repetition does not double: a refresh token is exchanged for the same tokens again.
  private static let withoutKey: Set = ["refreshSession", "signOut"]

  /// The parameter of routes whose answers are kept.
  private static let key = Operation.Parameter(
    "Idempotency-Key",
    in: .header,
    "A repeated request with the key gets the first answer, secrets included, for seven days.",
    .text(maximum: WriteOptions.longestKey)
  )

  /// The names of the pattern's placeholders, in order.
  package var placeholders: [String] {
    pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }
}
