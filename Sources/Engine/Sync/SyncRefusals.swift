internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// Judgements on changes.
struct SyncRefusals {
  /// The pause in milliseconds after which a device sends a change again that could not be judged.
  static let pause = 2_000

  let records: Records
  let acting: ActingContext
  let rights: Rights

  /// Returns the judgement on a change that was decided.
  func result(_ outcome: ChangeOutcome, of mutation: SyncMutation) -> PushResult {
    switch outcome {
    case .applied(let answer, let isMerge):
      PushResult(mutation.no, isMerge ? .merged : .applied, version: answer.version)
    case .done(let version): PushResult(mutation.no, .applied, version: version)
    case .refused(let error, let version): result(error, of: mutation, version: version)
    }
  }

  /// Returns the judgement on a change that was refused: by category, a person decides, or the change is refused for
  /// good, or the device sends it again.
  ///
  /// - Parameter version: the record's version.
  private func result(_ error: DomainError, of mutation: SyncMutation, version: Int64?) -> PushResult {
    var more: JSONObject = ["detail": .string(error.message)]
    if let fields = error.details["fields"] { more["fields"] = fields }
    switch error.category {
    case .unavailable, .internal:
      return PushResult(mutation.no, .retry, code: error.code, more: ["retry_after_ms": .integer(Self.pause)])
    case .conflict:
      if let allowed = error.details["allowed"] { more["allowed"] = allowed }
      return PushResult(mutation.no, .conflict, version: version, code: error.code, more: more)
    case .notFound, .denied, .invalid:
      return PushResult(mutation.no, .rejected, code: error.code, more: more)
    }
  }

  /// Adds to conflicts the record as the server has it now, if the member may read it now. Takes a round trip if there
  /// are conflicts.
  func show(_ results: inout [Int64: PushResult], _ mutations: [SyncMutation], in work: Work) throws {
    let shown = try work.readMore { pipeline in
      mutations.compactMap { mutation -> (no: Int64, type: RecordType, row: Ticket<ViewedRow>)? in
        guard results[mutation.no]?.result == .conflict,
          let type = records.catalogue.types.first(where: { $0.name == mutation.type })
        else { return nil }
        let statement = type.shown(
          company: acting.company.id,
          id: mutation.record,
          guards: []
        )
        return (mutation.no, type, pipeline.rows(statement, as: ViewedRow.self))
      }
    }
    for (no, type, row) in shown {
      guard let document = try row.first?.document.value().object, rights.canRead(type, document) else {
        continue
      }
      results[no]?.server = document
    }
  }
}
