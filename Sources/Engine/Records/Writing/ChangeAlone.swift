internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The application of a change by itself: a deletion, a file, a change with follow-ups in other records, or one whose
/// wave PostgreSQL refused.
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
    work.origin = change.request.origin
    defer { work.origin = nil }
    switch change.operation {
    case .create, .update, .transition:
      return try records.apply(change.request, acting, policy, seeing: &version, in: &work)
    case .delete, .restore, .attach:
      if let policy {
        let (company, tx) = (acting.company.id, work.transaction)
        let type = try change.type ?? records.catalogue.type(change.key.type)
        let standing = try tx.first(
          type.standings(company: company, ids: [change.id]),
          as: RecordStanding.self
        )
        version = standing?.version
        let ruling = try policy.ruling(on: change.request, type, standing) { _ in
          ([], false, true)
        } isSame: { _ in
          false
        }
        if case .done(let version) = ruling { return .done(version: version) }
      }
      return .applied(try records.perform(change.operation, acting, in: &work), isMerge: false)
    }
  }
}
