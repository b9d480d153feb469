package import FoundationEssentials
package import Postgres

/// The maximum number of records of a type, or of all types together, in a company.
package struct QuotaRow: RowDecodable, Sendable {
  /// The type; `*` for all types together.
  package let recordType: String
  package let maximum: Int64

  package init(row: inout RowReader) throws(PostgresError) {
    recordType = try row.next()
    maximum = try row.next()
  }
}

/// The quotas of companies, and the counts that are checked against them.
package enum QuotaStore {
  /// Selects the quotas that apply to a new record of a type.
  package static func concerning(_ type: String, company: UUID) -> SQL {
    """
    select q.record_type, q.max_records from core.quota q
    where q.company_id = \(company) and q.record_type in (\(type), '*')
    order by q.record_type
    """
  }

  /// Selects all quotas of a company.
  package static func all(company: UUID) -> SQL {
    "select q.record_type, q.max_records from core.quota q where q.company_id = \(company) order by q.record_type"
  }

  /// Counts the living records of a type, up to a limit.
  package static func count(_ type: RecordType, company: UUID, upTo limit: Int64) -> SQL {
    """
    select count(*) from (
      select from \(type.table) t where t.company_id = \(company) and t.deleted_at is null limit \(limit)
    ) x
    """
  }

  /// Makes transactions that may reach a quota wait for each other, until they end.
  package static func queue(_ quota: String, company: UUID) -> SQL {
    let key = "fettle.quota \(company.uuidString) \(quota)"
    return "select pg_advisory_xact_lock(hashtextextended(\(key), 0))::text"
  }

  /// The name of the quota of bytes for files.
  package static let bytes = "bytes"

  /// Selects the bytes that count towards the quota of the transaction's company: blobs and open uploads.
  package static let storedBytes: SQL = "select core.stored_bytes()"
}
