internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets

/// A digest over the history of a company up to a time. It covers the head of each record's chain: its newest
/// entry.
///
/// A chain proves its own contents. It does not prove that it was not truncated, replaced or removed together
/// with its record. A seal proves that too: a change of sealed history requires a change of every later seal.
package struct HistorySeal: Sendable, Hashable {
  /// The exclusive upper bound of the sealed history.
  package let until: Instant
  /// The number of records with sealed history.
  package let recordCount: Int64
  /// SHA-256 over the previous digest and then, for each head, the type, record, sequence number and hash.
  package let digest: [UInt8]

  /// Computes the seal of the transaction's company from its current history.
  ///
  /// Reads the heads by an entry function, because private histories are visible to their owners only. Choose
  /// `until` early enough that every transaction begun before it has ended.
  ///
  /// - Parameters:
  ///   - until: the exclusive upper bound; for a stored seal, its `sealed_at`.
  ///   - previous: the digest of the previous seal; empty for a company's first seal.
  package static func compute(
    until: Instant,
    previous: [UInt8],
    _ tx: Transaction
  ) throws -> HistorySeal {
    var stream = SHA256Stream()
    var count: Int64 = 0
    stream.update(prefixed(previous))
    try tx.forEach(
      """
      select h.record_type, h.record_id, h.seq, h.hash
      from core.history_heads(\(until)) h
      order by h.record_type collate "C", h.record_id
      """,
      String.self,
      UUID.self,
      Int64.self,
      [UInt8].self
    ) { type, record, seq, hash in
      stream.update(prefixed(Array(type.utf8)))
      stream.update(prefixed(Array(record.text.utf8)))
      stream.update(prefixed(Array(String(seq).utf8)))
      stream.update(prefixed(hash))
      count += 1
    }
    return HistorySeal(until: until, recordCount: count, digest: stream.digest())
  }

  /// Returns a part prefixed with its length, so that different lists of parts never produce the same bytes.
  private static func prefixed(_ bytes: [UInt8]) -> [UInt8] {
    let length = UInt32(bytes.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + bytes
  }
}

/// A stored seal.
package struct KeptSeal: RowDecodable, Sendable {
  /// The day on which the seal was made, in the company's time zone.
  package let day: LocalDate
  package let seal: HistorySeal
  /// The digest of the previous seal; empty in the first seal.
  package let previous: [UInt8]

  package init(row: inout RowReader) throws(PostgresError) {
    day = try row.next()
    seal = HistorySeal(until: try row.next(), recordCount: try row.next(), digest: try row.next())
    previous = try row.next()
  }

  /// Returns the seals of a company, oldest first.
  package static func all(company: UUID, _ tx: Transaction) throws -> [KeptSeal] {
    try tx.rows(
      """
      select s.sealed_on, s.sealed_at, s.record_count, s.digest, s.previous_digest
      from core.history_seal s
      where s.company_id = \(company)
      order by s.sealed_on
      """,
      as: KeptSeal.self
    )
  }

  /// Seals a company's history up to the start of its current day, or up to one hour ago if that is earlier.
  ///
  /// The hour gives transactions that began earlier the time to commit.
  ///
  /// - Returns: the seal; nil if the company has a seal of the current day or of a later time, or does not
  ///   exist.
  package static func add(company: UUID, _ tx: Transaction) throws -> HistorySeal? {
    let newest = try tx.first(
      """
      select s.sealed_on, s.sealed_at, s.record_count, s.digest, s.previous_digest
      from core.history_seal s
      where s.company_id = \(company)
      order by s.sealed_on desc
      limit 1
      """,
      as: KeptSeal.self
    )
    let moment = try tx.first(
      """
      select (now() at time zone core.known_zone(c.timezone))::date,
        least(date_trunc('day', now() at time zone core.known_zone(c.timezone)) at time zone core.known_zone(c.timezone), now() - interval '1 hour')
      from core.company c
      where c.id = \(company)
      """,
      LocalDate.self,
      Instant.self
    )
    guard let (day, until) = moment, newest.map({ $0.day < day && $0.seal.until <= until }) ?? true else {
      return nil
    }
    let seal = try HistorySeal.compute(
      until: until,
      previous: newest?.seal.digest ?? [],
      tx
    )
    let added = try tx.execute(
      """
      insert into core.history_seal (company_id, sealed_on, sealed_at, record_count, digest, previous_digest)
      values (\(company), \(day), \(until), \(seal.recordCount), \(seal.digest), \(newest?.seal.digest ?? []))
      on conflict do nothing
      """
    )
    return added == 1 ? seal : nil
  }
}
