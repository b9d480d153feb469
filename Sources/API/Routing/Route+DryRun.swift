internal import Domain
internal import Postgres

/// Dry runs of administration: all that a request would do is done, and rolled back. Commands on records have their own,
/// which also tells what would follow.
extension Route {
  /// The groups of operations that can be tried.
  private static let tried: Set = ["company", "invites", "jobs", "members", "roles", "webhooks"]

  /// True if an operation that keeps its answers can be tried.
  static func canBeTried(_ operation: Operation) -> Bool { tried.contains(operation.tag) }

  /// The parameter of routes that can be tried.
  static let dryRun = Operation.Parameter(
    "dry_run",
    "Does everything, and rolls it back. The answer is that of the request with `dry_run`, without secrets.",
    .boolean
  )

  /// Returns the answer that the handler would give.
  func tryOut(_ request: APIRequest) async throws -> APIAnswer {
    let answer = try await Rehearsal.$isOn.withValue(true) { try await handler(request) }
    var members: JSONObject = [:]
    if case .bytes(let bytes) = answer.body {
      members = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object ?? [:]
    }
    // A secret of a dry run opens nothing, and would only be tried.
    for name in ["code", "secret"] where members[name] != nil { members[name] = .null }
    members["dry_run"] = .bool(true)
    return .json(members)
  }
}
