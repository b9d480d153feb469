internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// The judgement of a change by statements of its own: a deletion, a file, a change with follow-ups in other records, or
/// one whose wave PostgreSQL refused.
struct SyncAlone {
  let records: Records
  let acting: ActingContext
  let refusals: SyncRefusals
  let device: UUID

  /// Applies a change, or says why not. A refusal leaves no trace in the unit of work.
  func apply(_ change: SyncChange, in work: inout Work) throws -> PushResult {
    let mutation = change.mutation
    let before = (changes: work.changes, numbers: work.numbers)
    var standing: RecordStanding?
    do {
      let tx = work.transaction
      return try tx.savepoint { tx in
        let type = try change.type ?? records.catalogue.type(mutation.type)
        standing = try tx.first(
          type.standings(company: acting.company.id, ids: [mutation.record]),
          as: RecordStanding.self
        )
        let result = try decide(mutation, type, standing, in: &work)
        try work.writeRowsNow()
        return result
      }
    } catch let error as DomainError {
      (work.changes, work.numbers) = before
      return refusals.result(error, of: mutation, version: standing?.version)
    } catch let error as PostgresError where error.isRefusalOfValue {
      (work.changes, work.numbers) = before
      let error = try refusals.explaining(error, work.transaction)
      return refusals.result(error, of: mutation, version: standing?.version)
    }
  }

  private func decide(
    _ mutation: SyncMutation,
    _ type: RecordType,
    _ standing: RecordStanding?,
    in work: inout Work
  ) throws -> PushResult {
    let (company, tx, id) = (acting.company.id, work.transaction, mutation.record)
    let ruling = try SyncRuling(mutation, type, standing) { base in
      let change = try tx.first(
        type.changed(company: company, id: id, after: base, exceptBy: device),
        [String].self,
        Bool.self,
        Bool.self
      )
      return change.map { ($0.0, $0.1, $0.2) } ?? ([], false, true)
    } isSame: { fields in
      let same = try tx.first(type.holds(company: company, id: id, fields), Bool.self)
      return same == true
    }
    guard case .proceed(let isMerge) = ruling else {
      return PushResult(mutation.no, .applied, version: standing?.version)
    }
    let answer = try write(mutation, type.name, in: &work)
    return PushResult(mutation.no, isMerge ? .merged : .applied, version: answer.version)
  }

  private func write(_ mutation: SyncMutation, _ type: String, in work: inout Work) throws -> RecordAnswer {
    let id = mutation.record
    work.origin = RecordOrigin(device: device, clientTime: mutation.clientTime)
    defer { work.origin = nil }
    switch mutation.operation {
    case .create(let fields):
      return try records.create(acting, type: type, id: id, fields: fields, in: &work)
    case .patch(let fields, _):
      return try records.update(acting, type: type, id: id, fields: fields, in: &work)
    case .transition(let request):
      return try records.transition(acting, type: type, id: id, request: request, in: &work)
    case .delete(let comment):
      return try records.delete(acting, type: type, id: id, comment: comment, in: &work)
    case .attach(let file):
      return try records.attach(acting, file, of: acting.user, to: type, id: id, in: &work)
    }
  }
}
