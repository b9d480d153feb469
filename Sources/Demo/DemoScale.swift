/// How much demo data there is: a handful for tests, enough to look at, or enough to be slow.
package enum DemoScale: String, Sendable, CaseIterable {
  case S, M, L

  /// Numbers of companies and of the data that no app owns; apps add their own.
  struct Figures: Sendable {
    let companies, users, memberships, invites, jobs: Int
  }

  /// The table of the requirements, without photos and the traffic of devices: these are files and sessions, not rows.
  var figures: Figures {
    switch self {
    case .S: Figures(companies: 3, users: 12, memberships: 14, invites: 6, jobs: 30)
    case .M: Figures(companies: 40, users: 400, memberships: 460, invites: 150, jobs: 5_000)
    case .L: Figures(companies: 2_000, users: 20_000, memberships: 24_000, invites: 8_000, jobs: 1_000_000)
    }
  }
}
