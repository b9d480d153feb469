internal import ArgumentParser
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Measures the figures of the API.
struct WebFigures {
  /// A group of figures that can be measured alone.
  enum Kind: String, CaseIterable, ExpressibleByArgument, Sendable {
    case get, unchanged, list, transition, limiter, idle
  }

  let server: BenchServer
  let plan: Plan
  /// The number of idle connections.
  let idle: Int
  let kinds: Set<Kind>

  /// Measures the chosen groups.
  ///
  /// - Returns: the lines of the table, and sentences to print below it.
  func measure() async throws -> (figures: [Figure], notes: [String]) {
    Report.progress("filling")
    try await server.withConnection { try await Fixture.fill($0) }
    let token = try await token()
    var figures: [Figure] = []
    if kinds.contains(.get) {
      figures += try await ReadFigures(server: server, plan: plan, token: token).entries()
    }
    if kinds.contains(.unchanged) {
      figures += try await ReadFigures(server: server, plan: plan, token: token).unchanged()
    }
    if kinds.contains(.list) {
      figures += try await ListFigures(server: server, plan: plan, token: token).measure()
    }
    if kinds.contains(.transition) {
      figures += try await MoveFigures(server: server, plan: plan, token: token).measure()
    }
    if kinds.contains(.limiter) {
      figures += try await LimiterFigures(server: server, plan: plan, token: token).measure()
    }
    return (figures, kinds.contains(.idle) ? [try await idleNote(token)] : [])
  }

  /// Creates a token of the member, which may do what the measured requests do.
  private func token() async throws -> BenchToken {
    let keys = KeyFile(path: "\(server.cluster.directory)/fettle.key")
    return try await server.withConnection(as: "fettle_admin") { database in
      let services = Services(database: database, keys: { try keys.readOrCreate() })
      let issued = try await Tokens(services).create(
        try await Fixture.operatorContext(in: 1, database),
        owner: "technician@bench.example",
        name: "bench",
        scopes: BenchToken.scopes,
        days: nil
      )
      return BenchToken(id: issued.id, text: issued.text)
    }
  }

  private func idleNote(_ token: BenchToken) async throws -> String {
    Report.progress("idle connections")
    let bytes = try await WebServer.with(server, token: token.text) { web in
      try await IdleFigures(count: idle).measure(web)
    }
    let kibibytes = (bytes / 102.4).rounded() / 10
    return "\(idle) idle connections take \(kibibytes) KiB each in the server (aim: at most 12)."
  }
}

/// The API token of the measured requests.
struct BenchToken: Sendable {
  /// The permissions of the token.
  static let scopes = ["maintenance.entry.read", "maintenance.entry.start"]

  let id: UUID
  let text: String
}
