internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The change of fields of one record: its questions to the database, and its decision from the answers.
///
/// The questions of all edits of a wave are asked together.
struct RecordEdit {
  /// An edit that the actor may make.
  struct Permitted {
    let locked: LockedRow
    let before: JSONObject
    /// The written fields, in their stored form.
    var complete: JSONObject
  }

  let id: UUID
  let fields: JSONObject
  let rule: RecordRule?
  /// The fields that queries may use before permissions are checked.
  let askable: JSONObject
  let parents: [Parent]
  /// The hooks that the edit may fire.
  let hooks: Hooks

  /// Checks the values, because PostgreSQL's own error would not name the field.
  ///
  /// - Throws: the errors of ``FieldCheck/require(_:)``, and `invalid_id` for a reference.
  init(_ records: Records, _ acting: ActingContext, _ type: RecordType, id: UUID, fields: JSONObject) throws {
    self.id = id
    rule = records.rule(of: type)
    let check = FieldCheck(type: type, rule: rule)
    try check.require(fields)
    try type.requireVisible(fields)
    self.fields = check.canonical(fields)
    askable = check.askable(self.fields, from: acting)
    parents = try records.parents(of: type, fields)
    let all = Hooks(.change, of: type)
    // Without a rule, only the given fields are written.
    hooks = rule == nil ? all.following(fields.keys) : all
  }

  /// Returns the conditions of the edit rules, which PostgreSQL evaluates on the record; none if no rule has one.
  static func conditions(of type: RecordType) -> [String] {
    let rules = type.rules.editRules
    return rules.allSatisfy { $0.when == nil } ? [] : rules.map { $0.when ?? "true" }
  }

  /// Checks the edit of a locked record.
  ///
  /// - Parameters:
  ///   - version: the expected version; nil skips the check.
  ///   - isAlive: for each parent, whether it is living; nil if there is none.
  /// - Throws: among others `not_found`, `forbidden`, `wrong_state`, `stale`.
  func permit(
    _ reading: RecordReading,
    version: Int64? = nil,
    parents isAlive: [Bool?],
    _ type: RecordType,
    _ rights: Rights,
    _ acting: ActingContext
  ) throws -> Permitted {
    guard let locked = reading.locked, reading.snapshot.isVisible else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    try type.rules.requireEdit(
      RecordPatch(fields, expectedVersion: version),
      of: reading.snapshot,
      by: rights.kernel(acting, type),
      conditions: reading.guards
    )
    for (parent, isAlive) in zip(parents, isAlive) { try parent.require(isAlive) }
    return Permitted(locked: locked, before: reading.snapshot.fields, complete: fields)
  }

  /// Normalises the fields and queues the queries of the type's rule about the edited record.
  ///
  /// The record is already locked, so `before` is current. A rule that counts or compares the children of a parent gets
  /// the parent locked too, also if the edit does not name it.
  ///
  /// - Returns: the rule's verdict to come; nil if there is no rule.
  func ask(
    about permitted: inout Permitted,
    _ type: RecordType,
    _ acting: ActingContext,
    _ records: Records,
    _ pipeline: inout Pipeline
  ) throws -> RecordRule.Verdict? {
    guard let rule else { return nil }
    permitted.complete = try rule.normalise(fields)
    let whole = permitted.complete.over(permitted.before.asWritten(in: type))
    if rule.locksParents {
      for parent in try records.parents(of: type, whole) {
        pipeline.execute(parent.type.lockAsParent(company: acting.company.id, id: parent.id, alone: true))
      }
    }
    return try rule.check(whole, acting, &pipeline)
  }

  /// Returns the written fields in their stored form, with the columns that the rule computes.
  ///
  /// - Throws: the refusal of the rule.
  func complete(
    _ permitted: Permitted,
    _ verdict: RecordRule.Verdict?,
    _ type: RecordType,
    _ access: Access
  ) throws -> JSONObject {
    var complete = permitted.complete
    for (column, value) in try verdict?(access).members ?? [] where recomputes(column, of: type) {
      complete[column] = value
    }
    return complete
  }

  /// Adds the writes of a permitted edit to the unit of work, with the jobs of hooks.
  ///
  /// - Parameters:
  ///   - verdict: the rule's verdict; nil if there is no rule.
  ///   - answers: the results of the conditions of ``hooks``.
  func write(
    _ permitted: Permitted,
    _ verdict: RecordRule.Verdict?,
    hooks answers: [Bool?],
    _ type: RecordType,
    _ access: Access,
    _ acting: ActingContext,
    _ records: Records,
    in work: inout Work
  ) throws -> RecordAnswer {
    let complete = try complete(permitted, verdict, type, access)
    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .edit(id: id, fields: complete, from: permitted.locked, before: permitted.before, in: &work)
    return try records.follow(
      hooks.holding(answers, written: complete.keys),
      answer,
      from: acting,
      in: &work
    )
  }

  /// True if an edit writes the rule's value for a column.
  ///
  /// The engine's columns are always written, except those of the creation. Names stored beside a reference are
  /// written only if a reference changes; otherwise they stay as they were.
  private func recomputes(_ column: String, of type: RecordType) -> Bool {
    if rule?.atCreation.contains(column) == true { return false }
    if type.definition.engine.contains(column) { return true }
    return type.definition.references.contains { fields[$0.column] != nil }
  }
}

extension JSONObject {
  /// The members as people write them. PostgreSQL adds seconds to a time with minute precision; they are
  /// removed.
  func asWritten(in type: RecordType) -> JSONObject {
    JSONObject(
      members.map { name, value in
        guard let text = value.string, text.hasSuffix(":00"),
          type.column(name)?.type.hasPrefix("time(0)") == true
        else { return (name, value) }
        return (name, .string(String(text.dropLast(3))))
      }
    )
  }

  /// Returns a record's fields overridden by these members.
  fileprivate func over(_ before: JSONObject) -> JSONObject {
    var merged = before
    for (key, value) in members { merged[key] = value }
    return merged
  }
}
