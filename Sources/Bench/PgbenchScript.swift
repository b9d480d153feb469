internal import FoundationEssentials
internal import Postgres

/// A pgbench script that repeats the statements of the engine in the same round trips.
///
/// Every statement has the engine's text, as traced, and every bound value stays bound. Values that differ
/// between units of work are computed; the others have their traced value. The differences from the engine:
///
/// - An id is computed by the server from a number (`lpad($1::text, 32, '0')::uuid`), because pgbench has no
///   UUIDs.
/// - Versions and history numbers increase by more than one, because pgbench cannot read the last one in
///   time.
/// - Times are `now()`; the engine binds a time that it has read. Texts, digests and JSON documents are
///   constant.
/// - Null values are written as `null`.
/// - With many companies, `set local` of the company becomes `select set_config(…, true)`, because `set
///   local` takes no parameter, and each connection would have to plan one script per company.
/// - The engine also notifies idle workers and serving processes, in separate transactions, up to a hundred times per
///   second; pgbench does not.
/// - pgbench prepares all statements, including `set local`, which the engine sends as text if it contains an
///   id.
/// - pgbench sends and receives values as text, the engine in binary form.
struct PgbenchScript {
  let text: String
  private let constants: [String: String]

  /// - Parameters:
  ///   - trace: the round trips of a start and a pause of `entry`, which had version 1 before.
  ///   - literals: the traced values as text.
  ///   - entriesOfEach: the number of entries per company.
  ///   - clients: the number of pgbench clients, among which the entries are divided.
  ///   - first: the number of entries to leave out, those with the lowest numbers.
  ///   - fixed: ids that are the same in every unit of work.
  init(
    _ trace: [[SQL]],
    _ literals: Literals,
    entry: UUID,
    companies: ClosedRange<Int>,
    entriesOfEach: Int,
    clients: Int,
    first: Int = 0,
    fixed: [UUID] = []
  ) {
    var writer = PgbenchScriptWriter(
      entry: entry,
      company: Fixture.id(companies.lowerBound),
      isOneCompany: companies.count == 1,
      literals: literals,
      fixed: fixed
    )
    writer.lines = [
      "\\set c random(\(companies.lowerBound), \(companies.upperBound))",
      "\\set e :c * 1000000 + \(first) + random(0, \(entriesOfEach / clients - 1)) * \(clients) + :client_id + 1",
    ]
    // The engine needs two round trips per transition.
    for (index, roundTrip) in trace.enumerated() {
      if index.isMultiple(of: 2) { writer.beginTransition(number: index / 2 + 1) }
      writer.add(roundTrip)
    }
    text = writer.lines.joined(separator: "\n") + "\n"
    constants = writer.constants
  }

  /// Returns the variables for a run of pgbench.
  ///
  /// - Parameter run: the number of the run, so that no two runs use the same ids.
  func variables(run: Int) -> [String: String] {
    constants.merging(["n": "0", "base": String(run * 1_000_000_000)]) { constant, _ in constant }
  }
}
