extension BuiltInRole {
  /// The engine's permissions that an owner holds and an admin does not.
  package static let ownersAlone: PermissionSet = [Permission(trusted: "company.transfer")]

  /// The role's permissions in the engine itself; those on records come from the apps.
  package var engineGrants: PermissionSet {
    let everything = PermissionCatalogue.engine.map(\.permission).filter { !$0.isOwn }
    return switch self {
    case .owner: PermissionSet(everything)
    case .admin: PermissionSet(everything.filter { !Self.ownersAlone.contains($0) })
    case .user:
      Self.set(
        "company.read",
        "member.read",
        "role.read",
        "workflow.read",
        "report.read",
        "comment.create",
        "inbox.read",
        "inbox.update",
        "token.read.own",
        "token.create",
        "token.revoke.own"
      )
    case .viewer:
      Self.set(
        "company.read",
        "member.read",
        "role.read",
        "workflow.read",
        "report.read",
        "comment.create",
        "inbox.read",
        "inbox.update"
      )
    case .guest: Self.set("company.read", "workflow.read", "report.read")
    case .service: Self.set("company.read", "workflow.read", "comment.create", "inbox.read", "inbox.update")
    }
  }

  /// Returns all permissions of the role: the engine's, and those that the apps' manifests grant. An owner
  /// has every permission.
  package func permissions(in apps: [AppManifest]) -> PermissionSet {
    if self == .owner { return PermissionCatalogue(apps: apps).all }
    var granted = engineGrants
    for app in apps {
      for type in app.types {
        let workflow = type.workflow.flatMap(app.workflow)
        let rules = type.grants.first { $0.role == self }?.rules ?? []
        granted = granted.union(PermissionSet(rules.flatMap { $0.permissions(of: type, workflow: workflow) }))
      }
      for table in app.tables { granted = granted.union(PermissionSet(table.permissions(of: self))) }
    }
    return granted
  }

  /// True if members with this role can administer a company. A company always keeps an active one (R3).
  package var isAdministrator: Bool { self == .owner || self == .admin }

  /// True if members with this role may comment, watch records and have preferences.
  package var hasVoice: Bool { self != .guest }

  /// True if companies of a kind can have members with this role: guests exist only in demo companies.
  package func isAvailable(in kind: CompanyKind) -> Bool { self != .guest || kind == .demo }

  private static func set(_ names: String...) -> PermissionSet {
    PermissionSet(names.map(Permission.init(trusted:)))
  }
}
