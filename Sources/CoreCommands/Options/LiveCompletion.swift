internal import ArgumentParser
package import Engine
internal import Store

/// Shell completions from the database; empty if it does not respond.
package enum LiveCompletion {
  /// Returns the short names of the companies.
  package static func companies() async -> [String] {
    await asking { services in try await Companies(services).list().map(\.slug) }
  }

  /// Queries the database that the environment names. Returns no completions if the query fails.
  package static func asking(_ body: (Services) async throws -> [String]) async -> [String] {
    guard let connection = try? ConnectionOptions.parse([]) else { return [] }
    return (try? await connection.withServices(body)) ?? []
  }
}
