internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The creation of one record: its questions to the database, and its decision from the answers.
///
/// The questions of all creations of a wave are asked together.
struct RecordCreation {
  /// The answers, each in the order of its questions.
  struct Answers {
    /// For each parent, whether it is living; nil if there is none.
    var parents: [Bool?]
    /// For each named member, whether they were not removed; nil for a user who never was a member.
    var members: [Bool?]
    var quotas: [QuotaRow]
    /// The verdict of the type's rule; nil if there is no rule.
    var verdict: RecordRule.Verdict?
    /// The results of the conditions of ``RecordCreation/hooks``.
    var hooks: [Bool?]
    /// The records planned in the same unit of work whose rows are not written yet, by type.
    var unwritten: [String: Int] = [:]
  }

  let id: UUID
  let fields: JSONObject
  let kind: HistoryEntry.Kind
  let rule: RecordRule?
  /// The fields that queries may use before permissions are checked.
  let askable: JSONObject
  let parents: [Parent]
  let members: [MemberReference]
  let hooks: Hooks
  let numbering: NumberClaim?

  /// Checks the values, because PostgreSQL's own error would not name the field.
  ///
  /// - Throws: the errors of ``FieldCheck/require(_:)``, and `invalid_id` for a reference.
  init(
    _ records: Records,
    _ acting: ActingContext,
    _ type: RecordType,
    id: UUID,
    fields: JSONObject,
    kind: HistoryEntry.Kind = .create
  ) throws {
    self.id = id
    self.kind = kind
    rule = records.rule(of: type)
    let check = FieldCheck(type: type, rule: rule)
    try check.require(fields)
    self.fields = check.canonical(fields)
    askable = check.askable(self.fields, from: acting)
    parents = try records.parents(of: type, fields)
    members = MemberReference.all(in: fields, of: type)
    hooks = Hooks(.create, of: type)
    numbering = NumberClaim(type, company: acting.company.id)
  }

  /// Returns the fields of a new record in their stored form, with the columns that the rule computes.
  ///
  /// - Throws: the refusal of the rule.
  static func complete(
    _ fields: JSONObject,
    _ rule: RecordRule?,
    _ verdict: RecordRule.Verdict?,
    _ access: Access
  ) throws -> JSONObject {
    var complete = try rule?.normalise(fields) ?? fields
    for (column, value) in try verdict?(access).members ?? [] { complete[column] = value }
    return complete
  }

  /// Decides from the answers and adds the writes to the unit of work, with the jobs of hooks.
  ///
  /// - Throws: among others `forbidden`, `unknown_fields`, `missing_fields`, `quota_exceeded`, `not_found` or
  ///   `parent_deleted` for a reference, and the errors of the type's rule.
  func decide(
    _ answers: Answers,
    _ type: RecordType,
    _ rights: Rights,
    _ acting: ActingContext,
    _ records: Records,
    in work: inout Work
  ) throws -> RecordAnswer {
    let access = rights.access
    try type.rules
      .requireCreate(fields, by: rights.kernel(acting, type))
    for (parent, isAlive) in zip(parents, answers.parents) { try parent.require(isAlive) }
    for (member, isMember) in zip(members, answers.members) { try member.require(isMember) }
    var complete = try Self.complete(fields, rule, answers.verdict, access)
    if let numbering {
      let number = try numbering.take(in: &work)
      for (column, value) in number.fields.members { complete[column] = value }
    }
    try type.requireAll(complete)
    try records.quotas.require(
      1,
      of: type,
      answers.quotas,
      records.catalogue,
      access,
      work,
      unwritten: answers.unwritten
    )
    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .create(id: id, fields: complete, kind: kind, in: &work)
    // An imported record had its follow-ups in the source system.
    guard kind == .create else { return answer }
    return try records.follow(hooks.holding(answers.hooks), answer, from: acting, in: &work)
  }
}
