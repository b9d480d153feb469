/// A transition from one or more states to one state.
package struct WorkflowTransition: Sendable, Hashable {
  /// The name, which is also the argument of the command.
  package let name: String
  /// The label that people read.
  package let label: String
  /// True if the company has chosen the label, which then holds in every language.
  package internal(set) var isRelabelled = false
  /// The states from which the transition starts.
  package let from: [String]
  /// The state in which the transition ends.
  package let to: String
  /// The permission that the actor must hold; nil for a system transition.
  package let permission: Permission?
  /// The kind of actor that may take the transition.
  package let by: Firer
  /// The columns to set, in order.
  package let set: [SetClause]
  /// The input that a request must have.
  package let require: Requirements
  /// The conditions on the record before the transition, in the order of evaluation.
  package let guards: [TransitionGuard]
  /// The columns that name members who may not take the transition, such as `created_by`.
  package let distinctFrom: [String]
  /// The effects, written in the same transaction.
  package let effects: [Effect]
  /// True if a company's overlay disables the transition; false in every definition.
  package let isDisabled: Bool

  /// The kinds of actors that take transitions.
  package enum Firer: String, Sendable, Codable {
    /// A member, a device or token that acts for a member, or the operator.
    case person
    /// The system: timers, jobs, hooks and schedules.
    case system
  }

  /// Creates a transition. Without a label, the label is derived from the name.
  package init(
    name: String,
    label: String? = nil,
    from: [String],
    to: String,
    permission: Permission? = nil,
    by: Firer = .person,
    set: [SetClause] = [],
    require: Requirements = Requirements(),
    guards: [TransitionGuard] = [],
    distinctFrom: [String] = [],
    effects: [Effect] = [],
    isDisabled: Bool = false
  ) {
    self.name = name
    self.label = label ?? WorkflowState.label(from: name)
    self.from = from
    self.to = to
    self.permission = permission
    self.by = by
    self.set = set
    self.require = require
    self.guards = guards
    self.distinctFrom = distinctFrom
    self.effects = effects
    self.isDisabled = isDisabled
  }

  /// The columns whose time the actor may give.
  package var givenTimes: [String] { self.set.filter { $0.value == .given }.map(\.column) }

  /// Returns the fields of a request that the transition requires, without the times that it only accepts.
  package func required(of fields: JSONObject) -> JSONObject {
    let times = givenTimes
    return JSONObject(fields.members.filter { !times.contains($0.key) })
  }

  /// True if the transition from a state is a reminder: a system transition to the same state that sets no
  /// column.
  ///
  /// A reminder writes history and effects. It changes neither the record's version nor its timers nor the
  /// feed.
  package func isReminder(from state: String) -> Bool { by == .system && state == to && set.isEmpty }
}

extension WorkflowTransition: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, label, from, to, permission, by, set, require, guards, effects
    case distinctFrom = "distinct_from"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    )
    self.init(
      name: try name ?? object.required("name"),
      label: try object.optional("label"),
      from: try object.required("from"),
      to: try object.required("to"),
      permission: try object.optional("permission"),
      by: try object.value("by", default: .person),
      set: try object.optional("set", as: SetClauses.self)?.clauses ?? [],
      require: try object.value("require", default: Requirements()),
      guards: try object.value("guards", default: []),
      distinctFrom: try object.value("distinct_from", default: []),
      effects: try object.value("effects", default: [])
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(label, forKey: .label)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encodeIfPresent(permission, forKey: .permission)
    if by == .system { try container.encode(by, forKey: .by) }
    if !set.isEmpty { try container.encode(SetClauses(clauses: set), forKey: .set) }
    if require != Requirements() { try container.encode(require, forKey: .require) }
    if !guards.isEmpty { try container.encode(guards, forKey: .guards) }
    if !distinctFrom.isEmpty { try container.encode(distinctFrom, forKey: .distinctFrom) }
    if !effects.isEmpty { try container.encode(effects, forKey: .effects) }
  }
}
