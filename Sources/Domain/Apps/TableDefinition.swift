/// A table of an app that holds no records: many small rows without version, history or feed, such as
/// samples.
///
/// Its rows belong to companies, so the installer adds row-level security. Permissions on it are granted to
/// roles, as on a record type.
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
  /// The name in the database, such as `solar.sample`, which is also the prefix of its permissions.
  package let name: String
  /// The name of one row.
  package let label: String
  /// The name of several rows.
  package let plural: String
  /// The verbs that can be granted.
  package let verbs: [String]
  /// The grants of the built-in roles.
  package let grants: [RoleGrants]
  /// The columns that tell something of a person.
  package let personal: PersonalColumns

  /// All permissions on the table. Rows have no owner, so no permission ends with `.own`.
  package var permissions: [Permission] { verbs.map { Permission(trusted: "\(name).\($0)") } }

  /// Returns the permissions of a built-in role on the table.
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
    case name, label, plural, verbs, grants, personal, impersonal
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    )
    self.name = try name ?? object.required("name")
    guard Identifier.isDotted(self.name, words: 2...2) else {
      throw object.invalid("name", "\(Quoted(self.name)) is not a table", hint: "write schema.table")
    }
    label = try object.required("label")
    plural = try object.required("plural")
    verbs = try object.required("verbs")
    for verb in verbs where !Identifier.isWord(verb) {
      throw object.invalid("verbs", "\(Quoted(verb)) is not a verb", hint: "write it like read or create")
    }
    grants = try object.optional("grants", as: GrantTable.self)?.grants ?? []
    personal = try PersonalColumns(object)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(label, forKey: .label)
    try container.encode(plural, forKey: .plural)
    try container.encode(verbs, forKey: .verbs)
    try container.encode(GrantTable(grants: grants), forKey: .grants)
    if !personal.marked.isEmpty { try container.encode(personal.marked, forKey: .personal) }
    if !personal.waived.isEmpty { try container.encode(personal.waived, forKey: .impersonal) }
  }
}

extension ManifestLint {
  /// Checks that the table has the app's prefix, is not the table of a record type, has a `company_id`, and
  /// is granted only with its verbs.
  mutating func check(_ table: TableDefinition) {
    let path = "tables.\(table.name)"
    if !table.name.hasPrefix("\(manifest.app).") {
      report(.wrongPrefix, path, "the table's name does not begin with \"\(manifest.app).\"", "rename it")
    }
    if manifest.types.contains(where: { $0.table == table.name }) {
      report(.duplicateName, path, "\(table.name) is the table of a record type", "remove it from tables")
    }
    let known = Set(table.permissions)
    for role in BuiltInRole.allCases {
      for permission in table.permissions(of: role) where !known.contains(permission) {
        report(
          .unknownPermission,
          "\(path).grants.\(role.rawValue)",
          "the table has no verb \(permission.verb)",
          "add it to verbs"
        )
      }
    }
    check(table.personal, in: table.name, at: path)
    guard let relations = context.relations else { return }
    guard let columns = relations[table.name] else {
      report(.missingRelation, path, "there is no table \(table.name)", "create it in the app's SQL")
      return
    }
    if !columns.contains("company_id") {
      report(.missingCompany, path, "\(table.name) has no company_id", "add it as the first key column")
    }
  }
}
