package import Domain
internal import FoundationEssentials
internal import Secrets
internal import Store

/// A request with an idempotency key, as its sender wrote it: with names in the place of ids.
///
/// The meaning of a name changes, also by the request itself, which deletes the record that it names or gives it another
/// key. A repetition is recognised by its words, and gets the first answer whatever they mean by then.
package struct WrittenRequest: Sendable {
  /// The request of this task; nil for one without names or without a key.
  @TaskLocal static var current: WrittenRequest?

  let key: String
  let hash: [UInt8]

  /// - Parameters:
  ///   - key: the idempotency key; nil returns nil.
  ///   - words: everything that the request says, such as the verb, the type and the name of the record.
  ///   - fields: the fields of the request, in any order.
  package init?(key: String?, _ words: [String?], fields: JSONValue = .null) {
    guard let key else { return nil }
    self.key = key
    let words = JSONValue.array(words.map { $0.map { .string($0) } ?? .null })
    hash = SHA256.hash("written\n\(words.text)\n\(fields.canonicalText)")
  }
}

extension Records {
  /// Runs a command that looks names up and then writes, once for its idempotency key.
  ///
  /// - Parameters:
  ///   - request: the request as it was written; nil for none with a key.
  ///   - body: looks the names up, and performs the command with the same key.
  /// - Returns: the body's answer; the first answer if the body fails and the request is a repetition.
  /// - Throws: the errors of the body.
  package func once<Answer: Sendable & Codable>(
    _ acting: ActingContext,
    _ request: WrittenRequest?,
    _ body: () async throws -> Answer
  ) async throws -> Answer {
    guard let request else { return try await body() }
    do {
      return try await WrittenRequest.$current.withValue(request) { try await body() }
    } catch let error as DomainError where error.code != .idempotencyConflict {
      do {
        return try await perform(acting, idempotency: (request.key, request.hash)) { work in
          // Leaves the body with the first answer, if there is one.
          _ = try work.read { _ in }
          throw NoAnswer()
        }
      } catch is NoAnswer {
        throw error
      }
    }
  }
}

/// Thrown where the key of a request has no answer.
private struct NoAnswer: Error {}
