internal import FoundationEssentials
internal import Postgres

/// A pgbench script that repeats the statements of a read, as traced, in the same round trips.
///
/// The id of the read entry is that of a random entry of company 1; all other values are those of the trace.
struct ReadScript {
  let text: String
  /// The variables of the script.
  let variables: [String: String]

  init(_ trace: [[SQL]], token: BenchToken, server: BenchServer) async throws {
    let literals = try await server.withConnection { try await Literals(of: trace, $0) }
    var writer = PgbenchScriptWriter(
      entry: Fixture.id(Fixture.entry(1, of: 1)),
      company: Fixture.id(1),
      isOneCompany: true,
      literals: literals,
      fixed: [token.id],
      isRead: true
    )
    writer.lines = ["\\set e 1000000 + random(1, \(Fixture.entriesOfOne))"]
    for roundTrip in trace { writer.add(roundTrip) }
    text = writer.lines.joined(separator: "\n") + "\n"
    variables = writer.constants
  }
}
