package import ArgumentParser
internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The idempotency key of a command that creates something other than a record.
package struct KeyOption: ParsableArguments {
  @Option(help: ArgumentHelp("Idempotency key: a repetition returns the first result", valueName: "key"))
  package var idempotencyKey: String?

  package init() {}

  /// Runs a command's body once for its key. The answer is kept encrypted for seven days, with the secrets in it.
  ///
  /// - Parameters:
  ///   - acting: the actor, to whom the key belongs; nil for an operator without a company.
  ///   - request: the words that describe the command, which a repetition must have too.
  /// - Throws: `invalid_input` for an empty or too long key, `idempotency_conflict`.
  package func once<Answer: Codable>(
    _ services: Services,
    _ acting: ActingContext?,
    _ request: [String?],
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    guard let idempotencyKey else { return try await body() }
    guard (1...150).contains(idempotencyKey.unicodeScalars.count) else {
      throw DomainError(.invalidInput, "an idempotency key has 1 to 150 characters")
    }
    let key = RequestKey(
      company: acting?.company.id ?? RequestKey.everybody,
      user: acting?.user,
      actor: (acting?.actor ?? .operator(Operator.name)).label,
      key: idempotencyKey,
      requestHash: SHA256.hash(JSONValue.array(request.map { $0.map { .string($0) } ?? .null }).text),
      request: services.ids.next()
    )
    var live: Answer?
    let (bytes, isReplay) = try await KeptAnswers(services).once(key) {
      let answer = try await body()
      live = answer
      return Array(try JSON(encoding: [answer]).text.utf8)
    }
    if let live, !isReplay { return live }
    guard let first = try JSON(text: String(decoding: bytes, as: UTF8.self)).decoded(as: [Answer].self).first
    else { throw DomainError(.internal, "a kept answer is damaged") }
    Message.tell("this is the answer to the first command with the key")
    return first
  }
}
