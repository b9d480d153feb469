internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

/// What the commands on jobs share.
enum JobColumns {
  static let state = Terminal.Column(
    "state",
    kind: .status([
      "queued": .yellow, "running": .blue, "retrying": .magenta, "succeeded": .green, "dead": .red,
      "cancelled": .gray,
    ])
  )

  static func table(_ jobs: [JobRow]) -> Table {
    Table(
      columns: [
        Column("id"), Column("company"), Column("kind"), Column("queue"), state,
        Column("attempt", kind: .number),
        Column("max_attempts", kind: .number), Column("priority", kind: .number),
        Column("run_at", kind: .instant), Column("created_at", kind: .instant),
        Column("finished_at", kind: .instant),
      ],
      rows: jobs.map { job in
        [
          Cell(job.id), .string(job.company), .string(job.kind), .string(job.queue), .string(job.state),
          .integer(job.attempt), .integer(job.maxAttempts), .integer(job.priority), Cell(job.runAt),
          Cell(job.createdAt), Cell(job.finishedAt),
        ]
      }
    )
  }
}

extension RecordOptions {
  /// The jobs that --where and the options for single columns choose.
  func jobs(state: String? = nil, kind: String? = nil, queue: String? = nil) throws -> JobFilter {
    var filter = JobFilter(kind: kind, queue: queue)
    if let state { filter.state = try JobFilter.state(state) }
    for text in output.filters { try filter.add(text) }
    return filter
  }

  /// Prints jobs that have been chosen already.
  func print(_ jobs: [JobRow]) throws {
    let table = JobColumns.table(jobs)
    guard output.output == .table, output.columns == nil else { return try output.printAsIs(table) }
    let whose = company.isNamed ? [] : ["company"]
    var plain = output
    plain.filters = []
    try plain.print(
      ShortID.shortening(table, on: Screen.output),
      forPeople: ["id"] + whose + ["kind", "state", "attempt", "created_at"]
    )
  }
}
