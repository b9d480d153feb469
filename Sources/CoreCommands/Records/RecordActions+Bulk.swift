internal import ArgumentParser
package import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

extension RecordActions {
  /// Performs a transition on all records that match `--where`, and prints the outcome of each.
  ///
  /// - Throws: an error with the code of the first refusal if all records were refused.
  package func transitionAll(_ change: ChangeOptions, _ request: TransitionRequest) async throws {
    let words = ["do", request.comment, request.expectedVersion.map { "\($0)" }]
    try await all(request.transition, change, words, request.fields) { records, acting, query, progress in
      try await records.transitionAll(
        acting,
        type: type,
        where: query,
        request: request.with(try await records.resolvingNames(in: request.fields, type: type, acting)),
        key: change.idempotencyKey,
        dryRun: change.dryRun,
        progress: progress
      )
    }
  }

  /// Deletes all records that match `--where`, and prints the outcome of each.
  ///
  /// - Throws: an error with the code of the first refusal if all records were refused.
  package func deleteAll(_ change: ChangeOptions, _ removal: RemovalOptions) async throws {
    try await all("delete", change, [removal.comment]) { records, acting, query, _ in
      try await records.deleteAll(
        acting,
        type: type,
        where: query,
        comment: removal.comment,
        key: change.idempotencyKey,
        dryRun: change.dryRun
      )
    }
  }

  /// Performs an action on all records that match `--where`, and prints the outcome of each.
  private func all(
    _ action: String,
    _ change: ChangeOptions,
    _ words: [String?],
    _ fields: JSONObject = [:],
    _ perform: (Records, ActingContext, RecordQuery, @escaping @Sendable (Int, Int) -> Void) async throws ->
      BulkOutcome
  ) async throws {
    let dryRun = change.dryRun
    let words = [type, action] + words + options.output.filters + [options.output.sort]
    let written = WrittenRequest(key: change.idempotencyKey, words, fields: .object(fields))
    try await options.company.withOpening { opening in
      let (records, acting) = (opening.records, opening.acting)
      let bar = ProgressBar("\(action) \(type)", unit: "records", total: nil, on: .errors)
      defer { bar.finish() }
      let outcome = try await records.once(acting, written) {
        var query = RecordQuery()
        query.limit = 100_000
        query = try await chosen(query, records, acting, try records.catalogue.type(type))
        return try await perform(records, acting, query) { done, _ in bar.advance(to: done) }
      }
      bar.finish()
      let isForPeople = options.output.output == .table
      let labels = isForPeople ? StateLabels(try records.known(type, of: acting.company.id)) : nil
      let table = Self.table(outcome, labels, dryRun: dryRun)
      let forPeople = "record,result,status,version,reason"
      try options.output.printAsIs(options.output.isForPeople ? try table.selecting(forPeople) : table)
      let words = "\(outcome.done) done, \(outcome.refused) refused"
      Message.tell("\(dryRun ? "would be: " : "")\(action): \(words)")
      guard outcome.done == 0, let first = outcome.items.first, let code = first.code else { return }
      throw DomainError(
        code,
        "all \(outcome.refused) were refused; first reason: \(first.message ?? "")"
      )
    }
  }

  private static func table(_ outcome: BulkOutcome, _ labels: StateLabels?, dryRun: Bool) -> Table {
    Table(
      columns: [
        Column("record"), Column("result"), Column("status"), Column("version", kind: .number),
        Column("code"),
        Column("reason", kind: .advice), Column("id", kind: .id),
      ],
      rows: outcome.items.map { item in
        [
          .string(item.name ?? item.id.text),
          .string(item.code == nil ? dryRun ? "would be done" : "done" : "refused"),
          .optional(item.status.map { labels?[$0] ?? $0 }), item.version.map { .integer($0) } ?? .null,
          .optional(item.code?.rawValue),
          .optional(item.message), Cell(item.id),
        ]
      }
    )
  }
}

extension RecordOptions {
  /// Throws a validation error unless the command names a record or a filter, but not both.
  package func requireOne(_ record: String?, _ noun: String = "record") throws {
    guard (record == nil) != output.filters.isEmpty else {
      throw ValidationError("name either a \(noun), or a filter with --where")
    }
  }
}
