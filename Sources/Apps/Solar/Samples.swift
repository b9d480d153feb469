package import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The outcome of writing samples. It shows how many samples a repetition after a lost response did not add
/// twice, and how many stored samples have other numbers.
package struct SampleOutcome: Sendable, Codable, Equatable {
  /// The number of new samples.
  package var added = 0
  /// The number of samples that were not added, because a sample of their time exists.
  package var alreadyThere = 0
  /// The number of samples in `alreadyThere` with other numbers. The stored ones are kept; a correction
  /// replaces them.
  package var differing = 0
  /// The invalid lines of a file.
  package var refused: [RefusedLine] = []
  /// The format of the file, reused for the file of refused lines.
  package var form = FileForm()

  package init() {}

  package static func == (left: SampleOutcome, right: SampleOutcome) -> Bool {
    left.added == right.added && left.alreadyThere == right.alreadyThere && left.differing == right.differing
  }
}

/// Samples of solar sites: written in bulk, corrected by hand, listed newest first.
package struct Samples: Sendable {
  /// Number of samples in a batch. It fits into the network buffers, so that the server processes a batch
  /// while the next one is read.
  static let batchSize = 2_000

  let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Inserts samples of a site; existing ones are kept.
  ///
  /// - Throws: `bad_timestamp` if one is more than five minutes in the future, in which case none is
  ///   inserted; `not_found` for a missing site.
  package func add(_ acting: ActingContext, site: UUID, _ samples: [SolarSample]) async throws
    -> SampleOutcome
  {
    try await writing(acting, site: site, permission: "solar.sample.create") { tx, now in
      var insert = SampleInsert(company: acting.company.id, site: site, now: now)
      for sample in samples { try insert.take(sample, tx) }
      return (try insert.finish(tx), [])
    }
  }

  /// Corrects a wrong sample, or inserts a missing one. Daily energy is always computed from the stored samples.
  ///
  /// - Returns: the sample before, nil if there was none, and after.
  /// - Throws: `bad_timestamp` for a sample more than five minutes in the future, `not_found` for a missing
  ///   site, `invalid_number` if a new counter, whose mark stays, began above the new reading.
  package func correct(
    _ acting: ActingContext,
    site: UUID,
    _ correction: SampleCorrection
  ) async throws -> (old: SampleRow?, new: SolarSample) {
    try await writing(acting, site: site, permission: "solar.sample.correct") { tx, now in
      let removed = try tx.rows(
        SampleStatements.remove(
          company: acting.company.id,
          site: site,
          from: correction.takenAt,
          through: correction.takenAt
        ),
        as: SampleRow.self
      )
      let old = removed.first
      let new = try correction.applied(to: old)
      return ((old, new), [try write(new, insteadOf: old, acting, site: site, now: now, tx)])
    }
  }

  /// Says that the counter was reset or replaced before a stored sample.
  ///
  /// - Parameter first: the first reading of the new counter; nil for the reading of the sample.
  /// - Returns: the first reading of the new counter.
  /// - Throws: `not_found` if there is no such sample, `missing_fields` if it has no meter reading, `invalid_number`
  ///   for a first reading above it.
  package func mark(_ acting: ActingContext, site: UUID, at instant: Instant, first: ExactDecimal?)
    async throws
    -> String
  {
    try await writing(acting, site: site, permission: "solar.sample.correct") { tx, now in
      let removed = try tx.rows(
        SampleStatements.remove(company: acting.company.id, site: site, from: instant, through: instant),
        as: SampleRow.self
      )
      guard let old = removed.first else {
        throw DomainError(
          .notFound,
          "there is no sample at \(instant.rfc3339)",
          hint: "list the samples with `fettle solar sample list`"
        )
      }
      let reading = try old.meterKWh.map { text in try ExactDecimal(parsing: text) }
      guard let reading else {
        throw DomainError(.missingFields, "the sample at \(instant.rfc3339) has no meter reading")
      }
      let marked = try SolarSample(
        takenAt: instant,
        inverterKW: try old.inverterKW.map { text in try ExactDecimal(parsing: text) },
        meterKWh: reading,
        firstKWh: first ?? reading
      )
      let entry = try write(marked, insteadOf: old, acting, site: site, now: now, tx)
      return ((first ?? reading).text, [entry])
    }
  }

  private func write(
    _ sample: SolarSample,
    insteadOf old: SampleRow?,
    _ acting: ActingContext,
    site: UUID,
    now: Instant,
    _ tx: Transaction
  ) throws -> AuditEntry {
    var insert = SampleInsert(company: acting.company.id, site: site, now: now)
    try insert.take(sample, tx)
    _ = try insert.finish(tx)
    let detail: JSONObject = [
      "taken_at": .string(sample.takenAt.rfc3339),
      "inverter_kw": .array([.text(old?.inverterKW), .text(sample.inverterKW?.text)]),
      "meter_kwh": .array([.text(old?.meterKWh), .text(sample.meterKWh?.text)]),
      "first_kwh": .array([.text(old?.firstKWh), .text(sample.firstKWh?.text)]),
    ]
    return Self.audit("solar.sample.replaced", site, detail)
  }

  /// Deletes the samples between two times, both included.
  ///
  /// - Returns: the number of deleted samples.
  /// - Throws: `not_found` if there are none, or for a missing site.
  package func remove(_ acting: ActingContext, site: UUID, from: Instant, through: Instant) async throws
    -> Int
  {
    try await writing(acting, site: site, permission: "solar.sample.correct") { tx, _ in
      let removed = try tx.rows(
        SampleStatements.remove(
          company: acting.company.id,
          site: site,
          from: from,
          through: through
        ),
        as: SampleRow.self
      )
      guard !removed.isEmpty else {
        throw DomainError(.notFound, "there is no sample from \(from.rfc3339) to \(through.rfc3339)")
      }
      let detail: JSONObject = [
        "from": .string(from.rfc3339), "through": .string(through.rfc3339),
        "removed": .integer(removed.count),
        // The first 1,000 samples, to restore what was deleted by mistake.
        "samples": .array(
          removed.prefix(1_000).map { row in
            .array([
              .string(row.takenAt.description), .text(row.inverterKW), .text(row.meterKWh),
              .text(row.firstKWh),
            ])
          }
        ),
      ]
      return (removed.count, [Self.audit("solar.sample.removed", site, detail)])
    }
  }

  /// Returns the newest samples of a site, newest first.
  ///
  /// - Parameter before: only samples before this time; nil for all.
  package func list(_ acting: ActingContext, site: UUID, before: Instant? = nil, limit: Int) async throws
    -> [SampleRow]
  {
    try await CompanyAdministration(services).read(acting, permission: "solar.sample.read") { tx, _ in
      try tx.rows(
        SampleStatements.list(
          company: acting.company.id,
          site: site,
          before: before,
          limit: limit
        ),
        as: SampleRow.self
      )
    }
  }

  /// Runs a body that writes samples of an existing site, and writes the audit entries that it returns.
  ///
  /// - Throws: `not_found` for a missing or deleted site, `forbidden` without the permission.
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
    return try await services.denials.watching(context) { [options] in
      try await services.database.transaction(options) { tx in
        let rights = try Rights.read(acting, requestID: context.requestID, tx)
        try rights.require(permission, for: .write)
        let isAlive = try tx.value(
          "select t.deleted_at is null from solar.site t where t.company_id = \(acting.company.id) and t.id = \(site)",
          as: Bool?.self
        )
        guard isAlive == true else { throw DomainError(.notFound, "there is no such site") }
        let (value, audit) = try body(tx, rights.access.now)
        for entry in audit { try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context)) }
        if dryRun { try tx.rollback() }
        return value
      }
    }
  }

  static func audit(_ action: String, _ site: UUID, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "solar.site", subjectID: site.text, detail: JSON(detail))
  }
}

extension JSONValue {
  /// Returns the text as JSON; nil becomes null.
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
