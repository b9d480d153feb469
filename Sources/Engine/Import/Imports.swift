internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The imports of a company: their list, and the removal of what one of them created.
package struct Imports: Sendable {
  /// The result of an undoing.
  package struct Undone: Sendable, Codable {
    package let number: Int64
    /// The name of the imported type.
    package let type: String
    /// The numbers of removed records, by type.
    package let removed: [String: Int]
    /// The number of records that somebody had deleted before.
    package let alreadyDeleted: Int
    /// The number of existing records that the import had changed, which stay as they are.
    package let changed: Int
  }

  /// A created record as it is now.
  private struct Created: RowDecodable {
    let id: UUID
    let version: Int64
    let isDeleted: Bool

    init(row: inout RowReader) throws(PostgresError) {
      id = try row.next()
      version = try row.next()
      isDeleted = try row.next()
    }
  }

  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Returns the newest imports of types that the actor may read.
  package func newest(_ acting: ActingContext, limit: Int = 100) async throws -> [RecordImport] {
    try await CompanyAdministration(services).read(acting, permission: nil) { tx, rights in
      guard records.catalogue.types.contains(where: { rights.holds("\($0.name).read") }) else {
        throw DomainError(.forbidden, "the list of imports requires the right to read some records")
      }
      return try tx.rows(ImportStore.newest(company: acting.company.id, limit: limit), as: RecordImport.self)
        .filter { rights.holds("\($0.type).read") }
    }
  }

  /// Removes the records that an import created, if nothing else has touched them since.
  ///
  /// Records that were deleted meanwhile stay deleted. What the import changed in other records stays.
  ///
  /// - Throws: `not_found` for an unknown number, `wrong_state` if it is undone already, `stale` naming changed records,
  ///   `still_referenced` if records of others belong or refer to them, `forbidden` without the right to delete them.
  package func undo(_ acting: ActingContext, number: Int64, dryRun: Bool = false) async throws -> Undone {
    let context = acting.context(requestID: services.ids.next())
    return try await records.explaining {
      try await records.work.perform(context, dryRun: dryRun) { work in
        try undo(acting, number: number, in: &work)
      }
    }
  }

  private func undo(_ acting: ActingContext, number: Int64, in work: inout Work) throws -> Undone {
    let company = acting.company.id
    let (access, found) = try work.read { pipeline in
      pipeline.rows(ImportStore.lock(company: company, number: number), as: RecordImport.self)
    }
    let rights = try Rights(acting, access)
    guard let row = try found.first, rights.holds("\(row.type).read") else {
      throw DomainError(
        .notFound,
        "there is no import \(number)",
        hint: "list them with `fettle record import list`"
      )
    }
    // Asked also for an import whose records are gone.
    try rights.requireCompany(permits: .write)
    if !rights.holds("\(row.type).delete.own") { try rights.require("\(row.type).delete", for: .write) }
    if let at = row.undoneAt {
      throw DomainError(
        .wrongState,
        "import \(number) was undone at \(at) by \(row.undoneBy ?? "")",
        hint: "list imports with `fettle record import list`"
      )
    }
    let created = Dictionary(
      grouping: try work.transaction.rows(
        ImportStore.records(company: company, request: row.requestID),
        String.self,
        UUID.self
      ),
      by: \.0
    )
    var removed: [String: Int] = [:]
    var alreadyDeleted = 0
    for type in order(of: Array(created.keys)) {
      let ids = created[type.name]?.map(\.1) ?? []
      let now = try work.transaction.rows(
        """
        select t.id, t.version, t.deleted_at is not null from \(type.table) t
        where t.company_id = \(company) and t.id = any (\(ids)) order by t.id
        """,
        as: Created.self
      )
      alreadyDeleted += now.count(where: \.isDeleted)
      let living = now.filter { !$0.isDeleted }
      try requireUntouched(living, type, number, acting, work)
      try remove(living, type, number, acting, &work)
      if !living.isEmpty { removed[type.name] = living.count }
    }
    let name = acting.actor.name ?? access.userName ?? ""
    try work.transaction.execute(ImportStore.undo(company: company, number: number, by: name, at: access.now))
    let counts = removed.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer($0.value)) }
    let detail: JSONObject = [
      "import": .integer(Int(number)), "already_deleted": .integer(alreadyDeleted),
      "removed": .object(JSONObject(counts)),
    ]
    work.changes.audit.append(
      AuditEntry(
        action: "record.import_undone",
        subjectType: row.type,
        subjectID: String(number),
        detail: JSON(detail)
      )
    )
    return Undone(
      number: number,
      type: row.type,
      removed: removed,
      alreadyDeleted: alreadyDeleted,
      changed: Int(row.changed)
    )
  }

  /// Returns the types in an order in which no type comes before one that refers to it.
  private func order(of names: [String]) -> [RecordType] {
    var left = names.sorted().compactMap { try? records.catalogue.type($0) }  // an app may be uninstalled
    var ordered: [RecordType] = []
    while !left.isEmpty {
      let free = left.firstIndex { type in
        !left.contains { other in
          other.name != type.name && other.definition.references.contains { $0.target == type.name }
        }
      }
      ordered.append(left.remove(at: free ?? 0))
    }
    return ordered
  }

  /// Requires that records have their first version, and no comments and files.
  private func requireUntouched(
    _ living: [Created],
    _ type: RecordType,
    _ number: Int64,
    _ acting: ActingContext,
    _ work: Work
  ) throws {
    let company = acting.company.id
    let ids = living.map(\.id)
    let spoken = try work.transaction.rows(
      """
      select m.record_id from core.comment m
      where m.company_id = \(company) and m.record_type = \(type.name) and m.record_id = any (\(ids))
        and m.deleted_at is null
      union
      select a.record_id from core.attachment a
      where a.company_id = \(company) and a.record_type = \(type.name) and a.record_id = any (\(ids))
        and a.deleted_at is null
      """,
      UUID.self
    )
    let touched = living.filter { $0.version > 1 || spoken.contains($0.id) }.map(\.id)
    guard !touched.isEmpty else { return }
    throw refusal(touched, type, number, "changed since", .stale, try names(of: touched, type, acting, work))
  }

  private func remove(
    _ living: [Created],
    _ type: RecordType,
    _ number: Int64,
    _ acting: ActingContext,
    _ work: inout Work
  ) throws {
    let requests = living.enumerated().map { place, record in
      ChangeRequest(
        no: Int64(place),
        operation: .delete(type: type.name, id: record.id, version: 1, comment: "import \(number) undone")
      )
    }
    let outcomes = try records.applyEach(requests, isCareful: true, acting, in: &work)
    var kept: [UUID] = []
    for (place, record) in living.enumerated() {
      switch outcomes[Int64(place)] {
      // Records of others would be deleted along.
      case .applied(let answer, _) where !(answer.along ?? [:]).isEmpty: kept.append(record.id)
      case .refused(let error, _) where error.code == .stillReferenced: kept.append(record.id)
      case .refused(let error, _): throw error
      case .applied, .done, nil: break
      }
    }
    guard !kept.isEmpty else { return }
    throw refusal(
      kept,
      type,
      number,
      "used by other records",
      .stillReferenced,
      try names(of: kept, type, acting, work)
    )
  }

  private func refusal(
    _ ids: [UUID],
    _ type: RecordType,
    _ number: Int64,
    _ reason: String,
    _ code: ErrorCode,
    _ names: [String]
  ) -> DomainError {
    let noun = (ids.count == 1 ? type.definition.label : type.definition.plural).lowercased()
    let more = ids.count > names.count ? " and \(ids.count - names.count) more" : ""
    return DomainError(
      code,
      "import \(number) stays: \(ids.count) \(noun) \(ids.count == 1 ? "was" : "were") \(reason): "
        + "\(names.joined(separator: ", "))\(more)",
      hint:
        "see `fettle record history \(type.name) \(names.first ?? "…")`; delete the others with `fettle record delete \(type.name) --where …`",
      details: ["import": .integer(Int(number)), "records": .strings(ids.prefix(100).map(\.text))]
    )
  }

  /// Returns the names of the first records that a message names.
  private func names(of ids: [UUID], _ type: RecordType, _ acting: ActingContext, _ work: Work) throws
    -> [String]
  {
    let shown = Array(ids.prefix(5))
    let names = try records.names(of: shown, type, acting, work)
    return shown.map { names[$0] ?? $0.text }
  }
}
