/// A transition from some states to one state.
package struct WorkflowTransition: Sendable, Hashable {
  /// The name, which is the verb of the command.
  package let name: String
  /// The display label.
  package let label: String
  /// The states it starts from.
  package let from: [String]
  /// The one state it ends in.
  package let to: String
  /// The permission that a member must hold; nil for system transitions.
  package let permission: Permission?
  /// The kind of actor that may fire it.
  package let by: Firer
  /// The columns that it writes, in order.
  package let set: [SetClause]
  /// The required input.
  package let require: Requirements
  /// The conditions over the record before the transition, in evaluation order.
  package let guards: [TransitionGuard]
  /// Member columns; a member named in one of them may not take this transition.
  package let distinctFrom: [String]
  /// The effects in the same transaction.
  package let effects: [Effect]
  /// True if a company has disabled it by an overlay; always false in a definition.
  package let isDisabled: Bool

  /// The kind of actor that fires a transition.
  package enum Firer: String, Sendable, Codable {
    /// A member, or a device or token acting for one.
    case person
    /// Timers and jobs only.
    case system
  }

  /// Creates a transition.
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

  /// True if it is a reminder: a system transition from a state to itself that sets nothing.
  ///
  /// It writes history and effects; version, timers and feed stay unchanged.
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
