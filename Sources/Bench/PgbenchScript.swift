internal import FoundationEssentials
internal import Postgres

/// A pgbench script that repeats what the engine sent, in as many round trips.
///
/// Every statement is the engine's own text, taken from a trace, and every bound value stays a bound value. Values
/// that tell one unit of work from the next are computed; the rest are the traced ones. The differences, all of them:
///
/// - An id is computed by the server from a number (`lpad($1::text, 32, '0')::uuid`), because pgbench has no UUIDs.
/// - Numbers in history rise by more than one, because pgbench cannot read the last one in time to use it.
/// - Times are `now()` where the engine binds the time it has read; texts, digests and JSON documents are constant.
/// - Values that are null are written as `null`.
/// - With many companies, `set local` of the company becomes `select set_config(…, true)`: the former takes no
///   parameter, and a script for each company would be planned by pgbench's connections a hundred times over.
/// - The engine also wakes idle workers, in transactions apart, up to a hundred times a second; pgbench does not.
/// - pgbench keeps all statements prepared, also `set local`, which the engine sends as text where it names an id;
///   values and results travel as text, the engine's in binary.
struct PgbenchScript {
  let text: String
  private let constants: [String: String]

  /// - Parameters:
  ///   - trace: the round trips of a start and a pause of `entry`, which was at version 1.
  ///   - literals: what its values are called.
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
    // Two round trips a transition, as the architecture has it; anything else shows in the script as it is.
    for (index, roundTrip) in trace.enumerated() {
      if index.isMultiple(of: 2) { writer.beginTransition(number: index / 2 + 1) }
      writer.add(roundTrip)
    }
    text = writer.lines.joined(separator: "\n") + "\n"
    constants = writer.constants
  }

  /// What pgbench has to be told on its command line for the run of that number.
  func variables(run: Int) -> [String: String] {
    constants.merging(["n": "0", "base": String(run * 1_000_000_000)]) { constant, _ in constant }
  }
}
