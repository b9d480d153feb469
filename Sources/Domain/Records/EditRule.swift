/// A rule that permits editing a record: a permission, and optionally a condition and a list of fields.
package struct EditRule: Sendable, Hashable {
  /// The required permission.
  package let ground: Ground
  /// A predicate over the record's view, evaluated by PostgreSQL; nil for no condition. A null result does
  /// not permit.
  package let when: String?
  /// The fields that the rule permits to edit; nil for all editable ones.
  package let fields: [String]?

  /// The permission that a rule requires.
  package enum Ground: Sendable, Hashable {
    /// A permission by name.
    case permission(Permission)
    /// `who: own` or `who: all`: the permission `update.own` or `update` of the type.
    case update(own: Bool)
  }

  /// Creates a rule.
  package init(permission: Permission, when: String? = nil, fields: [String]? = nil) {
    self.init(ground: .permission(permission), when: when, fields: fields)
  }

  init(ground: Ground, when: String?, fields: [String]?) {
    self.ground = ground
    self.when = when
    self.fields = fields
  }

  /// Returns the permission that the rule requires on a record type.
  package func permission(on type: String) -> Permission {
    switch ground {
    case .permission(let permission): permission
    case .update(let own): Permission(trusted: own ? "\(type).update.own" : "\(type).update")
    }
  }
}

extension EditRule: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case permission, who, when, fields
  }

  private enum Who: String, Codable {
    case own, all
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    let ground: Ground
    switch (try object.optional("permission", as: Permission.self), try object.optional("who", as: Who.self))
    {
    case (let permission?, nil): ground = .permission(permission)
    case (nil, let who?): ground = .update(own: who == .own)
    default: throw object.invalid("permission", "an edit rule requires either permission or who")
    }
    self.init(ground: ground, when: try object.optional("when"), fields: try object.optional("fields"))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch ground {
    case .permission(let permission): try container.encode(permission, forKey: .permission)
    case .update(let own): try container.encode(own ? Who.own : .all, forKey: .who)
    }
    try container.encodeIfPresent(when, forKey: .when)
    try container.encodeIfPresent(fields, forKey: .fields)
  }
}
