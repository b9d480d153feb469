package import FoundationEssentials

/// A person's membership in a company.
package struct Member: Sendable, Hashable, Codable {
  /// The person.
  package let user: UUID
  /// The name of the role.
  package let role: String
  /// The status of the membership.
  package let status: MemberStatus

  /// Creates a membership.
  package init(user: UUID, role: String, status: MemberStatus) {
    self.user = user
    self.role = role
    self.status = status
  }

  /// True if this member is an active owner.
  package var isActiveOwner: Bool { status == .active && role == BuiltInRole.owner.rawValue }

  /// True if this member can administer the company now.
  package var isActiveAdministrator: Bool {
    status == .active && BuiltInRole(rawValue: role)?.isAdministrator == true
  }
}

/// The status of a membership. Memberships are never deleted, since history refers to them.
package enum MemberStatus: String, Sendable, Codable, CaseIterable {
  /// Has the rights of the role.
  case active
  /// Has no rights until reinstated.
  case suspended
  /// No longer a member; a new invite reactivates the membership.
  case removed

  /// The statuses an administrator may set.
  package var next: [MemberStatus] {
    switch self {
    case .active: [.suspended, .removed]
    case .suspended: [.active, .removed]
    case .removed: []
    }
  }
}
