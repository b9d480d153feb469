internal import Domain
package import Engine
internal import FoundationEssentials
internal import Store

extension LiveCompletion {
  /// Returns the handles of the members of the company named in the words so far.
  package static func members(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, acting in try await Members(services).list(acting).map(\.handle) }
  }

  /// Returns the roles of the company named in the words so far.
  package static func roles(_ words: [String]) async -> [String] {
    await inCompany(of: words) { services, acting in try await Roles(services).list(acting).map(\.name) }
  }

  /// Returns all permissions.
  package static func permissions() async -> [String] {
    await asking { services in try await Roles(services).catalogue().map(\.permission.name) }
  }

  /// Runs a query in the company named in the words so far. Returns no completions if no company is named.
  package static func inCompany(
    of words: [String],
    _ body: (Services, ActingContext) async throws -> [String]
  ) async -> [String] {
    guard let company = company(in: words) else { return [] }
    return await asking { services in
      try await body(
        services,
        try await ActingContexts(services).take(company: company, operatorName: Operator.name, as: nil)
      )
    }
  }

  /// Returns the company named anywhere in an unfinished command, or in the environment.
  private static func company(in words: [String]) -> String? {
    for (word, next) in zip(words, words.dropFirst()) where ["--company", "-c"].contains(word) { return next }
    let prefix = "--company="
    if let word = words.first(where: { $0.hasPrefix(prefix) }) { return String(word.dropFirst(prefix.count)) }
    return ProcessInfo.processInfo.environment["FETTLE_COMPANY"]
  }
}
