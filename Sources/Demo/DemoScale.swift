/// The amount of demo data: S for tests, M for exploration, L for load tests.
package enum DemoScale: String, Sendable, CaseIterable {
  case S, M, L

  /// Numbers of companies and of rows that belong to no app; apps add their own.
  struct Figures: Sendable {
    let companies, users, memberships, invites, jobs: Int
  }

  /// The figures of the requirements, without photos and device traffic, which are files and sessions instead
  /// of rows.
  var figures: Figures {
    switch self {
    case .S: Figures(companies: 3, users: 12, memberships: 14, invites: 6, jobs: 30)
    case .M: Figures(companies: 40, users: 400, memberships: 460, invites: 150, jobs: 5_000)
    case .L: Figures(companies: 2_000, users: 20_000, memberships: 24_000, invites: 8_000, jobs: 1_000_000)
    }
  }
}
