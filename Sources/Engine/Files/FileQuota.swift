internal import Domain
internal import Postgres
internal import Store

/// Enforces the quota of bytes for files. Uploads of a company with a quota wait for each other and count exactly.
enum FileQuota {
  /// Reserves bytes until the end of the transaction, in which the caller inserts the upload.
  ///
  /// - Throws: `quota_exceeded`.
  static func require(_ bytes: Int, _ access: Access, _ work: Work) throws {
    let company = work.context.company
    let tx = work.transaction
    let maximum = try tx.first(
      "select q.max_records from core.quota q where q.company_id = \(company) and q.record_type = \(QuotaStore.bytes)",
      Int64.self
    )
    guard let maximum else { return }
    _ = try tx.rows(QuotaStore.queue(QuotaStore.bytes, company: company), String.self)
    // A statement of its own, so that it sees the uploads that were committed while this one waited.
    let used = try tx.value(QuotaStore.storedBytes, as: Int64.self)
    guard used + Int64(bytes) <= maximum else {
      throw DomainError(
        .quotaExceeded,
        "\(access.companySlug) has \(max(0, maximum - used)) of \(maximum) bytes left for files",
        hint: "remove files that are no longer needed; their bytes count for 30 days",
        details: ["type": .string(QuotaStore.bytes), "limit": .integer(maximum), "used": .integer(used)]
      )
    }
  }
}
