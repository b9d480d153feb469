internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

/// The columns of tables of jobs.
enum JobColumns {
  static let state = Terminal.Column(
    "state",
    kind: .status([
      "queued": .yellow, "running": .blue, "retrying": .magenta, "succeeded": .green, "dead": .red,
      "cancelled": .gray,
    ])
  )

  /// Returns jobs as a table.
  ///
  /// - Parameter errors: the last error of each job that has failed, by id.
  static func table(_ jobs: [JobRow], errors: [UUID: String] = [:]) -> Table {
    Table(
      columns: [
        Column("id", kind: .id), Column("company"), Column("kind"), Column("queue"), state,
        Column("attempt", kind: .number),
        Column("max_attempts", kind: .number), Column("priority", kind: .number),
        Column("run_at", kind: .instant), Column("created_at", kind: .instant),
        Column("finished_at", kind: .instant), Column("error", title: "last error"),
      ],
      rows: jobs.map { job in
        [
          Cell(job.id), .string(job.company), .string(job.kind), .string(job.queue),
          .string(job.state.rawValue),
          .integer(job.attempt), .integer(job.maxAttempts), .integer(job.priority), Cell(job.runAt),
          Cell(job.createdAt), Cell(job.finishedAt), .optional(errors[job.id]),
        ]
      }
    )
  }
}

extension RecordOptions {
  /// Returns the filter of `--where` and of the options for single columns.
  ///
  /// - Throws: `invalid_input` for an unknown state or a condition on another column.
  func jobs(state: String? = nil, kind: String? = nil, queue: String? = nil) throws -> JobFilter {
    var filter = JobFilter(kind: kind, queue: queue)
    if let state { filter.state = try JobFilter.state(state) }
    for text in output.filters { try filter.add(text) }
    return filter
  }

  /// Prints a table of jobs, sorted by `--sort`.
  func print(_ jobs: [JobRow], errors: [UUID: String] = [:]) throws {
    var table = JobColumns.table(jobs, errors: errors)
    if let sort = output.sort { table = try table.sorted(by: sort) }
    guard output.isForPeople else { return try output.printAsIs(table) }
    let whose = company.isNamed ? "" : "company,"
    let columns = "id,\(whose)kind,state,attempt,created_at\(errors.isEmpty ? "" : ",error")"
    try output.printAsIs(try table.selecting(columns))
  }

  /// Returns the filter unchanged, after a check that its kind and queue exist.
  ///
  /// - Throws: an error with the closest name if one of them does not exist.
  func checked(_ filter: JobFilter) async throws -> JobFilter {
    guard filter.kind != nil || filter.queue != nil else { return filter }
    try await company.connection.withServices { services in
      let names = KnownNames(services)
      if let kind = filter.kind { try await names.require(kind: kind) }
      if let queue = filter.queue { try await names.require(queue: queue) }
    }
    return filter
  }
}
