internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The application of a change by statements of its own: a deletion, a file, a change with follow-ups in other records,
/// or one whose wave PostgreSQL refused.
struct ChangeAlone {
  let records: Records
  let acting: ActingContext
  let policy: (any ChangePolicy)?

  /// Applies a change within a savepoint, or says why not. A refusal leaves no trace in the unit of work.
  func attempt(_ change: RecordChange, in work: inout Work) throws -> ChangeOutcome {
    var outcome: ChangeOutcome?
    var version: Int64?
    do {
      try records.contained(in: &work) { work in
        outcome = try decide(change, &version, in: &work)
      }
    } catch let error as DomainError {
      return .refused(error, version: version)
    }
    guard let outcome else { throw DomainError(.internal) }
    return outcome
  }

  /// Applies a change for a writer whose unit of work ends with the first refusal.
  func apply(_ change: RecordChange, in work: inout Work) throws -> ChangeOutcome {
    var version: Int64?
    do {
      let outcome = try decide(change, &version, in: &work)
      try work.writeRowsNow()
      return outcome
    } catch let error as DomainError {
      return .refused(error, version: version)
    }
  }

  /// - Parameter version: set to the record's version before the change.
  private func decide(_ change: RecordChange, _ version: inout Int64?, in work: inout Work) throws
    -> ChangeOutcome
  {
    var isMerge = false
    if let policy {
      let (company, tx, id) = (acting.company.id, work.transaction, change.id)
      let type = try change.type ?? records.catalogue.type(change.key.type)
      let standing = try tx.first(type.standings(company: company, ids: [id]), as: RecordStanding.self)
      version = standing?.version
      let ruling = try policy.ruling(on: change.request, type, standing) { base in
        let change = try tx.first(
          type.changed(company: company, id: id, after: base, exceptBy: policy.device),
          [String].self,
          Bool.self,
          Bool.self
        )
        return change.map { ($0.0, $0.1, $0.2) } ?? ([], false, true)
      } isSame: { fields in
        let same = try tx.first(type.holds(company: company, id: id, fields), Bool.self)
        return same == true
      }
      switch ruling {
      case .proceed(let merges): isMerge = merges
      case .done(let version): return .done(version: version)
      }
    }
    work.origin = change.request.origin
    defer { work.origin = nil }
    return .applied(try records.perform(change.operation, acting, in: &work), isMerge: isMerge)
  }
}
