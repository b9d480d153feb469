/// The `grants:` of a type or table in a manifest: a mapping from built-in roles to verbs.
struct GrantTable: Codable {
  let grants: [RoleGrants]

  init(grants: [RoleGrants]) { self.grants = grants }

  init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: BuiltInRole.allCases.map(\.rawValue))
    grants = try BuiltInRole.allCases.compactMap { role in
      try object.optional(role.rawValue, as: [GrantRule].self).map { RoleGrants(role: role, rules: $0) }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for grant in grants { try container.encode(grant.rules, forKey: NamedKey(grant.role.rawValue)) }
  }
}
