internal import FoundationEssentials
internal import Postgres

/// A pgbench script that repeats the statements of the engine in the same round trips.
///
/// Every statement is the engine's own text, taken from a trace, and every bound value stays bound. Values
/// that differ between units of work are computed; the others are the traced ones. All differences:
///
/// - An id is computed by the server from a number (`lpad($1::text, 32, '0')::uuid`), because pgbench has no
///   UUIDs.
/// - Numbers in history increase by more than one, because pgbench cannot read the last one in time.
/// - Times are `now()` where the engine binds the time it has read; texts, digests and JSON documents are
///   constant.
/// - Null values are written as `null`.
/// - With many companies, `set local` of the company becomes `select set_config(…, true)`: the former takes
///   no parameter, and pgbench's connections would plan one script per company a hundred times.
/// - The engine also wakes idle workers, in separate transactions, up to a hundred times per second; pgbench
///   does not.
/// - pgbench keeps all statements prepared, including `set local`, which the engine sends as text if it
///   contains an id; values and results are text, the engine's are binary.
struct PgbenchScript {
  let text: String
  private let constants: [String: String]

  /// - Parameters:
  ///   - trace: the round trips of a start and a pause of `entry`, which was at version 1.
  ///   - literals: the traced values as text.
  init(
    _ trace: [[SQL]],
    _ literals: Literals,
    entry: UUID,
    companies: ClosedRange<Int>,
    entriesOfEach: Int,
    clients: Int
  ) {
    var writer = PgbenchScriptWriter(
      entry: entry,
      company: Fixture.id(companies.lowerBound),
      isOneCompany: companies.count == 1,
      literals: literals
    )
    writer.lines = [
      "\\set c random(\(companies.lowerBound), \(companies.upperBound))",
      "\\set e :c * 1000000 + random(0, \(entriesOfEach / clients - 1)) * \(clients) + :client_id + 1",
    ]
    // Two round trips per transition, as in the architecture; any other number would appear in the script.
    for (index, roundTrip) in trace.enumerated() {
      if index.isMultiple(of: 2) { writer.beginTransition(number: index / 2 + 1) }
      writer.add(roundTrip)
    }
    text = writer.lines.joined(separator: "\n") + "\n"
    constants = writer.constants
  }

  /// Returns the variables for the run with that number.
  func variables(run: Int) -> [String: String] {
    constants.merging(["n": "0", "base": String(run * 1_000_000_000)]) { constant, _ in constant }
  }
}
