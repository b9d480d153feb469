/// One reason for which somebody may edit a record: a permission, perhaps a condition, perhaps only some fields.
package struct EditRule: Sendable, Hashable {
  /// Permission that the actor must hold.
  package let ground: Ground
  /// A predicate over the record's view, evaluated by PostgreSQL; nil always holds, null in the answer does not.
  package let when: String?
  /// The fields it opens; nil for all that are editable.
  package let fields: [String]?

  /// Permission that a rule requires of the actor.
  package enum Ground: Sendable, Hashable {
    /// A permission by name.
    case permission(Permission)
    /// `who: own` or `who: all`: the type's own `update.own` or `update`.
    case update(own: Bool)
  }

  /// Puts a rule together.
  package init(permission: Permission, when: String? = nil, fields: [String]? = nil) {
    self.init(ground: .permission(permission), when: when, fields: fields)
  }

  init(ground: Ground, when: String?, fields: [String]?) {
    self.ground = ground
    self.when = when
    self.fields = fields
  }

  /// The permission it asks for on a record type.
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
    default: throw object.invalid("permission", "An edit rule has either permission or who")
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
