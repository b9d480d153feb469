/// How much demo data there is: a handful for tests, enough to look at, or enough to be slow.
package enum DemoScale: String, Sendable, CaseIterable {
  case S, M, L

  /// How many of each thing.
  struct Figures: Sendable {
    let companies, users, memberships, invites: Int
    let machines, categories, entries, timeEntries: Int
    let items, claims: Int
    let macroEntries: Int
    let sites, recordings, solarDays, solarSeconds: Int
    let plans, stops, conversations, messages: Int
    let jobs: Int
  }

  /// The table of the requirements. Photos and the traffic of devices are files and sessions, not rows to be made up
  /// here. Samples are a minute apart except where that many would say nothing more, and L has 16 days of them, which
  /// are ten million: a load test's. A whole year, 240 million, is to be asked for.
  var figures: Figures {
    switch self {
    case .S:
      Figures(
        companies: 3,
        users: 12,
        memberships: 14,
        invites: 6,
        machines: 9,
        categories: 24,
        entries: 60,
        timeEntries: 90,
        items: 40,
        claims: 4,
        macroEntries: 120,
        sites: 2,
        recordings: 40,
        solarDays: 1,
        solarSeconds: 60,
        plans: 3,
        stops: 15,
        conversations: 5,
        messages: 60,
        jobs: 30
      )
    case .M:
      Figures(
        companies: 40,
        users: 400,
        memberships: 460,
        invites: 150,
        machines: 480,
        categories: 520,
        entries: 12_000,
        timeEntries: 22_000,
        items: 4_000,
        claims: 120,
        macroEntries: 60_000,
        sites: 20,
        recordings: 8_000,
        solarDays: 90,
        solarSeconds: 300,
        plans: 300,
        stops: 2_400,
        conversations: 600,
        messages: 9_000,
        jobs: 5_000
      )
    case .L:
      Figures(
        companies: 2_000,
        users: 20_000,
        memberships: 24_000,
        invites: 8_000,
        machines: 40_000,
        categories: 26_000,
        entries: 1_500_000,
        timeEntries: 3_000_000,
        items: 200_000,
        claims: 6_000,
        macroEntries: 9_000_000,
        sites: 500,
        recordings: 1_000_000,
        solarDays: 16,
        solarSeconds: 60,
        plans: 50_000,
        stops: 400_000,
        conversations: 100_000,
        messages: 2_000_000,
        jobs: 1_000_000
      )
    }
  }
}
