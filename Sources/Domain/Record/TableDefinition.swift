/// A table of an app that holds no records: many small facts without version, history or feed, such as samples.
///
/// It belongs to companies like every other, so the installer attaches row-level security; who may do what with it
/// is granted to roles like the verbs of a type.
///
/// ```yaml
/// tables:
///   solar.sample:
///     label: Sample
///     plural: Samples
///     verbs: [read, create, correct, export]
///     grants: { owner: [read, correct, export], user: [read], service: [read, create] }
/// ```
package struct TableDefinition: Sendable, Hashable {
  /// Its name in the database, such as `solar.sample`, and the prefix of its permissions.
  package let name: String
  /// The singular name of a row.
  package let label: String
  /// The plural name.
  package let plural: String
  /// The verbs that can be granted on its rows.
  package let verbs: [String]
  /// The default grants of the built-in roles.
  package let grants: [RoleGrants]

  /// All permissions on it; rows have no owner, so there is no `.own`.
  package var permissions: [Permission] { verbs.map { Permission(trusted: "\(name).\($0)") } }

  /// Returns the default permissions of a role on it.
  package func permissions(of role: BuiltInRole) -> [Permission] {
    let rules = grants.first { $0.role == role }?.rules ?? []
    return rules.flatMap { rule in
      switch rule {
      case .all: permissions
      case .verb(let verb): [Permission(trusted: "\(name).\(verb)")]
      }
    }
  }
}

extension TableDefinition: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, label, plural, verbs, grants
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    )
    self.name = try name ?? object.required("name")
    guard Identifier.isDotted(self.name, words: 2...2) else {
      throw object.invalid("name", "\(Quoted(self.name)) is not a table", hint: "Write schema.table.")
    }
    label = try object.required("label")
    plural = try object.required("plural")
    verbs = try object.required("verbs")
    for verb in verbs where !Identifier.isWord(verb) {
      throw object.invalid("verbs", "\(Quoted(verb)) is not a verb", hint: "Write it like read or create.")
    }
    grants = try object.optional("grants", as: GrantTable.self)?.grants ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(label, forKey: .label)
    try container.encode(plural, forKey: .plural)
    try container.encode(verbs, forKey: .verbs)
    try container.encode(GrantTable(grants: grants), forKey: .grants)
  }
}

extension ManifestLint {
  /// Checks that a table without records is the app's own, belongs to companies, and grants only its verbs.
  mutating func check(_ table: TableDefinition) {
    let path = "tables.\(table.name)"
    if !table.name.hasPrefix("\(manifest.app).") {
      report(.wrongPrefix, path, "The table does not begin with \(manifest.app).", "Rename it.")
    }
    if manifest.types.contains(where: { $0.table == table.name }) {
      report(.duplicateName, path, "\(table.name) is the table of a record type", "Leave it to the type.")
    }
    let known = Set(table.permissions)
    for role in BuiltInRole.allCases {
      for permission in table.permissions(of: role) where !known.contains(permission) {
        report(
          .unknownPermission,
          "\(path).grants.\(role.rawValue)",
          "The table has no verb \(permission.verb)",
          "Add it to verbs."
        )
      }
    }
    guard let relations = context.relations else { return }
    guard let columns = relations[table.name] else {
      report(.missingRelation, path, "There is no table \(table.name)", "Create it in the app's SQL.")
      return
    }
    if !columns.contains("company_id") {
      report(.missingCompany, path, "\(table.name) has no company_id", "Add it, and lead every key by it.")
    }
  }
}
