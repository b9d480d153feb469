internal import ArgumentParser
internal import Postgres
internal import Terminal

/// Races writers against a reader, with the cursor of the feed and with six others.
struct RaceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "race",
    abstract: "Count the changes that a reader with a cursor misses",
    discussion: """
      Eight writers pause up to 4 ms before they number their changes, and again before
      their commit. A reader asks again and again for the changes after the last one
      that it saw. After that, some changes are committed while an older transaction is
      open. With the gate of the feed, the reader must miss none, and wait for nobody.
      Each of the other cursors has to miss some or to wait, or the race proves nothing.
      Exit code 1 if it comes out otherwise.

      Example:
        fettle-chaos race --changes 1000000
      """
  )

  @Option(help: "Number of changes behind the gate") var changes = 100_000
  @Option(help: "Number of changes of each other cursor") var others = 8_000
  @Option(help: "Number of changes of a transaction behind the gate") var size = 50

  func validate() throws {
    guard changes > 0, others > 0 else { throw ValidationError("--changes and --others are 1 or more") }
    guard (1...1_000).contains(size) else { throw ValidationError("--size is 1 to 1000") }
  }

  func run() async throws {
    let outcomes = try await Arena.open { arena in
      try await arena.superuser.session { session in
        for statement in CursorKind.tables { try session.execute(statement) }
      }
      var outcomes: [(CursorKind, CursorRace.Outcome)] = []
      for kind in CursorKind.allCases {
        let race = CursorRace(
          arena: arena,
          kind: kind,
          changes: kind == .gate ? changes : others,
          size: kind == .gate ? size : 1
        )
        outcomes.append((kind, try await race.run()))
      }
      return outcomes
    }
    let table = Table(
      columns: [
        Column("cursor"), Column("committed"), Column("missed"), Column("held"), Column("as_expected"),
      ],
      rows: outcomes.map { kind, outcome in
        [
          .string(kind.rawValue), .integer(outcome.committed), .integer(outcome.missed),
          .integer(outcome.held), .bool(Self.isExpected(outcome, kind)),
        ]
      }
    )
    print(OutputFormat.table.render(table, on: .pipe), terminator: "")
    guard outcomes.allSatisfy({ Self.isExpected($1, $0) }) else { throw ExitCode(1) }
  }

  private static func isExpected(_ outcome: CursorRace.Outcome, _ kind: CursorKind) -> Bool {
    (outcome.missed == 0) == kind.isSafe && (outcome.held > 0) == kind.waits
  }
}
