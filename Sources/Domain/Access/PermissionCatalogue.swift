/// All existing permissions: those of the engine and of the installed apps.
///
/// An unknown name is an error, so that a misspelt grant is not ignored.
package struct PermissionCatalogue: Sendable {
  /// A permission and its description.
  package struct Entry: Sendable, Hashable {
    /// The permission.
    package let permission: Permission
    /// True if a custom role can contain the permission (R5).
    package let isGrantable: Bool
    /// The description in help and in lists of permissions.
    package let summary: String

    /// Creates an entry.
    package init(permission: Permission, isGrantable: Bool, summary: String) {
      self.permission = permission
      self.isGrantable = isGrantable
      self.summary = summary
    }
  }

  /// The entries in the given order; the engine's come before those of apps.
  package let entries: [Entry]
  private let byPermission: [Permission: Entry]

  /// Creates the catalogue of the engine's permissions and those of the apps.
  package init(apps: [AppManifest] = []) {
    var entries = Self.engine
    for app in apps {
      for type in app.types {
        let permissions = type.permissions(with: type.workflow.flatMap(app.workflow))
        entries += permissions.map { permission in
          Entry(permission: permission, isGrantable: true, summary: Self.summary(of: permission, on: type))
        }
      }
      for table in app.tables {
        entries += table.permissions.map { permission in
          let verb = permission.verb
          let summary = "\(verb.prefix(1).uppercased())\(verb.dropFirst()) \(table.plural.lowercased())"
          return Entry(permission: permission, isGrantable: true, summary: summary)
        }
      }
    }
    self.init(entries: entries)
  }

  /// Creates a catalogue from stored entries. Of two entries with the same permission the first is used.
  package init(entries: [Entry]) {
    self.entries = entries
    byPermission = Dictionary(entries.map { ($0.permission, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the entry of a permission; nil if it does not exist.
  package subscript(permission: Permission) -> Entry? { byPermission[permission] }

  /// All permissions, without their `.own` forms. An owner holds them.
  package var all: PermissionSet { PermissionSet(entries.lazy.map(\.permission).filter { !$0.isOwn }) }

  /// The permissions that a custom role can contain.
  package var grantable: PermissionSet { PermissionSet(entries.lazy.filter(\.isGrantable).map(\.permission)) }

  /// Parses the name of an existing permission.
  ///
  /// - Throws: `invalid_permission` for another form, `unknown_permission` with the closest name as a hint.
  package func permission(named name: String) throws(DomainError) -> Permission {
    let permission = try Permission(parsing: name)
    guard byPermission[permission] == nil else { return permission }
    let meant = Suggestion.closest(to: name, among: entries.map(\.permission.name))
    throw DomainError(
      .unknownPermission,
      "there is no permission \(Quoted(name))",
      hint: meant.map { "did you mean \($0)?" },
      details: meant.map { ["suggestion": .string($0)] } ?? [:]
    )
  }

  private static func summary(of permission: Permission, on type: RecordTypeDefinition) -> String {
    let whose = permission.isOwn ? "one's own" : "all"
    let verb = permission.wider.verb
    let noun = type.plural.lowercased()
    return RecordTypeDefinition.verbs.contains(verb)
      ? verb == "create"
        ? "Create \(noun)" : "\(verb.prefix(1).uppercased())\(verb.dropFirst()) \(whose) \(noun)"
      : "Take \(whose) \(noun) through \(verb.split(separator: "_").joined(separator: " "))"
  }
}
