internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The answers to the questions about a wave.
struct ChangeReading {
  private var locked: [ChangeKey: LockedRecord] = [:]
  private var viewed: [ChangeKey: GlancedRecord] = [:]
  private var standings: [ChangeKey: RecordStanding] = [:]
  private var changed: [ChangeKey: ChangeRuling.Changed] = [:]
  private var living: [ChangeKey: Bool] = [:]
  /// The records locked as parents that the actor owns.
  private var own: Set<ChangeKey> = []
  private var members: [UUID: Bool] = [:]
  private var quotas: [String: [QuotaRow]] = [:]
  private var numbers: [(type: RecordType, claim: NumberClaim.Tickets)] = []
  private var hooks: [Int64: [Bool?]] = [:]
  private var verdicts: [Int64: Result<RecordRule.Verdict?, DomainError>] = [:]
  /// The records as their decisions read them.
  private var readings: [Int64: RecordReading] = [:]
  /// The records that the wave creates, by type.
  private(set) var created: [String: Int] = [:]

  /// - Parameter questions: the questions, after their round trip.
  init(_ questions: ChangeQuestions) throws {
    verdicts = questions.verdicts
    for (name, tickets) in questions.tickets {
      for record in try tickets.locked?.all ?? [] {
        let key = ChangeKey(name, record.id)
        locked[key] = record
        living[key] = !record.row.isDeleted
        standings[key] = RecordStanding(
          id: record.id,
          version: record.row.version,
          isDeleted: record.row.isDeleted
        )
      }
      for (id, isLiving, isOwn) in try tickets.living?.all ?? [] {
        living[ChangeKey(name, id)] = isLiving
        if isOwn { own.insert(ChangeKey(name, id)) }
      }
      for standing in try tickets.standings?.all ?? [] { standings[ChangeKey(name, standing.id)] = standing }
      for record in try tickets.viewed.flatMap({ try $0.all }) { viewed[ChangeKey(name, record.id)] = record }
      for (id, columns, isKnown, isByOthers) in try tickets.changed?.all ?? [] {
        changed[ChangeKey(name, id)] = (columns, isKnown, isByOthers)
      }
      quotas[name] = try tickets.quotas?.all
      if let claim = tickets.number { numbers.append((tickets.type, claim)) }
      for (no, answers) in try tickets.editHooks.flatMap({ try $0.all }) { hooks[no] = answers }
      if let answers = try tickets.creationHooks?.all {
        for creation in tickets.creations { hooks[creation.no] = answers[creation.document] }
      }
    }
    for (id, isMember) in try questions.members?.all ?? [] { members[id] = isMember }
  }

  /// - Parameters:
  ///   - locked: records of a type, with the columns and guards that decide if nothing is `viewed`.
  ///   - members: members that the changes may name.
  init(_ type: RecordType, locked: [LockedRecord], viewed: [GlancedRecord], members: [UUID]) {
    for record in locked { self.locked[ChangeKey(type.name, record.id)] = record }
    for record in viewed { self.viewed[ChangeKey(type.name, record.id)] = record }
    for member in members { self.members[member] = true }
  }

  /// Returns the record of a change; nil if there is none, or none that the member may see.
  func standing(of change: RecordChange) -> RecordStanding? { standings[change.key] }

  /// Returns the status of a locked record.
  func status(of change: RecordChange) -> String? { locked[change.key]?.row.status }

  /// Returns the columns that others changed after a version that is not the record's.
  func changed(of change: RecordChange) -> ChangeRuling.Changed { changed[change.key] ?? ([], false, true) }

  /// Returns the record of an edit or a transition, as far as its decision reads it.
  mutating func record(of change: RecordChange, _ type: RecordType, _ rights: Rights) throws -> RecordReading
  {
    if let known = readings[change.no] { return known }
    let record = locked[change.key]
    var (document, guards) = (record?.document, record?.guards ?? [])
    if change.readsView {
      let seen = viewed[change.key]
      (document, guards) = (seen?.document, seen?.guards ?? [])
    }
    if record?.row.isDeleted == true { document = nil }
    var transition: String?
    if case .transition(let request, _) = change.way { transition = request.transition }
    let reading = RecordReading(
      type: type,
      locked: record?.row,
      document: try document.map { try $0.value().object ?? [:] },
      guards: guards,
      of: transition,
      rights: rights
    )
    readings[change.no] = reading
    return reading
  }

  /// Returns the answers for a creation.
  ///
  /// - Throws: the refusal of the type's rule before its queries.
  func answers(
    for creation: RecordCreation,
    of change: RecordChange,
    made: Set<ChangeKey>,
    _ rights: Rights
  ) throws -> RecordCreation.Answers {
    let no = change.no
    return RecordCreation.Answers(
      parents: try isAlive(creation.parents, made: made, rights),
      members: creation.members.map { members[$0.id] },
      quotas: quotas[change.operation.subject.type] ?? [],
      verdict: try verdicts[no]?.get(),
      hooks: hooks[no] ?? [],
      unwritten: created
    )
  }

  /// Returns for each parent whether it is living; nil if there is none that the actor may refer to.
  ///
  /// - Parameters:
  ///   - made: the records that earlier changes of the wave create.
  ///   - kept: the ids to which the record refers already.
  func isAlive(_ parents: [Parent], made: Set<ChangeKey>, kept: Set<String> = [], _ rights: Rights) throws
    -> [Bool?]
  {
    try parents.map { parent -> Bool? in
      let key = ChangeKey(parent.type.name, parent.id)
      if made.contains(key) { return true }
      guard !rights.mayRefer(to: parent.type), !kept.contains(parent.id.text) else { return living[key] }
      return try isOwn(key, parent.type, rights) ? living[key] : nil
    }
  }

  private func isOwn(_ key: ChangeKey, _ type: RecordType, _ rights: Rights) throws -> Bool {
    if own.contains(key) { return true }
    guard let user = rights.user, let record = locked[key] else { return false }
    let document = try record.document?.value().object ?? [:]
    return record.row.createdBy == user || type.owners(of: document).contains(user)
  }

  /// Returns the results of the conditions of hooks on an edit.
  func hooks(of change: RecordChange) -> [Bool?] { hooks[change.no] ?? [] }

  /// Requires that member fields name current members only, except those that the record has already.
  func requireMembers(in fields: JSONObject, of type: RecordType, before: JSONObject) throws {
    for member in MemberReference.all(in: fields, of: type, before: before) {
      try member.require(members[member.id])
    }
  }

  /// Counts a record that the wave creates.
  mutating func count(_ type: RecordType) { created[type.name, default: 0] += 1 }

  /// Keeps the claimed numbers for the unit of work.
  func keepNumbers(in work: inout Work) throws {
    for (type, claim) in numbers {
      try NumberClaim(type, company: work.context.company)?.keep(claim, in: &work)
    }
  }
}
