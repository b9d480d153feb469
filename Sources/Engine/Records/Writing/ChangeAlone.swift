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
    if case .other = change.way, let done = try done(change, &version, in: work) { return done }
    let answer: RecordAnswer
    switch change.operation {
    case .create, .update, .transition:
      return try records.apply(change.request, acting, policy, seeing: &version, in: &work)
    case .delete(let type, let id, let expected, let comment):
      answer = try records.delete(acting, type: type, id: id, version: expected, comment: comment, in: &work)
    case .restore(let type, let id):
      answer = try records.restore(acting, type: type, id: id, in: &work)
    case .attach(let type, let id, let file, let member):
      answer = try records.attach(acting, file, of: member, to: type, id: id, in: &work)
    }
    return .applied(answer, isMerge: false)
  }

  /// Returns the outcome if the policy says that the record has the effect already.
  ///
  /// - Throws: its refusal.
  private func done(_ change: RecordChange, _ version: inout Int64?, in work: Work) throws -> ChangeOutcome? {
    guard let policy else { return nil }
    let type = try change.type ?? records.catalogue.type(change.key.type)
    let standing = try work.transaction.first(
      type.standings(company: acting.company.id, ids: [change.id]),
      as: RecordStanding.self
    )
    version = standing?.version
    // Only an edit asks what others changed, and only a creation whether the values are the same.
    let ruling = try policy.ruling(on: change.request, type, standing) { _ in
      ([], false, true)
    } isSame: { _ in
      false
    }
    guard case .done(let known) = ruling else { return nil }
    return .done(version: known)
  }
}
