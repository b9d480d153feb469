internal import ArgumentParser
package import Engine
internal import Store

/// What the shell offers after a tab, asked of the database; silent when it does not answer.
package enum LiveCompletion {
  /// The short names of the companies.
  package static func companies() async -> [String] {
    await asking { services in try await Companies(services).list().map(\.slug) }
  }

  /// Asks the database that the environment names: a completion that cannot ask offers nothing.
  package static func asking(_ body: (Services) async throws -> [String]) async -> [String] {
    guard let connection = try? ConnectionOptions.parse([]) else { return [] }
    return (try? await connection.withServices(body)) ?? []
  }
}
