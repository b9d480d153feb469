package import FoundationEssentials

/// A person's membership in a company.
package struct Member: Sendable, Hashable, Codable {
  /// The id of the user.
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

  /// True if the membership is active and its role is `owner`.
  package var isActiveOwner: Bool { status == .active && role == BuiltInRole.owner.rawValue }

  /// True if the membership is active and its role is `owner` or `admin`.
  package var isActiveAdministrator: Bool {
    status == .active && BuiltInRole(rawValue: role)?.isAdministrator == true
  }
}

/// The status of a membership. Memberships are never deleted, because the history refers to them.
package enum MemberStatus: String, Sendable, Codable, CaseIterable {
  /// The member has the permissions of the role.
  case active
  /// The member has no permissions until an administrator reinstates the membership.
  case suspended
  /// The person is no longer a member. `fettle member add` or a new invite reactivates the membership.
  case removed

  /// The statuses to which an administrator may change this one.
  package var next: [MemberStatus] {
    switch self {
    case .active: [.suspended, .removed]
    case .suspended: [.active, .removed]
    case .removed: []
    }
  }
}
