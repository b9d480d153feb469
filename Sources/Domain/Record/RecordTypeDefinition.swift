/// Everything the engine knows about one type of record: a table, a view, and who may do what with it.
///
/// It may only name columns that exist; the installer compares it with the catalogue.
package struct RecordTypeDefinition: Sendable, Hashable {
  /// The type's name, such as `maintenance.entry`.
  package let name: String
  /// Singular name.
  package let label: String
  /// Plural name.
  package let plural: String
  /// The table that is written.
  package let table: String
  /// The view that is read; the table where there is none.
  package let view: String
  /// The column that stands for the record in lists and messages.
  package let titleField: String
  /// The numbers that the engine gives to its records; nil for none.
  package let number: NumberRule?
  /// The columns by which people name a record instead of its id; empty when they cannot.
  package let key: [String]
  /// Visibility of its records.
  package let scope: Scope
  /// Columns beside `created_by` that make somebody the owner of a record, for `.own`.
  package let ownerFields: [String]
  /// The workflow on its `status`; nil when it has none.
  package let workflow: String?
  /// Conflict rule for edits made on several devices.
  package let sync: SyncPolicy
  /// Default grants of the built-in roles.
  package let grants: [RoleGrants]
  /// The columns that people write, at creation and later.
  package let editable: [String]
  /// The columns that are given at creation and never change.
  package let fixed: [String]
  /// The columns that the engine or PostgreSQL computes, those of the number among them.
  package let engine: [String]
  /// Edit rules, tried in order; empty: holding `update` is enough.
  package let edit: [EditRule]
  /// The columns that point to other records.
  package let references: [RecordReference]
  /// The columns that a search looks into.
  package let search: [String]
  /// The columns of the view by which a list can be sorted.
  package let sort: [String]
  /// The kinds of file its records may carry.
  package let attachments: [AttachmentRule]
  /// Actions in the same unit of work after a record is created, changed or deleted.
  package let hooks: [RecordHook]
  /// Entitlement that a company needs before its members may write records of the type; nil: none.
  package let entitlement: String?
  /// For columns that take more or less than others of their kind: characters of a text, bytes of a document,
  /// elements of a list.
  package let limits: [String: Int]
  /// The noun of the type on the command line; nil: only `fettle record` reaches its records.
  package let command: CommandNoun?

  /// Visibility of the records of a type.
  package enum Scope: String, Sendable, Codable {
    /// Every member who may read the type.
    case company
    /// Only the creator of a record, not even admins.
    case owner
  }

  /// The columns that every record table has; the engine alone writes them.
  package static let baseColumns = RecordBase.columns

  /// The verbs that every type has.
  package static let verbs = ["read", "create", "update", "delete", "export"]

  /// The app that the type belongs to.
  package var app: String { String(name.prefix { $0 != "." }) }

  /// The columns by which people name a record, the first one preferred; empty when they use its id.
  package var nameColumns: [String] { (number == nil ? [] : ["number"]) + key.suffix(1) }

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

/// Default grants of one built-in role on a type.
package struct RoleGrants: Sendable, Hashable {
  /// The role.
  package let role: BuiltInRole
  /// Its grants.
  package let rules: [GrantRule]
}
