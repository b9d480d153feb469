extension BuiltInRole {
  /// The permissions of an owner that an admin does not hold.
  package static let ownersAlone: PermissionSet = [Permission(trusted: "company.transfer")]

  /// The role's permissions in the engine itself, apart from records.
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
        "token.read.own",
        "token.create",
        "token.revoke.own"
      )
    case .viewer: Self.set("company.read", "member.read", "role.read", "workflow.read", "report.read")
    case .guest: Self.set("company.read", "workflow.read", "report.read")
    case .service: Self.set("company.read", "workflow.read")
    }
  }

  /// Returns all permissions of the role: the engine's grants and those of the apps' manifests.
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

  /// True if members with this role can administer a company; a company always keeps one of them.
  package var isAdministrator: Bool { self == .owner || self == .admin }

  /// True if a company of a kind has members with this role.
  package func isAvailable(in kind: CompanyKind) -> Bool { self != .guest || kind == .demo }

  private static func set(_ names: String...) -> PermissionSet {
    PermissionSet(names.map(Permission.init(trusted:)))
  }
}
