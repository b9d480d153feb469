/// The definition of a record type: its table, its view, its columns and its permissions.
///
/// It may name only existing columns; the installer compares it with the catalogue.
package struct RecordTypeDefinition: Sendable, Hashable {
  /// The type's name, such as `maintenance.entry`.
  package let name: String
  /// The singular name.
  package let label: String
  /// The plural name.
  package let plural: String
  /// The table for writes.
  package let table: String
  /// The view for reads; the table if there is none.
  package let view: String
  /// The column that represents the record in lists and messages.
  package let titleField: String
  /// The numbering of its records; nil for none.
  package let number: NumberRule?
  /// The natural key columns, by which people name a record; empty if there are none.
  package let key: [String]
  /// The visibility of its records.
  package let scope: Scope
  /// Columns besides `created_by` whose member owns a record, for `.own`.
  package let ownerFields: [String]
  /// The workflow on its `status`; nil if it has none.
  package let workflow: String?
  /// The conflict rule for edits made on several devices.
  package let sync: SyncPolicy
  /// The default grants of the built-in roles.
  package let grants: [RoleGrants]
  /// The columns writable at creation and later.
  package let editable: [String]
  /// The columns writable at creation only.
  package let fixed: [String]
  /// The columns that the engine or PostgreSQL computes, including those of the number.
  package let engine: [String]
  /// The edit rules, tried in order; if empty, `update` suffices.
  package let edit: [EditRule]
  /// The columns that reference other records.
  package let references: [RecordReference]
  /// The columns included in searches.
  package let search: [String]
  /// The columns of the view by which a list can be sorted.
  package let sort: [String]
  /// The kinds of attachment of its records.
  package let attachments: [AttachmentRule]
  /// Actions in the same unit of work after a record is created, changed or deleted.
  package let hooks: [RecordHook]
  /// The entitlement required to write records of the type; nil for none.
  package let entitlement: String?
  /// Name of the type's section in a provisioning file, such as `machines`; nil if its records are under `records`.
  package let section: String?
  /// Limits of columns that differ from the default of their kind: characters of a text, bytes of a document,
  /// elements of a list.
  package let limits: [String: Int]
  /// The noun of the type on the command line; nil: only `fettle record` reaches its records.
  package let command: CommandNoun?

  /// The visibility of the records of a type.
  package enum Scope: String, Sendable, Codable {
    /// Every member who may read the type.
    case company
    /// Only the creator of a record, not even admins.
    case owner
  }

  /// The columns of every record table; only the engine writes them.
  package static let baseColumns = RecordBase.columns

  /// The verbs of every type.
  package static let verbs = ["read", "create", "update", "delete", "export"]

  /// The app that the type belongs to.
  package var app: String { String(name.prefix { $0 != "." }) }

  /// The columns by which people name a record, the preferred one first; empty if they use its id.
  package var nameColumns: [String] { (number == nil ? [] : ["number"]) + key.suffix(1) }

  /// The columns writable at creation: fixed and editable ones.
  package var creatable: [String] { fixed + editable }

  /// Returns all permissions on this type, `.own` forms included: the common verbs and those of its
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

/// The default grants of one built-in role on a type.
package struct RoleGrants: Sendable, Hashable {
  /// The role.
  package let role: BuiltInRole
  /// Its grants.
  package let rules: [GrantRule]
}
