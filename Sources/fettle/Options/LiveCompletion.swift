internal import ArgumentParser
internal import Engine
internal import FoundationEssentials
internal import Store

/// What the shell offers after a tab, asked of the database; silent when it does not answer.
enum LiveCompletion {
  /// The short names of the companies.
  static func companies() async -> [String] {
    let connection = ConnectionOptions()
    let found = try? await connection.withServices { try await Companies($0).list().map(\.slug) }
    return found ?? []  // a completion that cannot ask offers nothing
  }
}
