internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A record as its table stores it.
struct StoredRecord: RowDecodable, Sendable {
  let id: UUID
  let document: JSON

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    document = try row.next()
  }
}

/// Checks stored records of a type by the rules under which every writer would write them today.
struct StoredRuleCheck {
  /// Why a record would not be written today.
  struct Fault {
    let id: UUID
    /// The refusal; nil if only ``missing`` is wrong.
    let refusal: DomainError?
    /// A column that the rule computes and that is empty.
    let missing: String?
  }

  /// What the rule says about a record; nil for a type without a rule.
  private typealias Verdict = Result<RecordRule.Verdict?, DomainError>

  private let type: RecordType
  private let rule: RecordRule?
  /// The engine, on behalf of the owner of private records.
  let acting: ActingContext

  /// - Parameters:
  ///   - rule: the compiled rule of the type. Its entitlement is left out: a record stays when the entitlement ends.
  ///   - owner: the owner of private records; nil for records of the company.
  ///   - actor: the part of the engine that checks.
  init(
    _ type: RecordType,
    _ rule: RecordRule?,
    company: CompanyRow,
    owner: UUID?,
    actor: Actor = .system("verify")
  ) {
    self.type = type
    self.rule = rule
    acting = ActingContext(company: company, actor: actor, user: owner)
  }

  /// Returns the query for the next living records in the order of their ids.
  func page(after last: UUID?, limit: Int) -> SQL {
    let rest: SQL = last.map { "and t.id > \($0)" } ?? ""
    return """
      select t.id, to_jsonb(t) from \(type.table) t
      where t.company_id = \(acting.company.id) and t.deleted_at is null \(rest)
      order by t.id
      limit \(limit)
      """
  }

  /// Returns the query for living records with these ids.
  func records(_ ids: [UUID]) -> SQL {
    """
    select t.id, to_jsonb(t) from \(type.table) t
    where t.company_id = \(acting.company.id) and t.id = any (\(ids)) and t.deleted_at is null
    order by t.id
    """
  }

  /// Returns the faults of some records. Their questions to the database are asked together.
  func faults(of records: [StoredRecord], _ access: Access, _ tx: Transaction) throws -> [Fault] {
    guard !records.isEmpty else { return [] }
    let documents = try records.map { try $0.document.value().object ?? [:] }
    let verdicts: [Verdict]
    do {
      verdicts = try tx.savepoint { tx in
        try tx.pipeline { pipeline in
          try pipeline.sharing { pipeline in try documents.map { try ask(about: $0, &pipeline) } }
        }
      }
    } catch let error as PostgresError where error.isRefusalOfValue {
      // A stored value made a question fail, such as an unknown time zone. Halves find the record.
      guard records.count > 1 else {
        return [Fault(id: records[0].id, refusal: DomainError(error), missing: nil)]
      }
      let middle = records.count / 2
      return try faults(of: Array(records[..<middle]), access, tx)
        + faults(of: Array(records[middle...]), access, tx)
    }
    return try zip(zip(records, documents), verdicts).compactMap { known, verdict in
      try fault(known.0.id, known.1, verdict, access)
    }
  }

  /// Checks the values, and queues the questions of the rule.
  private func ask(about document: JSONObject, _ pipeline: inout Pipeline) throws -> Verdict {
    do {
      try FieldCheck(type: type, rule: rule).require(document)
      try type.requireAll(document)
      guard let rule else { return .success(nil) }
      let fields = try rule.normalise(document.asWritten(in: type))
      return .success(try rule.check(fields, acting, &pipeline))
    } catch let error as DomainError {
      return .failure(error)
    }
  }

  private func fault(_ id: UUID, _ document: JSONObject, _ verdict: Verdict, _ access: Access) throws
    -> Fault?
  {
    do {
      let computed = try verdict.get()?(access) ?? [:]
      let missing = computed.members.first { column, value in
        !value.isNull && type.definition.engine.contains(column) && document[column]?.isNull ?? true
      }
      return missing.map { Fault(id: id, refusal: nil, missing: $0.key) }
    } catch let error as DomainError {
      return Fault(id: id, refusal: error, missing: nil)
    }
  }
}
