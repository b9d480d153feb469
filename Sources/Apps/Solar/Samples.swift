package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// What became of samples that were sent: whoever sends again after a lost answer sees that nothing was doubled, and
/// nobody is left to think that a changed number was taken.
package struct SampleOutcome: Sendable, Codable, Equatable {
  /// How many are new.
  package var added = 0
  /// How many were there already, with the same time.
  package var alreadyThere = 0
  /// How many of those were there with other numbers, which stay; a correction replaces them.
  package var differing = 0
  /// Lines of a file that cannot be read.
  package var refused: [RefusedLine] = []
  /// The form of the file, which the file of refused lines repeats.
  package var form = FileForm()

  package init() {}

  package static func == (left: SampleOutcome, right: SampleOutcome) -> Bool {
    left.added == right.added && left.alreadyThere == right.alreadyThere && left.differing == right.differing
  }
}

/// Samples of solar sites: written in bulk, corrected by hand, read by the newest.
package struct Samples: Sendable {
  /// So many that a batch still fits between here and the server, which then works while we read on.
  static let batchSize = 2_000

  let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Writes samples of a site; those that are there stay as they are.
  ///
  /// - Throws: `bad_timestamp` when one is of the future, and then none is written.
  package func add(_ acting: ActingContext, site: UUID, _ samples: [SolarSample]) async throws
    -> SampleOutcome
  {
    try await writing(acting, site: site, permission: "solar.sample.create") { tx, now in
      var insert = SampleInsert(company: acting.company.id, site: site, now: now)
      for sample in samples { try insert.take(sample, tx) }
      return (try insert.finish(tx), [])
    }
  }

  /// Puts a sample in the place of one that was wrong, or where none was; days are recomputed from what is there.
  ///
  /// - Returns: what it replaced.
  package func replace(_ acting: ActingContext, site: UUID, with sample: SolarSample) async throws
    -> SampleRow?
  {
    let moment = Timestamp(microseconds: sample.takenAt.microseconds)
    return try await writing(acting, site: site, permission: "solar.sample.correct") { tx, now in
      let removed = try tx.rows(
        SampleStatements.remove(company: acting.company.id, site: site, from: moment, through: moment),
        as: SampleRow.self
      )
      var insert = SampleInsert(company: acting.company.id, site: site, now: now)
      try insert.take(sample, tx)
      _ = try insert.finish(tx)
      let old = removed.first
      let detail: JSONObject = [
        "taken_at": .string(sample.takenAt.rfc3339),
        "inverter_kw": .array([.text(old?.inverterKW), .text(sample.inverterKW?.text)]),
        "meter_kwh": .array([.text(old?.meterKWh), .text(sample.meterKWh?.text)]),
      ]
      return (old, [Self.audit("solar.sample.replaced", site, detail)])
    }
  }

  /// Takes away the samples between two moments, both included.
  ///
  /// - Returns: how many there were.
  package func remove(_ acting: ActingContext, site: UUID, from: Instant, through: Instant) async throws
    -> Int
  {
    try await writing(acting, site: site, permission: "solar.sample.correct") { tx, _ in
      let removed = try tx.rows(
        SampleStatements.remove(
          company: acting.company.id,
          site: site,
          from: Timestamp(microseconds: from.microseconds),
          through: Timestamp(microseconds: through.microseconds)
        ),
        as: SampleRow.self
      )
      guard !removed.isEmpty else {
        throw DomainError(.notFound, "there is no sample from \(from.rfc3339) to \(through.rfc3339)")
      }
      let detail: JSONObject = [
        "from": .string(from.rfc3339), "through": .string(through.rfc3339),
        "removed": .integer(removed.count),
        // Enough to put back what a slip of the hand took.
        "samples": .array(
          removed.prefix(1_000).map { row in
            .array([.string(row.takenAt.description), .text(row.inverterKW), .text(row.meterKWh)])
          }
        ),
      ]
      return (removed.count, [Self.audit("solar.sample.removed", site, detail)])
    }
  }

  /// The newest samples of a site, before a moment or at all.
  package func list(_ acting: ActingContext, site: UUID, before: Instant? = nil, limit: Int) async throws
    -> [SampleRow]
  {
    try await CompanyAdministration(services).read(acting, permission: "solar.sample.read") { tx, _ in
      try tx.rows(
        SampleStatements.list(
          company: acting.company.id,
          site: site,
          before: before.map { Timestamp(microseconds: $0.microseconds) },
          limit: limit
        ),
        as: SampleRow.self
      )
    }
  }

  /// Runs a body that may write samples of a living site, and audits what an operator or a correction did.
  func writing<Value: Sendable>(
    _ acting: ActingContext,
    site: UUID,
    permission: String,
    dryRun: Bool = false,
    statementTimeout: Duration = .seconds(10),
    _ body: @escaping @Sendable (Transaction, Instant) throws -> (Value, [AuditEntry])
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    var options = TransactionOptions.inside(
      acting.company.id,
      user: acting.user,
      statementTimeout: statementTimeout
    )
    options.retries = 5
    let ids = services.ids
    return try await services.database.transaction(options) { tx in
      let rights = try Rights.read(acting, requestID: context.requestID, tx)
      try rights.require(permission, for: .write)
      let isAlive = try tx.value(
        "select t.deleted_at is null from solar.site t where t.company_id = \(acting.company.id) and t.id = \(site)",
        as: Bool?.self
      )
      guard isAlive == true else { throw DomainError(.notFound, "there is no such site") }
      let (value, audit) = try body(tx, Instant(microseconds: rights.access.now.microseconds))
      for entry in audit { try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context)) }
      if dryRun { try tx.rollback() }
      return value
    }
  }

  static func audit(_ action: String, _ site: UUID, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "solar.site", subjectID: site.text, detail: JSON(detail))
  }
}

extension JSONValue {
  /// Text, or null without any.
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
