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

  /// The members of answers that are shown once.
  private static let secrets: Set = ["code", "secret"]

  /// Returns an operation with the parameter and the answer of a dry run; unchanged if it has them already.
  static func tried(_ operation: Operation) -> Operation {
    guard !operation.parameters.contains(where: { $0.name == dryRun.name }) else { return operation }
    var answers = operation.answers.map(tried)
    if !answers.contains(where: { $0.status == 200 }) {
      answers.append(Operation.Answer(200, "What would be, for a dry run", .anyObject))
    }
    return operation.taking(dryRun, answering: answers)
  }

  private static func tried(_ answer: Operation.Answer) -> Operation.Answer {
    guard answer.status == 200, case .object(let members, let isOpen) = answer.schema else { return answer }
    let shown = members.map { member in
      secrets.contains(member.name)
        ? Schema.Member(
          member.name,
          .nullable(member.schema),
          isRequired: member.isRequired,
          member.description
        ) : member
    }
    let mark = Schema.Member.optional(dryRun.name, .boolean, "True for a dry run")
    return Operation.Answer(200, answer.description, .object(shown + [mark], open: isOpen))
  }

  /// Returns the answer that the handler would give.
  func tryOut(_ request: APIRequest) async throws -> APIAnswer {
    let answer = try await Rehearsal.$isOn.withValue(true) { try await handler(request) }
    var members: JSONObject = [:]
    if case .bytes(let bytes) = answer.body {
      members = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object ?? [:]
    }
    // A secret of a dry run opens nothing, and would only be tried.
    for name in Self.secrets where members[name] != nil { members[name] = .null }
    members["dry_run"] = .bool(true)
    return .json(members)
  }
}
