internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Gives a repeated request with an idempotency key the first answer, whatever it is about.
///
/// Answers can contain secrets that are shown once, such as invite codes and tokens. They are kept encrypted with the vault
/// key, bound to company, actor and key, for seven days.
package struct KeptAnswers: Sendable {
  /// The largest answer that is kept, in bytes.
  package static let most = 262_144

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Runs a request once for its key. An error is not kept: the request may be repeated.
  ///
  /// - Returns: the answer, and true if it is that of an earlier request.
  /// - Throws: `idempotency_conflict` if the key was used for another request; `outcome_unknown` if the request had its
  ///   effect and its answer is lost.
  package func once(_ key: RequestKey, _ body: () async throws -> [UInt8]) async throws -> (
    answer: [UInt8], isReplay: Bool
  ) {
    if let known = try await known(key) { return (known, true) }
    let answer: [UInt8]
    do {
      answer = try await RequestKey.$current.withValue(key) { try await body() }
    } catch is RequestKey.Taken {
      guard let known = try await known(key) else { throw DomainError(.outcomeUnknown) }
      return (known, true)
    }
    guard !answer.isEmpty, answer.count <= Self.most else { return (answer, false) }
    let sealed = try SealedSecret.seal(answer, for: key.place, with: services.keys())
    try await services.database.transaction(.inside(key.company, user: key.user)) { tx in
      try key.keep(sealed, tx)
    }
    return (answer, false)
  }

  /// Returns the kept answer; nil if the key is new. Waits a moment for a request that is running.
  private func known(_ key: RequestKey) async throws -> [UInt8]? {
    for attempt in 0..<20 {
      let known = try await services.database.transaction(
        .inside(key.company, user: key.user, readOnly: true)
      ) { tx in try key.known(tx) }
      switch known {
      case .nothing: return nil
      case .answered(let sealed): return try SealedSecret.open(sealed, for: key.place, with: services.keys())
      case .pending: if attempt < 19 { try await Task.sleep(for: .milliseconds(100)) }
      }
    }
    throw DomainError(
      .outcomeUnknown,
      "the request was carried out, and its answer is lost",
      hint: "look at what it has made, and use a new key for another request"
    )
  }
}
