internal import Domain
internal import Postgres
internal import Store

/// The use cases of a company's quotas.
package struct Quotas: Sendable {
  /// A quota and the records counted against it.
  package struct Usage: Sendable {
    /// The type; `*` for all types together; `bytes` for the bytes of files.
    package let type: String
    package let used: Int64
    /// The maximum; nil for unlimited.
    package let maximum: Int64?
  }

  private let services: Services
  private let catalogue: TypeCatalogue

  package init(_ services: Services, _ records: Records) {
    self.services = services
    catalogue = records.catalogue
  }

  /// Returns the count and quota of every type, then of all types together, then of the bytes of files. Requires `company.read`.
  ///
  /// Private records are visible to their owners only, so the counts include only those of the acting member.
  package func list(_ acting: ActingContext) async throws -> [Usage] {
    let company = acting.company.id
    return try await CompanyAdministration(services).read(acting, permission: "company.read") { tx, _ in
      let quotas = try tx.rows(QuotaStore.all(company: company), as: QuotaRow.self)
      let counts = try tx.pipeline { pipeline in
        catalogue.types.map {
          pipeline.value(QuotaStore.count($0, company: company, upTo: .max), as: Int64.self)
        }
      }
      var usages: [Usage] = []
      for (type, count) in zip(catalogue.types, counts) {
        let maximum = quotas.first { $0.recordType == type.name }?.maximum
        usages.append(Usage(type: type.name, used: try count.first ?? 0, maximum: maximum))
      }
      let whole = quotas.first { $0.recordType == "*" }?.maximum
      usages.append(Usage(type: "*", used: usages.reduce(0) { $0 + $1.used }, maximum: whole))
      let bytes = quotas.first { $0.recordType == QuotaStore.bytes }?.maximum
      usages.append(
        Usage(
          type: QuotaStore.bytes,
          used: try tx.value(QuotaStore.storedBytes, as: Int64.self),
          maximum: bytes
        )
      )
      return usages
    }
  }

  /// Sets quotas, each for a type, for `*` or for `bytes`; nil removes a quota. Operators only.
  ///
  /// A quota below the current count deletes nothing; it only prevents new records.
  ///
  /// - Throws: `forbidden` for a member, `invalid_number` outside 0 to 1,000,000,000,000, `unknown_type`.
  package func set(_ acting: ActingContext, _ limits: [(type: String, maximum: Int64?)]) async throws {
    guard acting.authority == .operator else {
      throw DomainError(.forbidden, "only operators set quotas", hint: "leave out --as")
    }
    for limit in limits {
      if limit.type != "*", limit.type != QuotaStore.bytes { _ = try catalogue.type(limit.type) }
      guard limit.maximum.map({ (0...1_000_000_000_000).contains($0) }) ?? true else {
        throw DomainError(.invalidNumber, "a quota is an integer from 0 to 1000000000000")
      }
    }
    let company = acting.company.id
    try await CompanyAdministration(services).administer(acting, permission: nil) { tx, _ in
      for limit in limits {
        if let maximum = limit.maximum {
          try tx.execute(
            """
            insert into core.quota (company_id, record_type, max_records)
            values (\(company), \(limit.type), \(maximum))
            on conflict (company_id, record_type) do update
            set max_records = excluded.max_records, updated_at = now()
            """
          )
        } else {
          try tx.execute(
            "delete from core.quota where company_id = \(company) and record_type = \(limit.type)"
          )
        }
      }
      let audit = limits.map { limit in
        AuditEntry(
          action: "company.quota_set",
          subjectType: "quota",
          subjectID: limit.type,
          detail: JSON(["max_records": limit.maximum.map { .integer($0) } ?? .null] as JSONObject)
        )
      }
      return ((), audit)
    }
  }
}
