package import FoundationEssentials

/// A person's place in a company.
package struct Member: Sendable, Hashable, Codable {
  /// The person.
  package let user: UUID
  /// The name of the role.
  package let role: String
  /// Whether the place is in use.
  package let status: MemberStatus

  /// Puts a membership together.
  package init(user: UUID, role: String, status: MemberStatus) {
    self.user = user
    self.role = role
    self.status = status
  }

  /// Whether this member can put the company in order now.
  package var isActiveAdministrator: Bool {
    status == .active && BuiltInRole(rawValue: role)?.isAdministrator == true
  }
}

/// Whether a person's place in a company is in use; memberships are never deleted, since history names them.
package enum MemberStatus: String, Sendable, Codable, CaseIterable {
  /// May do what the role allows.
  case active
  /// May do nothing until resumed.
  case suspended
  /// No longer belongs to the company; a new invite makes the place active again.
  case removed

  /// What an administrator may move it to.
  package var next: [MemberStatus] {
    switch self {
    case .active: [.suspended, .removed]
    case .suspended: [.active, .removed]
    case .removed: []
    }
  }
}
