internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// One transition of many locked records, part by part: each part is a wave.
struct BulkTransition {
  /// The number of records decided and written together. Their statements fit into the socket's buffer, so
  /// that sending them does not block.
  static let size = 250

  /// Records that are decided, and not written yet.
  struct Part {
    let decisions: ChangeDecisions
    /// The display names of the visible records, by the number of the change.
    let names: [Int64: String?]
  }

  let records: Records
  let type: RecordType
  let request: TransitionRequest
  let needs: TransitionNeeds
  let acting: ActingContext
  let rights: Rights

  /// Decides a part of the locked records.
  ///
  /// Writes nothing, so it can run while the server writes the previous part. If the decision requires data
  /// beyond the locked rows, it waits for the server and reads the rows sent before.
  ///
  /// - Parameter start: the number of the first record.
  func part(of locked: [LockedRecord], from start: Int, in work: inout Work) throws -> Part {
    let viewed =
      needs.isInRow
      ? []
      : try work.transaction.rows(
        type.glance(
          company: acting.company.id,
          ids: locked.map(\.id),
          columns: needs.columns,
          guards: needs.guards
        ),
        as: GlancedRecord.self
      )
    let members = MemberReference.all(in: request.fields, of: type).map(\.id)
    var reading = ChangeReading(type, locked: locked, viewed: viewed, members: members)
    var names: [Int64: String?] = [:]
    let changes = try locked.enumerated().compactMap { offset, record -> RecordChange? in
      let change = RecordChange(
        request: ChangeRequest(
          no: Int64(start + offset),
          operation: .transition(type: type.name, id: record.id, request: request)
        ),
        type: type,
        way: .transition(request, needs),
        readsView: !needs.isInRow
      )
      let snapshot = try reading.record(of: change, type, rights).snapshot
      guard snapshot.isVisible else { return nil }
      let title = needs.titles.lazy.compactMap { snapshot.fields[$0] }.first { !$0.isBlank }
      names.updateValue(title?.displayText, forKey: change.no)
      return change
    }
    var decisions = ChangeDecisions(records, acting, rights, nil, reading)
    try decisions.decide(changes, in: &work)
    return Part(decisions: decisions, names: names)
  }

  /// Writes the permitted records of a part together, unless the follow-ups of each differ.
  ///
  /// - Parameter meanwhile: runs while the server writes; not called if each record is transitioned alone.
  /// - Returns: the results in the order of the records.
  func write(_ part: Part, in work: inout Work, meanwhile: (inout Work) throws -> Void) throws
    -> [BulkOutcome.Item]
  {
    let decisions = part.decisions
    let writer = ChangeWriter(records: records, isCareful: true, travels: false, audits: false)
    var outcomes = decisions.outcomes
    outcomes += try writer.write(decisions.plans, in: &work, overlaps: true, meanwhile: meanwhile)
    let applying = ChangeAlone(records: records, acting: acting, policy: nil)
    for change in decisions.alone {
      outcomes.append((change, try applying.attempt(change, in: &work)))
    }
    return outcomes.sorted { $0.change.no < $1.change.no }.map { change, outcome in
      BulkOutcome.Item(change.id, part.names[change.no] ?? nil, outcome)
    }
  }
}
