/// Everything the engine knows about one type of record: a table, a view, and who may do what with it.
///
/// It may only name columns that exist; the installer compares it with the catalogue.
package struct RecordTypeDefinition: Sendable, Hashable {
  /// The type's name, such as `maintenance.entry`.
  package let name: String
  /// What one is called.
  package let label: String
  /// What several are called.
  package let plural: String
  /// The table that is written.
  package let table: String
  /// The view that is read; the table where there is none.
  package let view: String
  /// The column that stands for the record in lists and messages.
  package let titleField: String
  /// The columns by which people name a record instead of its id; empty when they cannot.
  package let key: [String]
  /// Who sees its records at all.
  package let scope: Scope
  /// Columns beside `created_by` that make somebody the owner of a record, for `.own`.
  package let ownerFields: [String]
  /// The workflow on its `status`; nil when it has none.
  package let workflow: String?
  /// What happens to edits made apart.
  package let sync: SyncPolicy
  /// What each built-in role may do by default.
  package let grants: [RoleGrants]
  /// The columns that people write, at creation and later.
  package let editable: [String]
  /// The columns that are given at creation and never change.
  package let fixed: [String]
  /// The columns that the engine or PostgreSQL computes.
  package let engine: [String]
  /// When somebody may edit, tried in order; empty for whenever they hold `update`.
  package let edit: [EditRule]
  /// The columns that point to other records.
  package let references: [RecordReference]
  /// The columns that a search looks into.
  package let search: [String]
  /// The columns of the view by which a list can be sorted.
  package let sort: [String]
  /// The kinds of file its records may carry.
  package let attachments: [AttachmentRule]
  /// What follows, in the same unit of work, from creating, changing or deleting a record.
  package let hooks: [RecordHook]
  /// What a company must be entitled to before its members may write records of the type; nil for nothing.
  package let entitlement: String?
  /// For columns that take more or less than others of their kind: characters of a text, bytes of a document,
  /// elements of a list.
  package let limits: [String: Int]
  /// The noun by which the command line names the type; nil: `fettle record` alone reaches it.
  package let command: CommandNoun?

  /// Who sees the records of a type.
  package enum Scope: String, Sendable, Codable {
    /// Every member who may read the type.
    case company
    /// Whoever made the record, and nobody else, admins included.
    case owner
  }

  /// The columns that every record table has; the engine alone writes them.
  package static let baseColumns = RecordBase.columns

  /// The verbs that every type has.
  package static let verbs = ["read", "create", "update", "delete", "export"]

  /// The columns that a creation may give: fixed ones and editable ones.
  package var creatable: [String] { fixed + editable }

  /// Every permission about this type, `.own` forms included: the verbs of every type and those of its
  /// transitions.
  package func permissions(with workflow: WorkflowDefinition?) -> [Permission] {
    let verbs = Self.verbs.map { Permission(trusted: "\(name).\($0)") }
    let transitions = (workflow?.permissions ?? []).filter { $0.subject == name }.map(\.wider)
    var seen: Set<Permission> = []
    return (verbs + transitions).filter { seen.insert($0).inserted }.flatMap { permission in
      permission.verb == "create" ? [permission] : [permission, permission.own]
    }
  }
}

/// What one built-in role may do with a type by default.
package struct RoleGrants: Sendable, Hashable {
  /// The role.
  package let role: BuiltInRole
  /// What it may do.
  package let rules: [GrantRule]
}
